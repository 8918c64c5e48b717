import CGStreamer

/// How many frames have gone to the device since its session began, and how many of them still wait for it. Pure.
struct DeviceFill: Sendable, Equatable {
  /// Format of everything pushed; nil once it is forgotten.
  private(set) var format: StreamFormat?
  /// Where the last pushed frame ends, in frames of the session.
  private(set) var frames = 0
  /// Pushed frames that the device hasn't taken yet.
  private(set) var queued = 0
  /// The device has taken everything.
  private(set) var isStarved = false
  /// Enough is queued for the device; streaming threads aren't woken to bring more until it falls below 350 ms.
  private(set) var isFull = false
  /// The device is paused until enough is queued to last a while.
  private(set) var isRefilling = false
  /// Other rooms are sent this sound some tenths of a second before it is heard here, so more of it must be there.
  var isSending = false

  init(format: StreamFormat? = nil) { self.format = format }

  /// Nothing has been pushed.
  var isEmpty: Bool { frames == 0 }

  /// Running time after the last pushed frame, in nanoseconds.
  var end: guint64 { format?.nanoseconds(frames: frames) ?? 0 }

  /// Duration of the queued samples.
  var waiting: Duration { .nanoseconds(Int64(clamping: format?.nanoseconds(frames: queued) ?? 0)) }

  /// Enough is queued to go on.
  var isRefilled: Bool {
    let rate = format?.rate ?? 0
    return isRefilling ? queued * 4 >= rate * 5 : queued * 5 >= rate * 2
  }

  /// `frames` go to the device, to be heard at `due`, or right after those before them. Returns their first frame.
  ///
  /// Usually the device has enough with half a second: enough to ride out a busy machine, and little enough to react
  /// soon. While refilling it has enough with 1.25 s, since a station of low rate may send more than a second at a time.
  mutating func put(frames count: Int, format: StreamFormat, due: Int? = nil) -> Int {
    if self.format == nil { self.format = format }
    let start = max(frames, due ?? frames)
    frames = start + count
    queued += count
    isStarved = false
    isFull = hasEnough(rate: format.rate)
    return start
  }

  private func hasEnough(rate: Int) -> Bool {
    isRefilling ? isRefilled : queued * 2 >= rate * (isSending ? 2 : 1)
  }

  /// `count` frames of silence pass before everything that is queued.
  mutating func insert(frames count: Int) {
    frames += count
    queued += count
    isStarved = false
  }

  /// The device took `count` frames. `hasRoom`: it wants more; `isDry`: it has just run dry.
  mutating func took(frames count: Int) -> (hasRoom: Bool, isDry: Bool) {
    queued = max(0, queued - count)
    var hasRoom = false
    // A few long bursts of decoding cost far less than many short ones. At 350 ms, even after a block of FLAC enough is
    // left for the next blocks to be full ones (``TrackFeed``).
    if isFull, let rate = format?.rate, queued * 20 < rate * (isSending ? 16 : 7) {
      isFull = false
      hasRoom = true
    }
    guard queued == 0, !isStarved else { return (hasRoom, false) }
    isStarved = true
    return (hasRoom, true)
  }

  /// The device has run dry and is paused until ``isRefilled``.
  mutating func refill() {
    isRefilling = true
    isFull = isRefilled
  }

  /// The device resumes.
  mutating func endRefilling() { isRefilling = false }

  /// Restarts at zero.
  mutating func reset(forgetFormat: Bool) {
    let isSending = isSending
    self = DeviceFill(format: forgetFormat ? nil : format)
    self.isSending = isSending
  }
}
