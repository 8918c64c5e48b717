import GStreamerOutput
import Logging
import Player
import Synchronization

/// The daemon's sound system on GStreamer.
///
/// GStreamer is loaded by ``begin()`` or by the first request that needs it. Loading takes longer than the rest of the
/// start and more memory than the rest of the daemon.
final class Sound: SoundSystem {
  private enum Progress: Sendable {
    /// Not loaded. The last gain is applied after loading.
    case asleep(gain: OutputRequest?)
    case loading(since: ContinuousClock.Instant)
    case running
  }

  /// On its first start, GStreamer scans every plugin and saves the result only at the end. If the watchdog interrupted
  /// the scan, it would begin again at every restart. A slow processor with a slow card takes more than a minute.
  private static let slowestLoading = Duration.seconds(600)

  /// Limits of size and time for a list of tracks; the longest that players write have some thousand lines.
  private static let longestDocument = 1024 * 1024
  private static let slowestDocument = Duration.seconds(10)

  private let output: GStreamerOutput
  private let configuration: OutputConfiguration
  private let progress = Mutex(Progress.asleep(gain: nil))

  init(_ settings: Settings, logger: Logger, onEvent: @escaping @Sendable (OutputEvent) -> Void) {
    configuration = settings.outputConfiguration
    output = GStreamerOutput(
      configuration: configuration, logger: logger, rooms: settings.outputRooms, onEvent: onEvent)
  }

  var rooms: OutputRooms? { output.rooms }

  func begin() {
    progress.withLock { wake(&$0) }
  }

  private func wake(_ progress: inout Progress) {
    guard case .asleep(let gain) = progress else { return }
    progress = .loading(since: .now)
    // The first request makes the output's thread load GStreamer.
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

  /// Answers at once while GStreamer isn't loaded, when nothing can hang, and while it is being loaded, which takes
  /// time.
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

  /// Determines the formats on the output's own thread, which loads GStreamer first.
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

  /// Doesn't wait while GStreamer is being loaded: there is neither sound nor a device yet, and its first scan may take
  /// a minute.
  func shutdown() -> Bool {
    let isLoading = progress.withLock { if case .loading = $0 { true } else { false } }
    return output.shutdown(within: isLoading ? .zero : .seconds(1))
  }
}

extension Settings {
  var outputRooms: OutputRooms {
    OutputRooms(
      latency: .milliseconds(rooms.latency), maximumRate: rooms.maximumRate,
      listening: RoomListening(outputDelay: .microseconds(rooms.outputDelay), channels: rooms.channels))
  }

  var outputConfiguration: OutputConfiguration {
    OutputConfiguration(
      output: audio.output, releaseAfter: audio.releaseAfter, deviceBuffer: audio.buffer,
      devicePeriod: audio.period, devicePatience: audio.patience,
      buffer: playback.buffer,
      networkTimeout: playback.timeout, userAgent: userAgent, maximumRedirects: playback.redirects,
      fileDirectories: playback.directories,
      replayGain: ReplayGain(
        mode: playback.replayGain, preamp: Double(playback.replayGainPreamp),
        preventsClipping: playback.replayGainClippingProtection),
      channels: audio.channels, resampler: audio.resampler, rates: AllowedRates(audio.rates),
      readsPictures: page.enabled && page.access != .off)
  }
}
