import Player
import SeededRandom
import Testing

@testable import GStreamerOutput

/// Requests, failures, devices and time in any order: whatever comes, the player is told what is true, and in the end
/// nothing is left.
@Suite struct EngineMachineScheduleTests {
  private static let schedules = 2400
  private static let groups = 24

  @Test(arguments: 0..<groups) func anySchedule(_ group: Int) {
    for number in 0..<(Self.schedules / Self.groups) {
      let seed = UInt64(group * 1000 + number)
      let faults = Self.play(seed)
      #expect(faults == [], "seed \(seed)")
      if !faults.isEmpty { return }
    }
  }

  /// Returns what is wrong.
  private static func play(_ seed: UInt64) -> [String] {
    var dice = SeededRandom(seed: seed)
    let outputs = ["alsa", "auto", "file:/a.wav"]
    let rig = EngineRig(
      outputs[dice.roll(3)], releaseAfter: dice.isOne(of: 4) ? .zero : .milliseconds(800))
    var shapes = SeededRandom(seed: seed ^ 0xffff)
    rig.sound.isSending = shapes.isOne(of: 2)
    rig.sound.shape = { track in
      track.frames = [0, 1, 300, 1000, 4000][shapes.roll(5)]
      if !track.isConverted, shapes.isOne(of: 4) { track.format = FakeSound.other }
      track.seeks = !shapes.isOne(of: 4)
      track.refusesSeeks = shapes.isOne(of: 8)
      track.beginsAnew = shapes.isOne(of: 8)
      track.isSilent = shapes.isOne(of: 8)
      track.isEndless = shapes.isOne(of: 10)
      track.changesLoudness = shapes.isOne(of: 4)
    }
    rig.sound.failure = { wanted in
      wanted.uri.hasSuffix("bad") ? PlaybackFailure(.refusedURI, "It is refused.") : nil
    }
    for _ in 0..<40 {
      step(rig, &dice)
      rig.pass([0, 10, 40, 200, 1000, 5000][dice.roll(6)])
      if !rig.faults.isEmpty { return rig.faults }
    }
    rig.finish()
    return rig.faults
  }

  private static func step(_ rig: EngineRig, _ dice: inout SeededRandom) {
    let uris = ["http://host/a", "http://host/b", "file:///c", "http://host/bad"]
    let id = rig.current ?? PlayID(9999)
    let serials = rig.sound.tracks.keys.sorted()
    let track = serials.isEmpty ? nil : rig.sound.tracks[serials[dice.roll(serials.count)]]
    switch dice.roll(20) {
    case 0, 1:
      rig.start(uris[dice.roll(4)], at: .milliseconds(dice.roll(3) * 250), paused: dice.isOne(of: 4))
    case 2, 3: rig.setNext(uris[dice.roll(4)])
    case 4: rig.perform(.setNext(nil))
    case 5: rig.perform(.pause(id))
    case 6: rig.perform(.resume(id))
    case 7: rig.perform(.seek(id, .milliseconds(dice.roll(1500))))
    case 8: if dice.isOne(of: 3) { rig.perform(.stop) }
    case 9: rig.perform(dice.isOne(of: 2) ? .release : .prepare(Media(uri: uris[dice.roll(4)])))
    case 10: rig.perform(.setGain(left: Double(dice.roll(3)) / 2, right: 1))
    case 11, 12:
      let fault: DeviceRecovery.Fault = dice.isOne(of: 2) ? .absent : .unusable
      rig.send(rig.sound.loseDevice(dice.isOne(of: 4) ? nil : .unusable(fault, "it is gone")))
    case 13, 14: rig.send(rig.sound.findDevice())
    case 15: rig.sound.refuses = dice.isOne(of: 2)
    case 16: track?.isSilent.toggle()
    case 17:
      track?.isFlushing = dice.isOne(of: 2)
      track?.awaitsEnd = dice.isOne(of: 3)
      if let track, !track.awaitsEnd { rig.send(.notice(.oggEnd(track.wanted.serial, .unknowable))) }
    case 18:
      guard let track else { return }
      let reports: [ErrorReport] = [
        .made(httpStatus: 404), .made(httpStatus: 503), .made(isFromSource: true), .made(), .refusesRange,
      ]
      rig.send(.track(track.wanted.serial, .failed(reports[dice.roll(reports.count)])))
    default:
      guard let track else { return }
      let serial = track.wanted.serial
      switch dice.roll(4) {
      case 0:
        rig.send(.track(serial, .answered(ServerAnswer(status: 200, fields: [("icy-name", "a station")]))))
      case 1: rig.send(.track(serial, .tags(TagUpdate(title: "\(dice.roll(3))", bitRate: 128_000))))
      case 2: rig.send(.track(serial, .durationChanged))
      default: rig.send(.device(.clockLost))
      }
    }
  }
}

extension SeededRandom {
  fileprivate mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &self) }
  fileprivate mutating func isOne(of sides: Int) -> Bool { roll(sides) == 0 }
}
