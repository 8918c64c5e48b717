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
    case loading(since: ContinuousClock.Instant)
    case running
  }

  /// The first time, GStreamer looks at every plugin there is, and keeps nothing of it before it is done: who ended it
  /// earlier would have it begin anew, over and over. A slow processor with a slow card takes more than a minute.
  private static let slowestLoading = Duration.seconds(600)

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
    progress = .loading(since: .now)
    // Whatever comes first has the output's thread load GStreamer.
    output.ping { [weak self] in self?.progress.withLock { $0 = .running } }
    if let gain { output.submit(gain) }
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

  /// Asleep, there is nothing that could hang; and loading may take its time.
  func ping(_ answered: @escaping @Sendable () -> Void) {
    let isExcused = progress.withLock { progress in
      switch progress {
      case .asleep: true
      case .loading(let since): ContinuousClock.now - since < Self.slowestLoading
      case .running: false
      }
    }
    if isExcused { answered() } else { output.ping(answered) }
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
