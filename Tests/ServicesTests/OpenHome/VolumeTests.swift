import Player
import Testing

@testable import Services

@Suite struct VolumeTests {
  private let speaker = Speaker()

  private func value(_ name: String) -> Int? { speaker.evented(speaker.volume, name).flatMap { Int($0) } }
  private func set(_ action: String, _ value: Int) throws -> Int? {
    try speaker.fault(speaker.volume, action, ["Value": String(value)])
  }

  @Test func characteristics() throws {
    #expect(
      try speaker.call(speaker.volume, "Characteristics") == [
        "VolumeMax": "100", "VolumeUnity": "100", "VolumeSteps": "100", "VolumeMilliDbPerStep": "369",
        "BalanceMax": "\(Volume.balanceMax)", "FadeMax": "0",
      ])
    let even = Speaker(configuration: PlayerConfiguration(volumeCurve: .decibel(range: 50)))
    #expect(even.evented(even.volume, "VolumeMilliDbPerStep") == "512")
  }

  @Test func oneVolumeForBoth() throws {
    #expect(try set("SetVolume", 30) == nil)
    #expect(value("Volume") == 30)
    #expect(speaker.evented(speaker.renderingControl, "Volume", channel: "Master") == "30")
    try speaker.call(speaker.renderingControl, "SetVolume", ["Channel": "Master", "DesiredVolume": "31"])
    try speaker.call(speaker.renderingControl, "SetMute", ["Channel": "Master", "DesiredMute": "1"])
    #expect(value("Volume") == 31)
    #expect(value("Mute") == 1)
  }

  @Test func tooMuchIsTheMaximumUnlessItIsThere() throws {
    #expect(try set("SetVolume", 99) == nil)
    #expect(try set("SetVolume", 101) == nil)
    #expect(value("Volume") == 100)
    #expect(try set("SetVolume", 100) == nil)
    #expect(try set("SetVolume", 101) == 811)
    #expect(try set("SetVolumeNoUnmute", 4_294_967_295) == 811)
  }

  /// What a control point makes of 0 - 1 in 8, 16 and 32 bits would be full volume.
  @Test(arguments: [255, 65_535, 2_147_483_648, 4_294_967_295, 201])
  func anUnderflowIsNoVolume(_ wrong: Int) throws {
    #expect(try set("SetVolume", 0) == nil)
    for action in ["SetVolume", "SetVolumeNoUnmute"] {
      #expect(try set(action, wrong) == 811)
      #expect(value("Volume") == 0)
    }
    try speaker.call(speaker.volume, "SetMute", ["Value": "1"])
    #expect(try set("SetVolume", wrong) == 811)
    #expect(value("Mute") == 1, "what is refused doesn't unmute")
    #expect(try set("SetVolume", 200) == nil)
    #expect(value("Volume") == 100, "a step too far from near the top is meant")
  }

  @Test func theLimitHoldsWithoutFault() throws {
    let speaker = Speaker(configuration: PlayerConfiguration(volumeLimit: 60))
    #expect(speaker.evented(speaker.volume, "VolumeLimit") == "60")
    for value in ["70", "100", "101", "70"] {
      #expect(try speaker.fault(speaker.volume, "SetVolume", ["Value": value]) == nil)
      #expect(speaker.evented(speaker.volume, "Volume") == "60")
    }
    #expect(try speaker.fault(speaker.volume, "VolumeInc") == nil)
    #expect(speaker.evented(speaker.volume, "Volume") == "60")
  }

  @Test(arguments: [
    ("SetVolume", "0"), ("VolumeInc", "0"), ("VolumeDec", "0"), ("SetVolumeNoUnmute", "1"),
    ("VolumeIncNoUnmute", "1"), ("VolumeDecNoUnmute", "1"),
  ])
  func unmuting(_ action: String, _ muted: String) throws {
    try speaker.call(speaker.volume, "SetMute", ["Value": "1"])
    try speaker.call(speaker.volume, action, ["Value": "20"])
    #expect(speaker.evented(speaker.volume, "Mute") == muted)
  }

  @Test func stepsEndAtTheEnds() throws {
    #expect(try set("SetVolume", 1) == nil)
    for volume in [0, 0] {
      #expect(try speaker.fault(speaker.volume, "VolumeDec") == nil)
      #expect(value("Volume") == volume)
    }
    #expect(try set("SetVolume", 99) == nil)
    for volume in [100, 100] {
      #expect(try speaker.fault(speaker.volume, "VolumeInc") == nil)
      #expect(value("Volume") == volume)
    }
  }

  @Test func balance() throws {
    let maximum = Volume.balanceMax
    #expect(try set("SetBalance", maximum) == nil)
    #expect(value("Balance") == maximum)
    #expect(try set("SetBalance", maximum + 1) == 812)
    #expect(try set("SetBalance", -maximum - 1) == 812)
    #expect(try speaker.fault(speaker.volume, "BalanceInc") == nil)
    #expect(value("Balance") == maximum)
    #expect(try set("SetBalance", -1) == nil)
    try speaker.call(speaker.volume, "BalanceDec")
    #expect(value("Balance") == -2)
    guard case .setGain(let left, let right)? = speaker.output.requests.last else {
      Issue.record("no gain was set")
      return
    }
    #expect(left > right)
  }

  @Test func thereIsNoFade() throws {
    #expect(try set("SetFade", 0) == 801)
    #expect(try speaker.fault(speaker.volume, "FadeInc") == 801)
    #expect(try speaker.fault(speaker.volume, "FadeDec") == 801)
    #expect(value("Fade") == 0)
    #expect(value("UnityGain") == 0)
  }

  @Test func offsetsAndTrim() throws {
    let arguments = ["Channel": "left", "VolumeOffsetBinaryMilliDb": "-1024", "TrimBinaryMilliDb": "512"]
    #expect(try speaker.fault(speaker.volume, "SetVolumeOffset", arguments) == nil)
    #expect(try speaker.fault(speaker.volume, "SetTrim", arguments) == nil)
    #expect(
      try speaker.call(speaker.volume, "VolumeOffset", arguments)["VolumeOffsetBinaryMilliDb"] == "-1024")
    #expect(try speaker.call(speaker.volume, "Trim", arguments)["TrimBinaryMilliDb"] == "512")
    #expect(
      speaker.evented(speaker.volume, "VolumeOffsets")
        == "[{\"channel\":\"Left\",\"offset\":-1024},{\"channel\":\"Right\",\"offset\":0}]")
    let bounds = "\"min\":-12288,\"max\":12288"
    #expect(
      speaker.evented(speaker.volume, "Trim")
        == "[{\"channel\":\"Left\",\(bounds),\"trim\":512},{\"channel\":\"Right\",\(bounds),\"trim\":0}]")
    #expect(value("VolumeOffsetMax") == Volume.offsetRange.upperBound)
  }

  @Test(arguments: [
    ("VolumeOffset", "Rear", "0", 816), ("SetVolumeOffset", "Rear", "0", 816), ("Trim", "", "0", 816),
    ("SetTrim", "Master", "0", 816), ("SetVolumeOffset", "Left", "99999", 817),
    ("SetTrim", "Right", "-99999", 819),
  ])
  func offsetsRefused(_ action: String, _ channel: String, _ value: String, _ code: Int) throws {
    let arguments = ["Channel": channel, "VolumeOffsetBinaryMilliDb": value, "TrimBinaryMilliDb": value]
    #expect(try speaker.fault(speaker.volume, action, arguments) == code)
  }
}
