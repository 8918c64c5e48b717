import CGStreamer
import Logging
import Synchronization
import Threads

/// Raises the priority of the threads that feed the sound device, where the system allows it.
///
/// They have little to do, but only moments to do it in. Decoders have half a second and keep normal priority.
final class DeviceThreads: Sendable {
  private let logger: Logger
  private let hasTold = Mutex(false)

  init(logger: Logger) { self.logger = logger }

  /// Handles a stream-status message on the thread that it is about.
  ///
  /// GStreamer reuses its threads, later perhaps for another device or a decoder, so each thread restores its priority
  /// when it leaves.
  func read(_ message: BusMessage) {
    var type = GST_STREAM_STATUS_TYPE_CREATE
    gst_message_parse_stream_status(message.pointer, &type, nil)
    switch type {
    case GST_STREAM_STATUS_TYPE_ENTER: tell(ThreadPriority.raise())
    case GST_STREAM_STATUS_TYPE_LEAVE: ThreadPriority.restore()
    default: break
    }
  }

  /// Logs once: the priority doesn't change while the daemon runs.
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
