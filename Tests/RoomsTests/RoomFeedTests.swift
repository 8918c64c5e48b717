import SeededRandom
import Testing

@testable import Rooms

/// What a receiver's device is given: each sample when it is due.
@Suite struct RoomFeedTests {
  static let second: Int64 = 1_000_000_000

  /// A sender, a network and a device, each with a clock.
  struct Rig {
    var feed = RoomFeed()
    var random = SeededRandom(seed: 3)
    /// How much faster the clocks run than the receiver's own.
    var senderRate = 0.0
    var deviceRate = 0.0
    /// Mean delay beside the shortest one, in nanoseconds.
    var jitter = 0.0
    /// Frames that never come.
    var lost: (UInt32) -> Bool = { _ in false }
    var frame: UInt32 = 0
    var played: Int64 = 0
    var begins: Int64 = 5 * second

    static func message(_ frame: UInt32) -> AudioMessage? {
      let isEven = frame % 2 == 0
      let start = UInt64(frame / 2) * 441 + (isEven ? 0 : 220)
      return Wire.message(frame: frame, samples: isEven ? 220 : 221, start: start, value: 1)
    }

    /// When the packet `frame` is sent, by the receiver's clock.
    func sent(_ frame: UInt32) -> Int64 { begins + Int64(Double(frame) * 5e6 / (1 + senderRate)) }

    /// Plays for so long; gives the errors in nanoseconds, as the feed reports them, of the last part.
    mutating func run(seconds: Int, last: Int) -> [Int64] {
      var errors: [Int64] = []
      let delay: (inout SeededRandom, Double) -> Int64 = { random, jitter in
        300_000 + Int64(-jitter * logarithm(Double.random(in: 0.0001...1, using: &random)))
      }
      var waiting: [(arrival: Int64, message: AudioMessage)] = []
      for block in 0..<seconds * 100 {
        // The device plays on, by its own clock.
        let soundsAt = begins + Int64(Double(played) / 44100 * 1e9 / (1 + deviceRate))
        let now = soundsAt - 130_000_000
        while sent(frame) <= now {
          if !lost(frame), let message = Self.message(frame) {
            waiting.append((sent(frame) + delay(&random, jitter), message))
          }
          frame += 1
        }
        for next in waiting.filter({ $0.arrival <= now }).sorted(by: { $0.arrival < $1.arrival }) {
          feed.add(next.message, arrival: next.arrival)
        }
        waiting.removeAll { $0.arrival <= now }
        guard let made = feed.render(soundsAt: soundsAt, frames: { $0 / 100 }) else {
          played += 441
          continue
        }
        played += Int64(made.values.count / made.channels)
        if block >= (seconds - last) * 100 { errors.append(feed.report.error) }
      }
      return errors
    }
  }

  private static func p95(_ errors: [Int64]) -> Int64 {
    let sizes = errors.map { abs($0) }.sorted()
    return sizes.isEmpty ? .max : sizes[sizes.count * 95 / 100]
  }

  @Test func onEqualClocksNothingIsLeft() {
    var rig = Rig()
    #expect(Self.p95(rig.run(seconds: 20, last: 10)) < 30_000)
    #expect(rig.feed.report.jumps == 0 && rig.feed.report.missing == 0)
  }

  @Test(arguments: [(50e-6, 0.0), (-50e-6, 0.0), (0.0, 50e-6), (0.0, -50e-6), (50e-6, -50e-6)])
  func clocksThatRunApartAreFollowed(_ rates: (sender: Double, device: Double)) {
    var rig = Rig()
    (rig.senderRate, rig.deviceRate) = rates
    #expect(Self.p95(rig.run(seconds: 60, last: 20)) < 100_000)
    #expect(rig.feed.report.jumps == 0)
  }

  @Test func delaysThatVaryAreRiddenOut() {
    var rig = Rig()
    rig.jitter = 5e6
    #expect(Self.p95(rig.run(seconds: 90, last: 30)) < 500_000)
    #expect(rig.feed.report.jumps == 0)
    #expect(rig.feed.report.missing == 0, "nothing is later than the latency")
  }

  @Test func whatIsMissingIsCountedAndLeavesTheRestInPlace() {
    var rig = Rig()
    rig.lost = { $0 % 100 == 50 }
    #expect(Self.p95(rig.run(seconds: 20, last: 10)) < 50_000)
    #expect((37 * 220...41 * 221).contains(rig.feed.report.missing))
  }

  /// Beyond 10 ms the sound is moved: it fades, and is then where it belongs.
  @Test(arguments: [60_000_000, -40_000_000] as [Int64]) func whatIsFarAwayJumps(_ shift: Int64) {
    var feed = RoomFeed()
    var frame: UInt32 = 0
    func block(at soundsAt: Int64) -> [Float] {
      while Int64(frame) * 5_000_000 <= soundsAt, let message = Rig.message(frame) {
        feed.add(message, arrival: Int64(frame) * 5_000_000)
        frame += 1
      }
      return feed.render(soundsAt: soundsAt, frames: { $0 / 100 })?.values ?? []
    }
    for number in 0..<300 { _ = block(at: Int64(number) * 10_000_000) }
    #expect(feed.report.jumps == 0)
    // From here on each block is heard at another time than the ones before say.
    var worst: Float = 0
    var last: Float?
    for number in 300..<400 {
      let values = block(at: Int64(number) * 10_000_000 + shift)
      for value in stride(from: 0, to: values.count, by: 2).map({ values[$0] }) {
        worst = max(worst, abs(value - (last ?? value)))
        last = value
      }
    }
    #expect(feed.report.jumps == 1)
    #expect(abs(feed.report.error) < 50_000, "it is where it belongs")
    let loudest = abs(block(at: 4_000_000_000 + shift).first ?? 0)
    #expect(worst < loudest / 20, "it faded")
  }

  @Test func nothingIsMadeBeforeSoundComesAndLongAfterAHalt() {
    var feed = RoomFeed()
    #expect(feed.render(soundsAt: 0) { $0 / 100 } == nil)
    for frame in 0..<10 as Range<UInt32> {
      if let message = Wire.message(frame: frame) { feed.add(message, arrival: Int64(frame) * 5_000_000) }
    }
    feed.halt()
    var blocks = 0
    while feed.render(soundsAt: Int64(blocks) * 10_000_000, frames: { $0 / 100 }) != nil, blocks < 1000 {
      blocks += 1
    }
    #expect((100...160).contains(blocks), "the sound, the latency, and a second more")
  }

  /// Senders may say anything of their samples.
  @Test func hostileNumbersDoNoHarm() {
    var random = SeededRandom(seed: 4)
    var feed = RoomFeed()
    for step in 0..<20_000 {
      let frame = UInt32.random(in: 0...(.max), using: &random)
      let start = UInt64.random(in: 0...(.max), using: &random)
      if let message = Wire.message(
        frame: frame, samples: Int.random(in: 0...300, using: &random), start: start)
      {
        feed.add(message, arrival: Int64.random(in: 0...(1 << 62), using: &random))
      }
      if step % 10 == 0 {
        _ = feed.render(soundsAt: Int64.random(in: 0...(1 << 62), using: &random)) { $0 / 100 }
      }
      if step % 100 == 0 { feed.halt() }
    }
  }
}
