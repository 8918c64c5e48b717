import SeededRandom
import Testing

@testable import Rooms

/// When a sound device lets be heard what, from readings that err.
@Suite struct DeviceLineTests {
  private static let second: Int64 = 1_000_000_000

  /// A device with a clock of its own. Times are nanoseconds.
  struct Rig {
    static let start: Int64 = 7000 * second
    var line: DeviceLine
    var random: SeededRandom
    var rate: Double
    /// What was heard at ``start``.
    var heard: Double = 2e9
    var now = start
    /// What a reading is wrong by.
    var noise: (inout SeededRandom) -> Double = { _ in 0 }

    init(
      _ kind: DeviceLine.Kind, rate: Double, seed: UInt64 = 1,
      noise: @escaping (inout SeededRandom) -> Double
    ) {
      line = DeviceLine(kind: kind)
      random = SeededRandom(seed: seed)
      (self.rate, self.noise) = (rate, noise)
    }

    func truth(_ monotonic: Int64) -> Int64 {
      Int64(heard + Double(monotonic - Self.start) * (1 + rate))
    }

    mutating func read() {
      now += 50_000_000 + Int64.random(in: -2_000_000...2_000_000, using: &random)
      line.add(monotonic: now, running: truth(now) + Int64(noise(&random)))
    }

    /// By how much the line is wrong about what will be heard soon.
    var error: Int64? {
      let soon = now + 130_000_000
      return line.running(at: soon).map { $0 - truth(soon) }
    }

    /// Reads for so long, and says what the errors were.
    mutating func run(seconds: Int) -> [Int64] {
      (0..<seconds * 20).compactMap { _ in
        read()
        return error
      }
    }
  }

