/// What a receiver's sound device plays: the stream, each sample when it is due, and silence otherwise. Pure.
///
/// The device plays without a break. For each block the caller says when its first frame will sound; the feed puts the sound
/// there, plays a little faster or slower to stay there, and fills what is missing with silence of the same length. Times
/// are nanoseconds of this host's monotonic clock.
public struct RoomFeed: Sendable {
  /// Frames for the device.
  public struct Block: Sendable {
    /// Interleaved, -1...1.
    public var values: [Float]
    /// Frames per second.
    public var rate: Int
    public var channels: Int
  }

  /// How well it goes.
  public struct Report: Equatable, Sendable {
    /// By how much the sound comes too early, in nanoseconds; the median of the last moments.
    public var error: Int64 = 0
    /// 95 % of the errors of the last 10 s are at most so large, in nanoseconds.
    public var p95: Int64 = 0
    /// By how much the stream is played faster, in billionths.
    public var correction = 0
    /// Missing frames in the last 10 s, in thousandths.
    public var loss = 0
    /// How much sound waits to be played, in nanoseconds.
    public var buffered: Int64 = 0
    /// Frames that were played as silence because they were missing.
    public var missing = 0
    /// How often the sound was moved to where it should be, after the start.
    public var jumps = 0
  }

  private static let mostRuns = 3
  /// What has been played is kept for a tenth of a second.
  private static let keptPerSecond = 10
  /// Crystals aren't further apart: beyond this, what is known of two clocks is wrong.
  private static let mostKnown = 400e-6
  /// After this much silence behind a halt, the device isn't fed any more.
  private static let patience: Int64 = 1_000_000_000

  private var runs: [StreamRun] = []
  /// The next sample of the first run, once it plays.
  private var position: Double?
  private var servo = PlaybackServo()
  private var silentSince: Int64?
  /// The next message begins a run.
  private var beginsAnew = true
  public private(set) var report = Report()
  private var meter = FeedMeter()
  /// The sender may still tell its time: the first sound waits for that, within reason.
  public var awaitsTime = false
  /// When the first sound of a run was put off; nil: it wasn't.
  private var putOff: Int64?
  private static let mostPutOff: Int64 = 1_000_000_000

  /// What the loudspeakers play of a stream with two channels.
  public var channels = RoomChannels.stereo

  public init() {}

  /// The device was opened anew: what plays is put where it belongs once more.
  public mutating func deviceChanged() { position = nil }

  /// Whether sound is played now.
  public var isPlaying: Bool { position != nil }

  /// The sender says when a frame is heard there.
  public mutating func take(_ anchor: RoomAnchor, _ clock: RoomClock) {
    for index in runs.indices { runs[index].take(anchor, clock) }
  }

  /// What follows has nothing to do with what came before.
  public mutating func beginAnew() { beginsAnew = true }

  /// Silence follows.
  public mutating func halt() {
    if !runs.isEmpty { runs[runs.count - 1].isHalted = true }
    beginsAnew = true
  }

  public mutating func add(_ message: AudioMessage, arrival: Int64) {
    if beginsAnew || runs.last?.takes(message) != true {
      if !runs.isEmpty { runs[runs.count - 1].isHalted = true }
      runs.append(StreamRun(message))
      if runs.count > Self.mostRuns { dropRun() }
      beginsAnew = false
    }
    runs[runs.count - 1].add(message, arrival: arrival)
  }

  /// Whether there is something to play, now or soon.
  public var isActive: Bool { !runs.isEmpty }

  /// Makes the next `frames(rate)` frames.
  ///
  /// - Parameters:
  ///   - soundsAt: when the first of them is heard; nil while the device doesn't say, or doesn't run: then they are silent.
  ///   - deviceRate: how much faster than this host's clock the device plays; 1: as fast.
  ///   - frames: the number of frames for a rate.
  /// - Returns: nil while there is nothing to play; the device needs nothing then.
  public mutating func render(soundsAt: Int64?, deviceRate: Double = 1, frames: (Int) -> Int) -> Block? {
    if let soundsAt { takeNextRun(at: soundsAt) }
    guard let run = runs.first else { return nil }
    let count = frames(run.rate)
    var block = Block(
      values: [Float](repeating: 0, count: count * run.channels), rate: run.rate, channels: run.channels)
    guard let soundsAt else { return block }
    let end = soundsAt &+ Int64(count) &* 1_000_000_000 / Int64(run.rate)
    if position == nil {
      guard run.isTimed || !isPutOff(at: soundsAt) else { return block }
      guard run.due(run.first) <= end else { return block }
      begin(at: run.place(dueAt: soundsAt), of: run)
    }
    play(into: &block, frames: count, at: soundsAt, deviceRate)
    noteSilence(at: soundsAt)
    channels.apply(to: &block)
    return block
  }

