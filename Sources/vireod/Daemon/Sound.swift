import GStreamerOutput
import Logging
import Player
import Synchronization

/// GStreamer as the daemon's sound system.
///
/// GStreamer isn't loaded before ``begin()`` or the first request that needs it: it takes longer than all the rest of
/// the start and more memory than all the rest of the daemon.
final class Sound: SoundSystem {
  private enum Progress: Sendable {
    /// Not loaded; the last gain that was asked for waits.
    case asleep(gain: OutputRequest?)
    case running
  }

  /// Bounds for lists of tracks; the longest that players write have some thousand lines.
  private static let longestDocument = 1024 * 1024
  private static let slowestDocument = Duration.seconds(10)

  private let output: GStreamerOutput
  private let configuration: OutputConfiguration
  private let progress = Mutex(Progress.asleep(gain: nil))

  init(_ settings: Settings, logger: Logger, onEvent: @escaping @Sendable (OutputEvent) -> Void) {
    configuration = settings.outputConfiguration
    output = GStreamerOutput(configuration: configuration, logger: logger, onEvent: onEvent)
  }

  func begin() {
    progress.withLock { wake(&$0) }
  }

  private func wake(_ progress: inout Progress) {
    guard case .asleep(let gain) = progress else { return }
    progress = .running
    // Whatever comes first has the output's thread load GStreamer.
    if let gain { output.submit(gain) } else { output.ping {} }
  }

  func submit(_ request: OutputRequest) {
    progress.withLock { progress in
      if case .asleep = progress, case .setGain = request {
        progress = .asleep(gain: request)
        return
      }
      wake(&progress)
      output.submit(request)
    }
  }

  /// Asleep, there is nothing that could hang.
  func ping(_ answered: @escaping @Sendable () -> Void) {
    let isAsleep = progress.withLock { if case .asleep = $0 { true } else { false } }
    if isAsleep { answered() } else { output.ping(answered) }
  }

  /// On the output's own thread, which has loaded GStreamer then.
  func findMIMETypes(_ found: @escaping @Sendable ([String]) -> Void) {
    begin()
    output.ping { found(GStreamerOutput.capabilities().mimeTypes) }
  }

  func fetch(_ uri: String, _ fetched: @escaping @Sendable (Result<[UInt8], PlaybackFailure>) -> Void) {
    GStreamerOutput.fetchDocument(
      uri, limit: Self.longestDocument, timeout: Self.slowestDocument, configuration: configuration
    ) { result in
      fetched(result.map(\.bytes))
    }
  }

  var buffered: Duration { output.buffered }

  func shutdown() { output.shutdown() }
}

extension Settings {
  var outputConfiguration: OutputConfiguration {
    OutputConfiguration(
      output: audio.output, releaseAfter: audio.releaseAfter, buffer: playback.buffer,
      networkTimeout: playback.timeout, userAgent: userAgent, maximumRedirects: playback.redirects,
      fileDirectories: playback.directories,
      replayGain: ReplayGain(
        mode: playback.replayGain, preamp: Double(playback.replayGainPreamp),
        preventsClipping: playback.replayGainClippingProtection))
  }
}
