import Player
import Testing
import UPnP

@testable import Services

@Suite struct RenderingControlTests {
  private let speaker = Speaker(configuration: PlayerConfiguration(volumeLimit: 80, factoryVolume: 40))

  private func call(_ action: String, _ arguments: [String: String]) throws -> [String: String] {
    try speaker.call(speaker.renderingControl, action, arguments)
  }

  private func fault(_ action: String, _ arguments: [String: String]) throws -> Int? {
    try speaker.fault(speaker.renderingControl, action, arguments)
  }

  @Test(arguments: [0, 1, 37, 80])
  func aVolumeReadsBackAsSet(_ volume: Int) throws {
    _ = try call("SetVolume", ["Channel": "Master", "DesiredVolume": String(volume)])
    #expect(try call("GetVolume", ["Channel": "Master"]) == ["CurrentVolume": String(volume)])
    #expect(speaker.evented(speaker.renderingControl, "Volume", channel: "Master") == String(volume))
  }

  @Test func decibelsReadBackAsSet() throws {
    _ = try call("SetVolumeDB", ["Channel": "LF", "DesiredVolume": "-1234"])
    #expect(try call("GetVolumeDB", ["Channel": "LF"]) == ["CurrentVolume": "-1234"])
    let range = try call("GetVolumeDBRange", ["Channel": "Master"])
    #expect(range == ["MinValue": "-30976", "MaxValue": "0"])
    #expect(try fault("SetVolumeDB", ["Channel": "Master", "DesiredVolume": "1"]) == 601)
    #expect(try fault("SetVolumeDB", ["Channel": "Master", "DesiredVolume": "-30977"]) == 601)
  }

  @Test func theLimitHolds() throws {
    _ = try call("SetVolume", ["Channel": "Master", "DesiredVolume": "100"])
    #expect(try call("GetVolume", ["Channel": "Master"]) == ["CurrentVolume": "80"])
  }

  @Test func channelsAreTheirOwn() throws {
    _ = try call("SetMute", ["Channel": "RF", "DesiredMute": "1"])
    #expect(try call("GetMute", ["Channel": "RF"]) == ["CurrentMute": "1"])
    #expect(try call("GetMute", ["Channel": "Master"]) == ["CurrentMute": "0"])
    guard case .setGain(let left, let right)? = speaker.output.requests.last else {
      Issue.record("the output was not told")
      return
    }
    #expect(left > 0)
    #expect(right == 0)
  }

  @Test func presetRestores() throws {
    _ = try call("SetVolume", ["Channel": "Master", "DesiredVolume": "3"])
    _ = try call("SetMute", ["Channel": "Master", "DesiredMute": "true"])
    #expect(try call("ListPresets", [:]) == ["CurrentPresetNameList": "FactoryDefaults"])
    _ = try call("SelectPreset", ["PresetName": "FactoryDefaults"])
    #expect(try call("GetVolume", ["Channel": "Master"]) == ["CurrentVolume": "40"])
    #expect(try call("GetMute", ["Channel": "Master"]) == ["CurrentMute": "0"])
  }

  @Test(arguments: [
    ("SetVolume", ["Channel": "Master"], 402),
    ("SetVolume", ["Channel": "Master", "DesiredVolume": "101"], 601),
    ("SetVolume", ["Channel": "Rear", "DesiredVolume": "1"], 703), ("GetMute", ["Channel": ""], 703),
    ("GetVolume", ["Channel": "Master", "InstanceID": "7"], 702),
    ("SelectPreset", ["PresetName": "Night"], 701),
    ("SetMute", ["Channel": "Master", "DesiredMute": "perhaps"], 402),
    ("GetLoudness", ["Channel": "Master"], 401),
  ])
  func faults(_ action: String, _ arguments: [String: String], _ code: Int) throws {
    #expect(try fault(action, arguments) == code)
  }

  /// The channels that each variable is evented for, in their order.
  private var channels: [[String?]] {
    let values = speaker.renderingControl.eventedValues()
    #expect(values.first == EventedValue(name: "PresetNameList", value: "FactoryDefaults"))
    return ["Mute", "Volume", "VolumeDB"].map { name in
      values.filter { $0.name == name }.map(\.channel)
    }
  }

  /// Some control points don't look at the channel: for them there is one volume, or the last one that is told.
  @Test func sidesThatSayNothingAreNotEvented() throws {
    #expect(channels == Array(repeating: ["Master"], count: 3))
    _ = try call("SetVolume", ["Channel": "Master", "DesiredVolume": "3"])
    _ = try call("SetMute", ["Channel": "Master", "DesiredMute": "1"])
    #expect(channels == Array(repeating: ["Master"], count: 3))
  }

  @Test(arguments: [
    ("SetVolume", ["Channel": "LF", "DesiredVolume": "50"], ["Channel": "LF", "DesiredVolume": "100"]),
    ("SetMute", ["Channel": "RF", "DesiredMute": "1"], ["Channel": "RF", "DesiredMute": "0"]),
  ])
  func sidesThatDifferComeBeforeTheMaster(
    _ action: String, _ there: [String: String], _ back: [String: String]
  ) throws {
    _ = try call(action, there)
    #expect(channels == Array(repeating: ["LF", "RF", "Master"], count: 3))
    #expect(speaker.renderingControl.eventedValues().last?.channel == "Master")
    // Whoever has seen them differ is told that they don't any more.
    _ = try call(action, back)
    #expect(channels == Array(repeating: ["LF", "RF", "Master"], count: 3))
    #expect(speaker.evented(speaker.renderingControl, "Volume", channel: "LF") == "100")
    #expect(speaker.evented(speaker.renderingControl, "Mute", channel: "RF") == "0")
  }

  /// What a control point makes of 0 - 1.
  @Test(arguments: ["65535", "255", "4294967295", "-1"]) func anUnderflowIsNoVolume(_ value: String) throws {
    #expect(try fault("SetVolume", ["Channel": "Master", "DesiredVolume": value]) == 601)
    #expect(try call("GetVolume", ["Channel": "Master"]) == ["CurrentVolume": "40"])
  }
}