  struct Device: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var kind: DeviceLine.Kind
    /// p95 allowed between 1 and 5 s, and from 20 s on, in nanoseconds.
    var limits: (young: Int64, old: Int64)
    var noise: @Sendable (inout SeededRandom) -> Double
  }

  static let devices = [
    Device(testDescription: "system clock", kind: .exact, limits: (20_000, 10_000)) {
      Double.random(in: -25e3...25e3, using: &$0)
    },
    Device(testDescription: "ALSA", kind: .lagging, limits: (150_000, 30_000)) {
      -Double.random(in: 0...1e6, using: &$0)
    },
    Device(testDescription: "ALSA, one reading of 50 a period late", kind: .lagging, limits: (60_000, 10_000))
    {
      Int.random(in: 0..<50, using: &$0) == 0 ? -10e6 : -Double.random(in: 0...1e5, using: &$0)
    },
    Device(testDescription: "ALSA, pointers of 5 ms", kind: .lagging, limits: (600_000, 100_000)) {
      -Double.random(in: 0...5e6, using: &$0)
    },
    Device(testDescription: "Pulse", kind: .noisy, limits: (180_000, 80_000)) {
      Double.random(in: -0.5e6...0.5e6, using: &$0)
    },
    Device(testDescription: "Pulse, with outliers", kind: .noisy, limits: (180_000, 80_000)) {
      Int.random(in: 0..<50, using: &$0) == 0 ? 8e6 : Double.random(in: -0.3e6...0.3e6, using: &$0)
    },
  ]

  @Test(arguments: devices, [-100e-6, 0, 100e-6]) func theLineIsFound(_ device: Device, _ rate: Double) {
    var (young, old): ([Int64], [Int64]) = ([], [])
    for seed in 1...2 as ClosedRange<UInt64> {
      var rig = Rig(device.kind, rate: rate, seed: seed, noise: device.noise)
      _ = rig.run(seconds: 1)
      young += rig.run(seconds: 4)
      _ = rig.run(seconds: 15)
      old += rig.run(seconds: 30)
      #expect(rig.line.restarts == 0)
      #expect(abs(rig.line.rate - 1 - rate) < 20e-6)
    }
    #expect(p95(young) < device.limits.young)
    #expect(p95(old) < device.limits.old)
  }

  @Test(arguments: [(DeviceLine.Kind.exact, 2), (.lagging, 5), (.noisy, 13)])
  func itIsKnownSoon(_ kind: DeviceLine.Kind, _ readings: Int) {
    var rig = Rig(kind, rate: 0) { _ in 0 }
    for reading in 1...readings {
      #expect(rig.line.running(at: rig.now) == nil && rig.line.monotonic(running: 5) == nil, "\(reading)")
      rig.read()
    }
    if kind != .exact { rig.read() }
    #expect(rig.line.isKnown && abs(rig.error ?? .max) < 1000)
  }

  @Test func bothDirectionsAgree() {
    var rig = Rig(.lagging, rate: 80e-6, noise: { -Double.random(in: 0...1e5, using: &$0) })
    _ = rig.run(seconds: 20)
    for distance in stride(from: -5 * Self.second, to: 5 * Self.second, by: 123_456_789) {
      let running = rig.line.running(at: rig.now + distance) ?? 0
      #expect(abs((rig.line.monotonic(running: running) ?? 0) - rig.now - distance) <= 2)
    }
  }

  /// A device that has run dry goes on later, or was ahead.
  @Test(arguments: devices, [-8e6, 8e6, 500e6]) func jumpsAreNoticed(_ device: Device, _ jump: Double) {
    var rig = Rig(device.kind, rate: 40e-6, noise: device.noise)
    _ = rig.run(seconds: 12)
    rig.heard += jump
    _ = rig.run(seconds: 3)
    #expect((1...2).contains(rig.line.restarts))
    #expect(p95(rig.run(seconds: 5)) < device.limits.young * 2)
    _ = rig.run(seconds: 12)
    #expect(p95(rig.run(seconds: 5)) < device.limits.old * 2)
    #expect(rig.line.restarts <= 2)
  }

  @Test func threeReadingsSayThatItJumped() {
    var rig = Rig(.lagging, rate: 0, noise: { -Double.random(in: 0...1e5, using: &$0) })
    _ = rig.run(seconds: 5)
    rig.heard -= 5e6
    for _ in 0..<2 {
      rig.read()
      #expect(rig.line.restarts == 0)
    }
    rig.read()
    #expect(rig.line.restarts == 1 && abs(rig.error ?? .max) < 200_000)
  }

  @Test func aSmallJumpOfAnExactClockIsNoticed() {
    var rig = Rig(.exact, rate: 50e-6, noise: { Double.random(in: -20e3...20e3, using: &$0) })
    _ = rig.run(seconds: 20)
    rig.heard += 0.4e6
    for _ in 0..<3 { rig.read() }
    #expect(rig.line.restarts == 1 && abs(rig.error ?? .max) < 30_000)
  }

  @Test func theRateOutlivesAReset() {
    var rig = Rig(.noisy, rate: 90e-6, noise: { Double.random(in: -0.3e6...0.3e6, using: &$0) })
    _ = rig.run(seconds: 60)
    rig.line.reset()
    #expect(!rig.line.isKnown && abs(rig.line.rate - 1 - 90e-6) < 5e-6)
    rig.heard = 0
    _ = rig.run(seconds: 1)
    #expect(p95(rig.run(seconds: 4)) < 150_000)
  }

  @Test func whatCantBeIsIgnored() {
    var rig = Rig(.exact, rate: 0) { _ in 0 }
    _ = rig.run(seconds: 5)
    let before = rig.error
    for (monotonic, running) in [(rig.now, 0), (0, 0), (-1, 5), (rig.now + 1, -1), (.max, 0), (.max, .max)]
      as [(Int64, Int64)]
    {
      rig.line.add(monotonic: monotonic, running: running)
    }
    #expect(rig.error == before)
    // Wild readings, and wild questions.
    for kind in [DeviceLine.Kind.exact, .lagging, .noisy] {
      var line = DeviceLine(kind: kind)
      for step in 1...2000 as ClosedRange<Int64> {
        let running = Int64.random(in: 0...(1 << 62), using: &rig.random)
        line.add(monotonic: step * 50_000_000, running: running)
        _ = line.running(at: .max)
        _ = line.monotonic(running: .min)
      }
    }
  }
}
