import CGStreamer
import Logging
import Synchronization
import Threads

/// Gives the threads that feed the sound device precedence over all that may wait, where the system allows it: they
/// work little, but never have more than a moment for it. Decoders have half a second, and stay ordinary.
final class DeviceThreads: Sendable {
  private let logger: Logger
  private let hasTold = Mutex(false)

  init(logger: Logger) { self.logger = logger }

  /// Called on the thread that the message (of type stream-status) is about. It may be another device's or even a
  /// decoder's later, since GStreamer keeps its threads: so each gives back what it got.
  func read(_ message: BusMessage) {
    var type = GST_STREAM_STATUS_TYPE_CREATE
    gst_message_parse_stream_status(message.pointer, &type, nil)
    switch type {
    case GST_STREAM_STATUS_TYPE_ENTER: tell(ThreadPriority.raise())
    case GST_STREAM_STATUS_TYPE_LEAVE: ThreadPriority.restore()
    default: break
    }
  }

  /// Once: it will not change while the daemon runs.
  private func tell(_ priority: ThreadPriority) {
    let isFirst = hasTold.withLock { hasTold in
      defer { hasTold = true }
      return !hasTold
    }
    guard isFirst else { return }
    switch priority {
    case .realTime(let level): logger.debug("The sound device is fed with real-time priority \(level).")
    case .nice(let value):
      logger.info(
        "The sound device is fed without real-time priority, at nice \(value): RLIMIT_RTPRIO doesn't allow it."
      )
    case .ordinary:
      logger.info(
        "The sound device is fed without real-time priority: RLIMIT_RTPRIO and RLIMIT_NICE don't allow it.")
    }
  }
}
