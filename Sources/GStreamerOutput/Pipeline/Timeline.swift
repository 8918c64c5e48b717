import CGStreamer
import Threads

/// What the tracks' streaming threads share: which track may push samples into the device, and how many frames have
/// gone in since the last reset. Everything is guarded by ``monitor``.
// Safe to share: all state is only touched inside `monitor.locked`.
final class Timeline: @unchecked Sendable {
  let monitor = Monitor()
  /// The track that may push; nil while none may.
  var feeding: Int?
  /// The device's entry.
  var source: SoundEntry?
  /// Format of everything pushed; nil once it is forgotten.
  var format: StreamFormat?
  /// Frames pushed since the last reset.
  var frames = 0
  /// Pushed frames that the device hasn't taken yet.
  var queued = 0
  /// The device has taken everything.
  var isStarved = false
  /// Enough is queued for the device; streaming threads aren't woken to bring more until it falls below 350 ms.
  private(set) var isFull = false

  /// The device is paused until enough is queued to last a while.
  private(set) var isRefilling = false

  /// Running time after the last pushed frame, in nanoseconds.
  var end: guint64 { format?.nanoseconds(frames: frames) ?? 0 }

  /// Duration of the queued samples.
  var waiting: Duration {
    monitor.locked { .nanoseconds(Int64(clamping: format?.nanoseconds(frames: queued) ?? 0)) }
  }

  /// Whether samples of the format `other` may be pushed now.
  func accepts(_ other: StreamFormat) -> Bool {
    guard let format else { return true }
    return format == other && !isFull
  }

  /// With the lock: `frames` go into the device's entry.
  ///
  /// Usually the entry is full at half a second: enough to ride out a busy machine, and little enough to react soon.
  /// While refilling it is full at 1.25 s, since a station of low rate may send more than a second at a time.
  func put(frames: Int) {
    self.frames += frames
    queued += frames
    isFull = isRefilling ? isRefilled : queued * 2 >= format?.rate ?? 0
  }

  /// With the lock: enough is queued to go on.
  var isRefilled: Bool {
    let rate = format?.rate ?? 0
    return isRefilling ? queued * 4 >= rate * 5 : queued * 5 >= rate * 2
  }

  /// The device has run dry and is paused until ``isRefilled``.
  func refill() {
    monitor.locked {
      isRefilling = true
      isFull = isRefilled
      monitor.signalAll()
    }
  }

  /// The device resumes.
  func endRefilling() {
    monitor.locked { isRefilling = false }
  }

  func grant(_ serial: Int?) {
    monitor.locked {
      feeding = serial
      monitor.signalAll()
    }
  }

  /// With the lock: the device took `frames`. True if it has just run dry.
  func took(frames: Int) -> Bool {
    queued = max(0, queued - frames)
    // A few long bursts of decoding cost far less than many short ones. At 350 ms, even after a block of FLAC enough is
    // left for the next blocks to be full ones (``TrackFeed``).
    if isFull, let rate = format?.rate, queued * 20 < rate * 7 {
      isFull = false
      monitor.signalAll()
    }
    guard queued == 0, !isStarved else { return false }
    isStarved = true
    return true
  }

  /// Restarts at zero, into `source`.
  func reset(source: SoundEntry?, forgetFormat: Bool) {
    monitor.locked {
      self.source = source
      source?.empty()
      feeding = nil
      frames = 0
      queued = 0
      isFull = false
      isRefilling = false
      isStarved = false
      if forgetFormat { format = nil }
      monitor.signalAll()
    }
  }
}
