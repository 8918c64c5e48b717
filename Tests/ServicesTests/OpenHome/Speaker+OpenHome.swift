import Player
import Testing
import UPnP

@testable import Services

extension OpenHomeConfiguration {
  static var example: OpenHomeConfiguration {
    OpenHomeConfiguration(
      room: "Kitchen & Hall", productName: "Vireo", productInfo: "A speaker",
      manufacturer: Origin(name: "Maker", info: "makes", url: "http://192.0.2.80/", image: "/maker.png"),
      model: Origin(name: "Model", info: "one", url: "http://192.0.2.80/m", image: "http://192.0.2.80/m.png"),
      presentation: "/", image: "/icon-120.png", imageHires: "/icon-256.png",
      sender: Sender(zone: "4d696e69-0000-0000-0000-000000000007"))
  }
}

extension Speaker {
  var openHomeServices: [any ServiceProvider] {
    [product, playlist, radio, info, time, volume, transport, receiver, sender, pins]
  }

  /// Puts tracks called `a`, `b`, … at the end of the playlist and returns their ids.
  @discardableResult
  func add(_ names: String...) throws -> [UInt32] {
    try names.map { name in
      let last = player.currentState.playlist.tracks.ids.last ?? 0
      let answer = try call(
        playlist, "Insert",
        [
          "AfterId": String(last), "Uri": "http://192.0.2.1/\(name).flac",
          "Metadata": "<DIDL-Lite><item><dc:title>\(name)</dc:title></item></DIDL-Lite>",
        ])
      return UInt32(answer["NewId"] ?? "") ?? 0
    }
  }

  /// Has two presets in the slots 1 and 3, and returns their ids.
  @discardableResult
  func setPresets() throws -> [UInt32] {
    try player.change(
      .radio(
        .setPresets([
          Media(station: "http://192.0.2.1/bird", name: "Bird"), nil,
          Media(station: "http://192.0.2.1/frog", name: "Frog & Toad", image: "http://192.0.2.1/f.png"),
        ])))
    return player.currentState.radio.presets.compactMap { $0?.id }
  }

  func setChannel(_ uri: String = "http://192.0.2.1/station", metadata: String = "") throws {
    try call(radio, "SetChannel", ["Uri": uri, "Metadata": metadata])
  }

  /// The output plays what it was told to.
  func hear() {
    output { .started($0) }
    output { .playing($0, position: .zero) }
  }

  /// A getter answers what subscribers are told.
  func expectGettersToAgree(_ comment: Comment) throws {
    for service in openHomeServices {
      let told = Dictionary(uniqueKeysWithValues: service.eventedValues().map { ($0.name, $0.value) })
      for action in service.description.actions where action.inputs.isEmpty && !action.outputs.isEmpty {
        let answer = try call(service, action.name)
        for output in action.outputs {
          guard let value = told[service.description.variables[output.variable].name] else { continue }
          #expect(answer[output.name] == value, "\(service.identity.name) \(action.name), \(comment)")
        }
      }
    }
  }

  func state(_ service: any ServiceProvider) -> String? { evented(service, "TransportState") }
}
