import GStreamerOutput
import Logging
import Player
import Synchronization

/// GStreamer as the daemon's sound system.
///
/// Requests are held back until ``begin()``: loading GStreamer costs more than all the rest of the start, and must
/// not compete with being announced.
final class Sound: SoundSystem {
  private enum Progress: Sendable {
    case holding([OutputRequest])
    case running
  }

  /// Bounds for lists of tracks; the longest that players write have some thousand lines.
  private static let longestDocument = 1024 * 1024
  private static let slowestDocument = Duration.seconds(10)

  private let output: GStreamerOutput
  private let configuration: OutputConfiguration
  private let progress = Mutex(Progress.holding([]))

  init(_ settings: Settings, logger: Logger, onEvent: @escaping @Sendable (OutputEvent) -> Void) {
    configuration = settings.outputConfiguration
    output = GStreamerOutput(configuration: configuration, logger: logger, onEvent: onEvent)
  }

  func begin() {
    progress.withLock { progress in
      guard case .holding(let requests) = progress else { return }
      for request in requests { output.submit(request) }
      progress = .running
    }
  }

  func submit(_ request: OutputRequest) {
    progress.withLock { progress in
      switch progress {
      case .running: output.submit(request)
      case .holding(let requests): progress = .holding(requests + [request])
      }
    }
  }

  func ping(_ answered: @escaping @Sendable () -> Void) { output.ping(answered) }

  /// On the output's own thread, behind the requests so far: GStreamer is loaded then.
  func findMIMETypes(_ found: @escaping @Sendable ([String]) -> Void) {
    output.ping { found(GStreamerOutput.capabilities().mimeTypes) }
  }

  func fetch(_ uri: String, _ fetched: @escaping @Sendable (Result<[UInt8], PlaybackFailure>) -> Void) {
    GStreamerOutput.fetchDocument(
      uri, limit: Self.longestDocument, timeout: Self.slowestDocument, configuration: configuration
    ) { result in
      fetched(result.map(\.bytes))
    }
  }

  func shutdown() { output.shutdown() }
}

extension Settings {
  var outputConfiguration: OutputConfiguration {
    OutputConfiguration(
      output: audio.output, releaseAfter: audio.releaseAfter, buffer: playback.buffer,
      networkTimeout: playback.timeout, userAgent: userAgent, maximumRedirects: playback.redirects,
      fileDirectories: playback.directories)
  }
}
