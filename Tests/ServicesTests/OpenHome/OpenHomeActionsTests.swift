import Player
import SCPD
import Testing
import UPnP

@testable import Services

/// What holds for every action and every event of all OpenHome services, whatever the player does.
@Suite struct OpenHomeActionsTests {
  enum Situation: CaseIterable {
    case fresh, playlistStopped, playlistBuffering, playlistPlaying, playlistPaused
    case radioStopped, radioBuffering, radioPlaying, upnpAVStopped, upnpAVPlaying, standby
    case listening, sending

    func make() throws -> Speaker {
      let speaker = Speaker()
      switch self {
      case .fresh: break
      case .playlistStopped, .playlistBuffering, .playlistPlaying, .playlistPaused:
        try speaker.add("a", "b", "c")
        try speaker.call(speaker.product, "SetSourceIndex", ["Value": "0"])
        guard self != .playlistStopped else { break }
        try speaker.call(speaker.playlist, "Play")
        guard self != .playlistBuffering else { break }
        speaker.hear()
        if self == .playlistPaused { try speaker.call(speaker.playlist, "Pause") }
      case .radioStopped, .radioBuffering, .radioPlaying:
        try speaker.setPresets()
        try speaker.setChannel()
        guard self != .radioStopped else { break }
        try speaker.call(speaker.radio, "Play")
        if self == .radioPlaying { speaker.hear() }
      case .upnpAVStopped, .upnpAVPlaying:
        try speaker.setURI()
        try speaker.call(speaker.product, "SetSourceBySystemName", ["Value": "UPnP AV"])
        guard self == .upnpAVPlaying else { break }
        try speaker.play()
        speaker.hear()
      case .listening:
        try speaker.call(speaker.receiver, "SetSender", ["Uri": "ohu://192.0.2.7:51000", "Metadata": ""])
        try speaker.call(speaker.receiver, "Play")
        speaker.hear()
      case .sending:
        try speaker.add("a")
        try speaker.call(speaker.playlist, "Play")
        speaker.hear()
        try speaker.player.change(
          .senderChanged(SenderState(isEnabled: true, listeners: 2, isSending: true)))
      case .standby:
        try speaker.add("a")
        try speaker.call(speaker.product, "SetStandby", ["Value": "1"])
      }
      return speaker
    }
  }

  /// Texts for every in argument there is, by the variable that it is related to; sensible ones and mad ones.
  private static let sane: [String: String] = [
    "Id": "1", "Index": "0", "IdList": "1 2", "Channel": "Left", "Volume": "30", "Balance": "0", "Fade": "0",
    "Uri": "http://192.0.2.1/x.flac", "Metadata": "", "SourceName": "Radio", "SourceSystemName": "Playlist",
    "SourceIndex": "0", "ProductImageResolution": "Low", "A_ARG_TYPE_string": "", "StreamId": "1",
  ]
  private static let mad: [String: String] = [
    "Id": "4294967295", "Index": "4294967295", "IdList": "-1 x 4294967296", "Channel": "Rear",
    "Volume": "4294967295", "Balance": "-2147483648", "Fade": "2147483647", "Uri": "", "Metadata": "<&",
    "SourceName": "", "SourceSystemName": "x", "SourceIndex": "4294967295", "ProductImageResolution": "?",
    "A_ARG_TYPE_string": "{", "StreamId": "4294967295", "Relative": "-2147483648", "Absolute": "4294967295",
    "A_ARG_TYPE_int": "2147483647", "A_ARG_TYPE_uint": "4294967295", "IdArrayToken": "4294967295",
    "VolumeOffsetBinaryMilliDb": "-2147483648", "TrimBinaryMilliDb": "2147483647",
  ]

  private static func arguments(
    _ action: ActionDescription, of service: any ServiceProvider, _ texts: [String: String]
  ) -> [String: String] {
    let pairs = action.inputs.map { input in
      (input.name, texts[service.description.variables[input.variable].name] ?? "1")
    }
    return Dictionary(uniqueKeysWithValues: pairs)
  }

  @Test(arguments: Situation.allCases)
  func everyServedActionIsPerformed(_ situation: Situation) throws {
    for index in try situation.make().openHomeServices.indices {
      for action in try situation.make().openHomeServices[index].description.actions {
        for texts in [Self.sane, Self.mad] {
          let speaker = try situation.make()
          let service = speaker.openHomeServices[index]
          let fault = try speaker.fault(service, action.name, Self.arguments(action, of: service, texts))
          #expect(
            fault == nil || (800...819).contains(fault ?? 0),
            "\(service.identity.name) \(action.name) \(texts == Self.sane ? "sane" : "mad")")
          let isGetter = action.inputs.isEmpty && !action.outputs.isEmpty
          #expect(!isGetter || fault == nil, "\(service.identity.name) \(action.name)")
        }
      }
    }
  }

  /// All evented variables of the description, in its order, whatever happens.
  @Test(arguments: Situation.allCases)
  func everythingEventedIsTold(_ situation: Situation) throws {
    for service in try situation.make().openHomeServices {
      let evented = service.description.variables.filter(\.sendsEvents).map(\.name)
      #expect(service.eventedValues().map(\.name) == evented, "\(service.identity.name)")
    }
  }

  /// A getter answers what subscribers are told.
  @Test(arguments: Situation.allCases)
  func gettersAndEventsAgree(_ situation: Situation) throws {
    try situation.make().expectGettersToAgree("\(situation)")
  }

  @Test func nothingHappensNothingIsTold() throws {
    let speaker = try Situation.playlistPaused.make()
    let before = speaker.openHomeServices.map { $0.eventedValues() }
    speaker.clock.advance(seconds: 5)
    #expect(speaker.openHomeServices.map { $0.eventedValues() } == before)
    #expect(speaker.openHomeServices.allSatisfy { $0.nextChange() == nil })
  }

  @Test func whatIsServedIsWhatIsPromised() throws {
    let speaker = Speaker()
    let services = OpenHomeDevice.services(
      player: speaker.player, settings: speaker.settings, logger: speaker.avTransport.logger)
    #expect(
      services.map(\.identity.type) == [
        "urn:av-openhome-org:service:Product:4", "urn:av-openhome-org:service:Playlist:1",
        "urn:av-openhome-org:service:Radio:2", "urn:av-openhome-org:service:Info:1",
        "urn:av-openhome-org:service:Time:1", "urn:av-openhome-org:service:Volume:4",
        "urn:av-openhome-org:service:Transport:1", "urn:av-openhome-org:service:Pins:1",
        "urn:av-openhome-org:service:Receiver:1",
        "urn:av-openhome-org:service:Sender:2",
      ])
    #expect(services.first?.identity.id == "urn:av-openhome-org:serviceId:Product")
    let promised = try speaker.call(speaker.product, "Attributes")["Value"]?.split(separator: " ") ?? []
    #expect(!promised.isEmpty)
    #expect(promised == ["Volume", "Time", "Info", "Transport", "Pins", "Sender", "Receiver"])
    #expect(promised.allSatisfy { token in services.contains { $0.identity.name == token } })
  }
}