  /// Whether the first sound of a run waits for the sender's time.
  private mutating func isPutOff(at time: Int64) -> Bool {
    guard awaitsTime else { return false }
    let since = putOff ?? time
    putOff = since
    return time - since < Self.mostPutOff
  }

  /// The sound begins exactly where it is due. The part of a frame that is left over is taken out slowly.
  private mutating func begin(at place: Double, of run: StreamRun) {
    position = place.rounded()
    putOff = nil
    meter.beginAnew()
    servo = PlaybackServo()
  }

  private mutating func play(into block: inout Block, frames: Int, at soundsAt: Int64, _ deviceRate: Double) {
    guard let before = position, let run = runs.first else { return }
    let error = RoomTiming.whole((before - run.place(dueAt: soundsAt)) / Double(run.rate) * 1e9)
    // What is known of both clocks is done at once; the servo takes out the rest.
    let known = min(max(run.pace / deviceRate, 1 - Self.mostKnown), 1 + Self.mostKnown)
    guard let correction = servo.ratio(error: error, at: soundsAt) else {
      return jump(in: &block, frames: frames, from: before, at: soundsAt, ratio: known)
    }
    report.error = servo.error
    let ratio = known * correction
    block.values.withUnsafeMutableBufferPointer { run.fill($0[...], from: before, ratio: ratio) }
    let next = before + Double(frames) * ratio
    let heard = max(Int64(before), run.first)..<max(Int64(next), run.first, Int64(before))
    let missing = run.isHalted ? 0 : run.buffer.missing(in: heard)
    report.missing += missing
    meter.played(heard.count, missing: missing, error: servo.error, at: soundsAt)
    report.correction = Int((ratio - 1) * 1e9)
    (report.p95, report.loss) = (meter.p95, meter.loss)
    let rest = (run.buffer.end ?? heard.upperBound) &- heard.upperBound
    // Hostile places are anywhere.
    report.buffered = min(max(0, rest), 10 * Int64(run.rate)) * 1_000_000_000 / Int64(run.rate)
    moveOn(to: next)
  }

  private mutating func moveOn(to place: Double) {
    position = place
    // A jump may go back.
    runs[0].drop(before: Int64(place) - Int64(runs[0].rate / Self.keptPerSecond))
  }

  /// The sound is far from where it should be: it fades out there, and in where it belongs, each in half a block.
  private mutating func jump(
    in block: inout Block, frames: Int, from before: Double, at soundsAt: Int64, ratio: Double
  ) {
    let run = runs[0]
    let half = frames / 2
    let passed = Int64(half) &* 1_000_000_000 / Int64(run.rate)
    let place = run.place(dueAt: soundsAt &+ passed).rounded()
    block.values.withUnsafeMutableBufferPointer { values in
      let middle = half * run.channels
      run.fill(values[..<middle], from: before, ratio: ratio)
      run.fill(values[middle...], from: place, ratio: ratio)
      for index in values.indices {
        let frame = index / run.channels
        let distance = frame < half ? half - frame : frame - half
        values[index] *= min(Float(distance) / Float(max(half, 1)), 1)
      }
    }
    report.jumps += 1
    meter.beginAnew()
    moveOn(to: place + Double(frames - half) * ratio)
  }

  /// Goes on to the next run when its first sample is due.
  private mutating func takeNextRun(at time: Int64) {
    while runs.count > 1, runs[1].due(runs[1].first) <= time &+ 10_000_000 { dropRun() }
    // A run that begins long after the end of the one before is waited for like the first one.
    if runs.count > 1, let silentSince, time - silentSince > Self.patience { dropRun() }
  }

  private mutating func dropRun() {
    runs.removeFirst()
    position = nil
    silentSince = nil
  }

  private mutating func noteSilence(at time: Int64) {
    guard let run = runs.first, let position, run.isHalted, Double(run.buffer.end ?? .min) <= position else {
      silentSince = nil
      return
    }
    let since = silentSince ?? time
    silentSince = since
    if runs.count == 1, time - since > Self.patience { dropRun() }
  }
}
