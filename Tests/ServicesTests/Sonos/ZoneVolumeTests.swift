import Player
import Testing
import UPnP

@testable import Services

@Suite struct ZoneVolumeTests {
  private let zone = ZoneSpeaker()

  private func volume(_ channel: String = "Master") async throws -> String? {
    try await zone.call(zone.rendering, "GetVolume", ["Channel": channel])["CurrentVolume"]
  }

  private func set(_ volume: Int, _ channel: String = "Master") async throws {
    try await zone.call(zone.rendering, "SetVolume", ["Channel": channel, "DesiredVolume": String(volume)])
  }

  @Test func everyVolumeReadsBack() async throws {
    for channel in ["Master", "LF", "RF"] {
      for step in [0, 1, 17, 50, 99, 100] {
        try await set(step, channel)
        #expect(try await volume(channel) == String(step))
      }
    }
    try await set(300)
    #expect(try await volume() == "100")
  }

  @Test func relativeVolumeIsClamped() async throws {
    try await set(20)
    func move(_ by: Int) async throws -> String? {
      try await zone.call(
        zone.rendering, "SetRelativeVolume", ["Channel": "Master", "Adjustment": String(by)])["NewVolume"]
    }
    #expect(try await move(5) == "25")
    #expect(try await move(-100) == "0")
    #expect(try await move(1000) == "100")
    #expect(try await move(Int(Int32.min)) == "0")
  }

  @Test func muteIsSeparate() async throws {
    try await set(30)
    try await zone.call(zone.rendering, "SetMute", ["Channel": "Master", "DesiredMute": "true"])
    try await set(40)
    #expect(try await zone.call(zone.rendering, "GetMute", ["Channel": "Master"])["CurrentMute"] == "1")
    #expect(try await zone.call(zone.group, "GetGroupMute")["CurrentMute"] == "1")
  }

  @Test func toneReadsBack() async throws {
    for (set, get, argument, result) in [
      ("SetBass", "GetBass", "DesiredBass", "CurrentBass"),
      ("SetTreble", "GetTreble", "DesiredTreble", "CurrentTreble"),
    ] {
      for step in [-10, 0, 10] {
        try await zone.call(zone.rendering, set, [argument: String(step)])
        #expect(try await zone.call(zone.rendering, get)[result] == String(step))
      }
      #expect(try await zone.fault(zone.rendering, set, [argument: "11"]) == 601)
    }
    try await zone.call(zone.rendering, "SetLoudness", ["Channel": "Master", "DesiredLoudness": "0"])
    #expect(
      try await zone.call(zone.rendering, "GetLoudness", ["Channel": "Master"])["CurrentLoudness"] == "0")
    let reset = try await zone.call(zone.rendering, "ResetBasicEQ")
    #expect(
      reset == ["Bass": "0", "Treble": "0", "Loudness": "1", "LeftVolume": "100", "RightVolume": "100"])
    #expect(try await zone.call(zone.rendering, "GetBass")["CurrentBass"] == "0")
    #expect(zone.state.saved().zone == ZoneSettings())
  }

  @Test func noOtherEqualizer() async throws {
    #expect(try await zone.fault(zone.rendering, "GetEQ", ["EQType": "NightMode"]) == 402)
    #expect(try await zone.call(zone.rendering, "GetSupportsOutputFixed")["CurrentSupportsFixed"] == "0")
    #expect(try await zone.call(zone.rendering, "GetOutputFixed")["CurrentFixed"] == "0")
    let calibration = try await zone.call(zone.rendering, "GetRoomCalibrationStatus")
    #expect(Set(calibration.values) == ["0"])
  }

  @Test func theGroupIsTheZone() async throws {
    try await zone.call(zone.group, "SnapshotGroupVolume")
    try await zone.call(zone.group, "SetGroupVolume", ["DesiredVolume": "35"])
    #expect(try await volume() == "35")
    #expect(
      try await zone.call(zone.group, "SetRelativeGroupVolume", ["Adjustment": "-5"])["NewVolume"] == "30")
    #expect(zone.evented(zone.group, "GroupVolume") == "30")
    #expect(zone.evented(zone.group, "GroupVolumeChangeable") == "1")
  }

  @Test func eventsHaveAllChannels() async throws {
    let values = zone.rendering.eventedValues()
    #expect(values.filter { $0.name == "Volume" }.map(\.channel) == ["Master", "LF", "RF"])
    #expect(values.filter { $0.name == "Mute" }.map(\.channel) == ["Master", "LF", "RF"])
    #expect(zone.evented(zone.rendering, "Loudness", channel: "Master") == "1")
    #expect(zone.evented(zone.rendering, "Bass") == "0")
  }

  // MARK: Ramps

  private func ramp(_ type: String, to target: Int) async throws -> String? {
    try await zone.call(
      zone.rendering, "RampToVolume",
      [
        "Channel": "Master", "RampType": type, "DesiredVolume": String(target), "ResetVolumeAfter": "0",
        "ProgramURI": "",
      ])["RampTime"]
  }

  /// Lets the last wake-up happen; returns the time that it was asked for.
  private func wake() throws -> Duration? {
    let wakes = zone.speaker.effects.compactMap { effect -> (Duration, WakeID)? in
      if case .wake(let time, let id) = effect { (time, id) } else { nil }
    }
    guard let last = wakes.last else { return nil }
    try zone.speaker.player.change(.wake(last.1))
    return last.0
  }

  @Test func theVolumeMovesStepByStep() async throws {
    try await set(10)
    #expect(try await ramp("SLEEP_TIMER_RAMP_TYPE", to: 5) == "4")
    for step in [9, 8, 7, 6, 5, 5] {
      #expect(try wake() == .milliseconds(800))
      #expect(try await volume() == String(step))
    }
  }

  @Test func whoSetsTheVolumeEndsTheRamp() async throws {
    try await set(10)
    #expect(try await ramp("AUTOPLAY_RAMP_TYPE", to: 60) == "1")
    _ = try wake()
    try await set(3)
    _ = try wake()
    _ = try wake()
    #expect(try await volume() == "3")
  }

  @Test func anAlarmBeginsWithSilence() async throws {
    try await set(50)
    #expect(try await ramp("ALARM_RAMP_TYPE", to: 10) == "34")
    #expect(try await volume() == "0")
    #expect(try wake() == .milliseconds(30_400))
    #expect(try await volume() == "1")
  }
}
