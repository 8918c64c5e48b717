import Player

/// How far a track has come: from its first samples to the last, through seeks and lost devices. Pure.
///
/// All times are in nanoseconds.
struct TrackState {
  /// Where to begin (the position of `start`, or of a seek before the samples came).
  var startPosition: UInt = 0
  /// Since when everything before ``startPosition`` is skipped.
  private(set) var skipBegan: MonotonicTime?
  /// Format of its samples; known once the first of them wait for their turn.
  private(set) var format: StreamFormat?
  /// Where to seek once the current seek has finished.
  var awaitedSeek: UInt?
  /// Number of seeks so far; notices with an older number are about samples that won't be heard.
  private(set) var epoch = 0
  /// Its samples wait for their turn, or have had it.
  private(set) var isReady = false
  /// Some of its samples went into a device, which may be gone by now.
  private(set) var hasPushed = false
  /// All samples went into the device.
  private(set) var isFinished = false
  /// It has been heard.
  private(set) var isStarted = false
  /// What ended it early; reported once the samples before that have been heard.
  private(set) var failure: PlaybackFailure?
  /// Running time of the device at which it begins, and the position in the track there.
  var joint: (running: UInt, media: UInt)? { didSet { rest = nil } }
  /// Silence in the middle of it: the running time at which that begins, and how long it lasts.
  private var rest: (running: UInt, length: UInt)?
  /// Its server answered a range request with the whole file.
  private(set) var isRangeRefused = false

  /// Nothing of it has come that could be heard.
  var isEmpty: Bool { !isReady && joint == nil && format == nil }

  // MARK: Samples

  /// Its first samples since the start or a seek wait. True if they are its first ever.
  mutating func ready(_ format: StreamFormat) -> Bool {
    defer { self.format = format }
    isReady = true
    return self.format == nil
  }

  /// Its first samples since the start or a seek are heard at `running`, and are those at `media`.
  mutating func joined(running: UInt, media: UInt) {
    joint = (running, media)
    hasPushed = true
  }

  mutating func finished() { isFinished = true }

  /// From the running time `running` on there are `length` nanoseconds of silence, for the sake of other rooms: its position
  /// stands still for so long.
  mutating func rests(at running: UInt, for length: UInt) {
    guard let joint else { return }
    guard joint.running < running else {
      self.joint?.running += length
      return
    }
    // An earlier one is over.
    if let rest { self.joint?.running += rest.length }
    rest = (running, length)
  }

  /// It is heard. False if it was before.
  mutating func started() -> Bool {
    defer { isStarted = true }
    return !isStarted
  }

  /// It breaks off, but what has come is still played.
  mutating func breaksOff(_ failure: PlaybackFailure) { self.failure = failure }

  // MARK: Other places

  /// It begins on an empty device.
  mutating func begin() { joint = nil }

  /// It is to go on at `position`.
  mutating func seek(to position: UInt) {
    startPosition = position
    skipBegan = nil
    failure = nil
  }

  /// The source has been told to; what was on its way is dropped.
  mutating func seekBegan(_ epoch: Int) {
    self.epoch = epoch
    isFinished = false
    isReady = false
  }

  /// Everything before ``startPosition`` is read and skipped.
  mutating func skips(since now: MonotonicTime) { skipBegan = now }

  /// Skipping takes too long: it begins at `position`.
  mutating func endSkip(at position: UInt) {
    skipBegan = nil
    startPosition = position
  }

  /// What it has played had another format: it goes on with what comes.
  mutating func changesFormat() {
    startPosition = 0
    joint = nil
  }

  /// The device is gone, which had played to `position`.
  mutating func lostDevice(at position: UInt) {
    guard joint != nil else { return }
    startPosition = position
    joint = nil
  }

  /// It must be read from the beginning, up to where it was to go.
  mutating func refusedRange() {
    isRangeRefused = true
    startPosition = awaitedSeek ?? startPosition
  }

  /// It replaces `other`, which was another way to the same sound.
  mutating func replace(_ other: TrackState) {
    startPosition = other.startPosition
    isStarted = other.isStarted
    isRangeRefused = other.isRangeRefused
  }

  // MARK: Positions

  /// The position that is heard.
  ///
  /// - Parameters:
  ///   - running: running time of the device.
  ///   - end: running time after the last sample that went into it.
  func position(at running: UInt, end: UInt) -> UInt {
    guard let joint else { return startPosition }
    var heard = min(running, max(end, joint.running))
    if let rest, heard > rest.running { heard -= min(heard - rest.running, rest.length) }
    return joint.media &+ (heard > joint.running ? heard - joint.running : 0)
  }

  /// The position behind the last sample that went into the device; nil before the first.
  func reach(end: UInt) -> UInt? { joint == nil ? nil : position(at: end, end: end) }

  /// The duration by the samples that went into the device; nil if they can't tell.
  func duration(end: UInt) -> UInt? {
    guard let joint, failure == nil, end >= joint.running else { return nil }
    return position(at: end, end: end)
  }
}
