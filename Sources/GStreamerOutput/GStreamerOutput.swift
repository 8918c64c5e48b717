import CGStreamer
import Glibc
import Logging
import Player
import Threads

/// Plays through GStreamer. One control thread owns all of it; ``submit(_:)`` only posts to its mailbox.
///
/// GStreamer is loaded by that thread on the first request, or by ``capabilities()``.
// Safe to share: all state is in parts that synchronize themselves.
public final class GStreamerOutput: AudioOutput, Sendable {
  private let mailbox = Mailbox()
  private let end = ThreadEnd()
  private let level = BufferLevel()

  /// What is shared with other rooms.
  public let rooms: OutputRooms

  /// Starts the control thread.
  ///
  /// - Parameter onEvent: called on the control thread, never with a lock held.
  public init(
    configuration: OutputConfiguration, logger: Logger, rooms: OutputRooms = OutputRooms(),
    onEvent: @escaping @Sendable (OutputEvent) -> Void
  ) {
    self.rooms = rooms
    let (mailbox, end, level) = (mailbox, end, level)
    Thread.start(name: "vireo-output") {
      let first = mailbox.wait()
      // Nothing was ever requested: don't load GStreamer, which takes a while, only to quit.
      if case .quit? = first.first { return end.signal() }
      GStreamerLibrary.prepare()
      let engine = Engine(
        configuration: configuration, logger: logger, mailbox: mailbox, level: level, rooms: rooms,
        onEvent: onEvent)
      engine?.run(beginningWith: first)
      end.signal()
    }
  }

  public func submit(_ request: OutputRequest) {
    mailbox.post(.request(request))
  }

  /// Calls `reply` on the control thread after all earlier requests: a sign of life.
  public func ping(_ reply: @escaping @Sendable () -> Void) {
    mailbox.post(.ping(reply))
  }

  /// How long the current track could go on if no more data arrived; an estimate.
  ///
  /// It adds what is read ahead, by its bit rate, to what is queued for the device. Zero while nothing plays. Computed
  /// on demand; any thread may ask.
  public var buffered: Duration { level.duration }

  /// Stops and releases everything; later requests are ignored.
  ///
  /// - Parameter limit: how long to wait for that.
  /// - Returns: whether it finished in time.
  @discardableResult
  public func shutdown(within limit: Duration = .seconds(1)) -> Bool {
    mailbox.post(.quit)
    return end.wait(limit)
  }

  deinit { mailbox.post(.quit) }
}

extension GStreamerOutput {
  /// What this host can decode. Loads GStreamer if that hasn't happened yet.
  public static func capabilities() -> Capabilities { .find() }

  /// The possible outputs on this host. Queries the sound systems, which may take a second.
  public static func availableOutputs() -> [OutputDescription] { OutputDescription.find() }

  /// Checks an output name of the configuration without opening anything.
  ///
  /// - Throws: ``PlaybackFailure`` of kind `device` that says what is wrong with the name.
  public static func check(output name: String) throws(PlaybackFailure) {
    _ = try SinkChoice(name: name)
  }

  /// Reads a small document over HTTP, HTTPS or from an allowed directory.
  ///
  /// - Parameters:
  ///   - limit: maximum size in bytes; a longer document is an error.
  ///   - timeout: for the whole transfer.
  ///   - completion: called once, on a thread of its own.
  public static func fetchDocument(
    _ uri: String, limit: Int, timeout: Duration, configuration: OutputConfiguration,
    completion: @escaping @Sendable (Result<Document, PlaybackFailure>) -> Void
  ) {
    DocumentReader.read(
      uri, limit: limit, timeout: timeout, configuration: configuration, completion: completion)
  }
}
