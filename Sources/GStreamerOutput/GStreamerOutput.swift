import CGStreamer
import Glibc
import Logging
import Player
import Threads

/// Plays through GStreamer. One control thread owns all of it; ``submit(_:)`` only leaves a note for it.
///
/// GStreamer itself is set up by that thread when the first request comes, or by ``capabilities()``.
// Safe to share: all state is in parts that guard themselves.
public final class GStreamerOutput: AudioOutput, Sendable {
  private let mailbox = Mailbox()
  private let end = ThreadEnd()
  private let level = BufferLevel()

  /// - Parameter onEvent: called on the control thread, never while a lock is held.
  public init(
    configuration: OutputConfiguration, logger: Logger,
    onEvent: @escaping @Sendable (OutputEvent) -> Void
  ) {
    let (mailbox, end, level) = (mailbox, end, level)
    Thread.start(name: "vireo-output") {
      let first = mailbox.wait()
      GStreamerLibrary.prepare()
      let engine = Engine(
        configuration: configuration, logger: logger, mailbox: mailbox, level: level, onEvent: onEvent)
      engine?.run(beginningWith: first)
      end.signal()
    }
  }

  public func submit(_ request: OutputRequest) {
    mailbox.post(.request(request))
  }

  /// Has `reply` called on the control thread, behind all that was submitted before: a sign of life.
  public func ping(_ reply: @escaping @Sendable () -> Void) {
    mailbox.post(.ping(reply))
  }

  /// How long the current track could go on if nothing more came: what its source has read ahead, by its bit rate, and
  /// what waits for the device. Zero while nothing plays. Looked up when asked, from any thread; an estimate.
  public var buffered: Duration { level.duration }

  /// Stops and lets go of everything; waits for that a second at most. Later requests are ignored.
  public func shutdown() {
    mailbox.post(.quit)
    end.wait(.seconds(1))
  }

  deinit { mailbox.post(.quit) }
}

extension GStreamerOutput {
  /// What this host can decode. Loads GStreamer when that hasn't happened yet.
  public static func capabilities() -> Capabilities { .find() }

  /// What the configuration's output may be on this host. Asks the sound systems, which may take a second.
  public static func availableOutputs() -> [OutputDescription] { OutputDescription.find() }

  /// Says whether an output name of the configuration can be understood, without opening anything.
  ///
  /// - Throws: ``PlaybackFailure`` of kind `device` that says what is wrong with the name.
  public static func check(output name: String) throws(PlaybackFailure) {
    _ = try SinkChoice(name: name)
  }

  /// Reads a small document over HTTP, HTTPS or from an allowed directory.
  ///
  /// - Parameters:
  ///   - limit: most bytes that are taken; a longer document is an error.
  ///   - timeout: for all of it.
  ///   - completion: called once, on a thread of its own.
  public static func fetchDocument(
    _ uri: String, limit: Int, timeout: Duration, configuration: OutputConfiguration,
    completion: @escaping @Sendable (Result<Document, PlaybackFailure>) -> Void
  ) {
    DocumentReader.read(
      uri, limit: limit, timeout: timeout, configuration: configuration, completion: completion)
  }
}
