import Testing

@testable import Rooms

/// When packets leave, by what the device plays.
@Suite struct SenderPaceTests {
  private static let millisecond: Int64 = 1_000_000
  private static let start: Int64 = 5_000_000_000_000

  /// A device that plays `ppm` millionths too fast since ``start``, asked every 50 ms up to `now`.
  private func pace(ppm: Double = 0, until now: Int64, session: Int = 1) -> SenderPace {
    var pace = SenderPace(latency: 300 * Self.millisecond, epoch: 7)
    var time = Self.start
    while time <= now {
      #expect(pace.wantsReading(at: time))
      pace.take(reading(at: time, ppm, session), at: time)
      time += 50 * Self.millisecond
    }
    return pace
  }

  private func reading(at time: Int64, _ ppm: Double, _ session: Int) -> DeviceReading {
    let running = Double(time - Self.start) * (1 + ppm / 1e6)
    return DeviceReading(running: Int64(running), monotonic: time, kind: .exact, session: session)
  }

  private func block(_ running: Int64) -> SenderBlock {
    SenderBlock(
      running: running, play: 1, media: 0, rate: 44100, channels: 2, bitDepth: 16, samples: 220, sound: [])
  }

  @Test func aPacketLeavesOneLatencyBeforeItIsHeard() {
    let now = Self.start + 1000 * Self.millisecond
    var pace = pace(until: now)
    #expect(abs(pace.limit(at: now) - 1300 * Self.millisecond) < 1000)
    pace.wait(for: 1310 * Self.millisecond)
    let deadline = pace.deadline ?? 0
    #expect(abs(deadline - (now + 10 * Self.millisecond)) < 1000)
  }

  @Test func nothingLeavesBeforeTheDeviceIsKnown() {
    var pace = SenderPace(latency: 300 * Self.millisecond)
    #expect(pace.limit(at: Self.start) == .min)
    #expect(pace.anchor(at: Self.start).heard == nil)
    pace.take(nil, at: Self.start)
    #expect(pace.limit(at: Self.start) == .min)
    #expect(pace.anchor(at: Self.start).isPaused)
  }

  @Test func theAnchorSaysWhenAFrameIsHeard() throws {
    let now = Self.start + 10_000 * Self.millisecond
    var pace = pace(ppm: 50, until: now)
    for number in 0..<60 {
      let running = Int64(10_000 + number * 5) * Self.millisecond
      pace.sent(block(running), frame: UInt32(number), at: now)
    }
    let anchor = pace.anchor(at: now)
    let heard = try #require(anchor.heard)
    // Half a latency ahead: everybody has that frame.
    let running = Int64(10_000 + Int(anchor.frame) * 5) * Self.millisecond
    #expect(abs(running - 10_150 * Self.millisecond) <= 6 * Self.millisecond)
    let expected = Self.start + Int64(Double(running) / (1 + 50e-6))
    #expect(abs(heard - expected) < 20_000)
    #expect(abs(Int(anchor.rate) - 50_000) < 5000)
    #expect(anchor.isMeasured && !anchor.isPaused)
  }

  @Test func anotherSessionForgetsWhatWasSent() {
    let now = Self.start + 1000 * Self.millisecond
    var pace = pace(until: now)
    pace.sent(block(1300 * Self.millisecond), frame: 3, at: now)
    let before = pace.anchor(at: now).epoch
    let later = now + 50 * Self.millisecond
    pace.take(DeviceReading(running: 0, monotonic: later, kind: .exact, session: 2), at: later)
    #expect(pace.session == 2)
    #expect(pace.anchor(at: later).heard == nil)
    #expect(pace.anchor(at: later).epoch != before)
    #expect(pace.stamp(rate: 44100) == nil)
  }

  @Test func aDeviceThatDoesNotPlayIsLeftAloneSoon() {
    var pace = pace(until: Self.start + 500 * Self.millisecond)
    var time = Self.start + 550 * Self.millisecond
    var readings = 0
    while pace.wantsReading(at: time), readings < 1000 {
      pace.take(nil, at: time)
      readings += 1
      time += 50 * Self.millisecond
    }
    #expect((50...70).contains(readings))
    #expect(pace.deadline == nil)
    // Until something happens.
    pace.changed(at: time)
    #expect(pace.deadline == time + 50 * Self.millisecond)
  }

