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

  private let output: GStreamerOutput
  private let progress = Mutex(Progress.holding([]))

  init(_ settings: Settings, logger: Logger, onEvent: @escaping @Sendable (OutputEvent) -> Void) {
    output = GStreamerOutput(configuration: settings.outputConfiguration, logger: logger, onEvent: onEvent)
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

  func findMIMETypes(_ found: @escaping @Sendable ([String]) -> Void) {}

  func fetch(_ uri: String, _ fetched: @escaping @Sendable (Result<[UInt8], PlaybackFailure>) -> Void) {
    fetched(.success([]))
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
