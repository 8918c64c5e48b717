import CGStreamer
import Threads

/// What the streaming threads of the tracks share: whose turn it is to push samples into the device, and how many
/// frames have gone in since it was last reset. Everything is guarded by ``monitor``.
// Safe to share: all state is only touched inside `monitor.locked`.
final class Timeline: @unchecked Sendable {
  let monitor = Monitor()
  /// The track that may push; nil while none may.
  var turn: Int?
  /// Entry of the device; retained by the device for as long as it is set here.
  var source: UnsafeMutablePointer<GstAppSrc>?
  /// Format of everything pushed since it was last forgotten.
  var format: StreamFormat?
  /// Format that the device's entry was told.
  var capsFormat: StreamFormat?
  /// Frames pushed since the last reset.
  var frames = 0
  /// Frames of those that the device has not taken yet.
  var queued = 0
  /// The device has taken everything.
  var isStarved = false
  /// Enough waits for the device; until a third of it is used up, nobody is woken to bring more.
  private(set) var isFull = false

  /// Running time behind the last frame pushed.
  var end: guint64 { format?.nanoseconds(frames: frames) ?? 0 }

  /// How long the device has enough of.
  var waiting: Duration {
    monitor.locked { .nanoseconds(Int64(clamping: format?.nanoseconds(frames: queued) ?? 0)) }
  }

  /// Whether samples of `other` fit in behind those that are there.
  func accepts(_ other: StreamFormat) -> Bool {
    guard let format else { return true }
    return format == other && !isFull
  }

  /// With the lock: `frames` go into the device's entry.
  ///
  /// It is full at half a second: enough to ride out a busy machine, little enough to change one's mind soon.
  func put(frames: Int) {
    self.frames += frames
    queued += frames
    isFull = queued * 2 >= format?.rate ?? 0
  }

  func grant(_ serial: Int?) {
    monitor.locked {
      turn = serial
      monitor.signalAll()
    }
  }

  /// The device took `frames`. True when it has nothing left now.
  func took(frames: Int) -> Bool {
    monitor.locked {
      queued = max(0, queued - frames)
      // Few long stretches of decoding cost far less than many short ones. At 350 ms even a block of FLAC leaves enough
      // for the next ones to be whole (``TrackFeed``).
      if isFull, let rate = format?.rate, queued * 20 < rate * 7 {
        isFull = false
        monitor.signalAll()
      }
      guard queued == 0, !isStarved else { return false }
      isStarved = true
      return true
    }
  }

  /// Begins again at zero, into `source`.
  func reset(source: UnsafeMutablePointer<GstAppSrc>?, forgetFormat: Bool) {
    monitor.locked {
      if source != self.source { capsFormat = nil }
      self.source = source
      turn = nil
      frames = 0
      queued = 0
      isFull = false
      isStarved = false
      if forgetFormat { format = nil }
      monitor.signalAll()
    }
  }
}
