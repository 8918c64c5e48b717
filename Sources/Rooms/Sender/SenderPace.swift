/// When which packet leaves, by what the device plays. Pure; times are nanoseconds of the monotonic clock.
public struct SenderPace: Sendable {
  /// The device is asked so often.
  private static let readingPause: Int64 = 50_000_000
  /// A device that doesn't play is asked for so long after something has happened.
  private static let patience: Int64 = 3_000_000_000
  /// Room for half a second of packets: their numbers are told with the time.
  private static let mostFrames = 128

  private struct Sent {
    var frame: UInt32
    var running: Int64
  }

  public let latency: Int64
  private var line: DeviceLine?
  private var kind = DeviceClockKind.exact
  public private(set) var session = 0
  /// What is added to running time, so that stamps go on when that begins anew.
  private var base: Int64 = 0
  private var nextReading: Int64 = 0
  private var lastSign: Int64 = 0
  private var isStopped = true
  /// Since when the device plays.
  private var playsSince: Int64?
  private var nextPacket: Int64?
  /// When the packet before was sent, as running time; nil: nothing to refer to.
  private var lastSent: Int64?
  private var sent: [Sent] = []
  private var epoch: UInt32

  public init(latency: Int64, epoch: UInt32 = .random(in: 0...0xffff)) {
    self.latency = latency
    self.epoch = epoch
  }

  // MARK: The device

  public func wantsReading(at now: Int64) -> Bool { now >= nextReading }

  /// The device has been asked; nil: it doesn't play.
  public mutating func take(_ reading: DeviceReading?, at now: Int64) {
    nextReading = now + Self.readingPause
    guard let reading else {
      stop(at: now)
      return
    }
    lastSign = now
    if reading.session != session {
      forgetDevice()
      (session, playsSince) = (reading.session, nil)
    }
    let since = playsSince ?? now
    (playsSince, isStopped) = (since, false)
    guard now &- since >= DeviceLine.settling else { return }
    if line == nil || reading.kind != kind { begin(reading) }
    line?.add(monotonic: reading.monotonic, running: reading.running)
  }

  private mutating func begin(_ reading: DeviceReading) {
    line = DeviceLine(kind: reading.kind.line)
    kind = reading.kind
    base = reading.monotonic - reading.running
    forget()
  }

  private mutating func stop(at now: Int64) {
    if line != nil { forgetDevice() }
    (playsSince, isStopped) = (nil, true)
    if now - lastSign > Self.patience { nextReading = .max }
  }

  private mutating func forgetDevice() {
    forget()
    line = nil
  }

  private mutating func forget() {
    epoch &+= 1
    sent = []
    lastSent = nil
    nextPacket = nil
  }

  // MARK: Packets

  /// What is heard before this running time is to be sent now.
  public func limit(at now: Int64) -> Int64 {
    line?.running(at: now).map { $0 &+ latency } ?? .min
  }

  /// The next packet is heard at this running time.
  public mutating func wait(for running: Int64) {
    nextPacket = line?.monotonic(running: running).map { $0 &- latency }
  }

  /// Something has changed: the device may be about to play.
  public mutating func changed(at now: Int64) {
    lastSign = now
    nextReading = min(nextReading, now + Self.readingPause)
  }

  public mutating func waitForMore() { nextPacket = nil }

  /// Less than a tenth of the time to play is left.
  public func isTooLate(_ block: SenderBlock, at now: Int64) -> Bool {
    line?.monotonic(running: block.running).map { $0 &- now < latency / 10 } ?? true
  }

  public mutating func sent(_ block: SenderBlock, frame: UInt32, at now: Int64) {
    lastSign = now
    lastSent = line?.running(at: now)
    sent.append(Sent(frame: frame, running: block.running))
    if sent.count > Self.mostFrames { sent.removeFirst(sent.count - Self.mostFrames) }
  }

  public mutating func halted() {
    epoch &+= 1
    lastSent = nil
    sent = []
  }

  /// When the packet before was sent, in ticks of the device's own clock.
  public func stamp(rate: Int) -> UInt32? {
    lastSent.map { UInt32(truncatingIfNeeded: SampleClock.ticks(nanoseconds: $0 &+ base, rate: rate)) }
  }

  public func latencyTicks(rate: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: SampleClock.ticks(nanoseconds: latency, rate: rate))
  }

  /// When something is to be done; nil while the device doesn't play.
  public var deadline: Int64? {
    let reading = nextReading == .max ? nil : nextReading
    return [reading, nextPacket].compactMap(\.self).min()
  }

  // MARK: Time

  /// When a frame that every listener should have is heard here: one that was sent half of the latency ago.
  public func anchor(at now: Int64) -> RoomAnchor {
    let middle = line?.running(at: now &+ latency / 2)
    let frame = middle.flatMap { middle in sent.last { $0.running <= middle } ?? sent.first }
    let heard = frame.flatMap { line?.monotonic(running: $0.running) }
    let rate = line.map { ($0.rate - 1) * 1e9 } ?? 0
    return RoomAnchor(
      epoch: epoch, frame: frame?.frame ?? 0, heard: heard,
      rate: Int32(max(min(rate, 1e6), -1e6)), isMeasured: kind != .unmeasured, isPaused: isStopped,
      httpPort: 0)
  }
}