  @Test func stampsAreTicksOfTheDevice() throws {
    let now = Self.start + 1000 * Self.millisecond
    var pace = pace(until: now)
    #expect(pace.stamp(rate: 44100) == nil)
    pace.sent(block(1300 * Self.millisecond), frame: 0, at: now)
    let first = try #require(pace.stamp(rate: 44100))
    pace.sent(block(1305 * Self.millisecond), frame: 1, at: now + 5 * Self.millisecond)
    let second = try #require(pace.stamp(rate: 44100))
    #expect(abs(Int(second &- first) - 256 * 441 / 2) <= 2)
    #expect(pace.latencyTicks(rate: 48000) == 256 * 14400)
    pace.halted()
    #expect(pace.stamp(rate: 44100) == nil)
  }

  @Test func whatCannotBeHeardInTimeIsTooLate() {
    let now = Self.start + 1000 * Self.millisecond
    let pace = pace(until: now)
    #expect(!pace.isTooLate(block(1200 * Self.millisecond), at: now))
    #expect(pace.isTooLate(block(1010 * Self.millisecond), at: now))
  }
}

/// For whom a device that starts waits.
@Suite struct ListenerWaitsTests {
  private static let second: Int64 = 1_000_000_000
  private let room = IPv4Endpoint(address: 0xc000_0207, port: 5000)

  private func said(_ state: RoomReport.State, at time: Int64) -> [RoomTimeHost.Member] {
    var host = RoomTimeHost()
    let request = RoomTimeRequest(nonce: 1, report: RoomReport(state: state))
    _ = host.reply(
      to: request.bytes[...], from: room, arrival: time, at: time, isMember: true,
      anchor: RoomAnchor(
        epoch: 0, frame: 0, heard: nil, rate: 0, isMeasured: true, isPaused: false, httpPort: 0))
    return host.members
  }

  @Test func aRoomThatJoinsIsWaitedForUntilItIsReady() {
    var waits = ListenerWaits()
    _ = waits.update([room], [], at: 0)
    #expect(waits.until == 400_000_000)
    _ = waits.update([room], said(.joining, at: 100_000_000), at: 100_000_000)
    #expect(waits.until == 2 * Self.second)
    let isNew = waits.update([room], said(.ready, at: 300_000_000), at: 300_000_000)
    #expect(isNew)
    #expect(waits.until == nil)
    let isNewer = waits.update([room], said(.ready, at: 400_000_000), at: 400_000_000)
    #expect(!isNewer)
  }

  @Test func nobodyIsWaitedForLongerThanTwoSeconds() {
    var waits = ListenerWaits()
    _ = waits.update([room], said(.joining, at: 0), at: 0)
    #expect(waits.until == 2 * Self.second)
    _ = waits.update([room], said(.joining, at: 3 * Self.second), at: 3 * Self.second)
    #expect(waits.until == nil)
  }

  @Test func aForeignReceiverIsNotWaitedFor() {
    var waits = ListenerWaits()
    _ = waits.update([room], [], at: 0)
    _ = waits.update([room], [], at: 500_000_000)
    #expect(waits.until == nil)
  }

  @Test func whoJoinsAndLeavesAllTheTimeStopsNothing() {
    var waits = ListenerWaits()
    var waited = 0
    for step in 0..<100 {
      let now = Int64(step) * Self.second / 10
      let comes = step % 4 < 2
      _ = waits.update(comes ? [room] : [], comes ? said(.joining, at: now) : [], at: now)
      waited += (waits.until ?? 0) > now ? 1 : 0
    }
    #expect(waited < 40, "of ten seconds, two are waited, and a fifth of the rest")
    _ = waits.update([], [], at: 30 * Self.second)
    _ = waits.update([room], said(.joining, at: 30 * Self.second), at: 30 * Self.second)
    #expect(waits.until == 32 * Self.second, "later it is waited for again")
  }

  @Test func whoLeavesIsForgotten() {
    var waits = ListenerWaits()
    _ = waits.update([room], [], at: 0)
    _ = waits.update([], [], at: 100)
    #expect(waits.until == nil)
    // Who comes again is new.
    _ = waits.update([room], [], at: Self.second)
    #expect(waits.until == Self.second + 400_000_000)
  }
}
