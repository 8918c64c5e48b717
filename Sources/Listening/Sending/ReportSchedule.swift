/// Decides when one server is called, and with how many reports. Pure.
///
/// One call at a time, and never two in quick succession. After a failure it waits 30 s, then twice as long each time, up to an
/// hour. Of a batch that the server doesn't take it sends half, until the one that is wrong is found.
public struct ReportSchedule: Sendable, Equatable {
  public enum State: Sendable, Hashable {
    case ready
    /// A call is under way.
    case calling
    /// Until this time, because of a failure, in plain words.
    case backingOff(until: Duration, String)
    /// Until this time, since the server wants no more calls now.
    case limited(until: Duration)
    case stopped(ReportVerdict.Refusal)
  }

  static let firstPause = Duration.seconds(30)
  static let longestPause = Duration.seconds(3600)

  private let sink: ReportSink
  public private(set) var state = State.ready
  /// How many reports the next call may have.
  public private(set) var most: Int
  /// Failures since it last worked.
  public private(set) var failures = 0
  private var nextCall = Duration.zero

  public init(_ sink: ReportSink) {
    self.sink = sink
    most = sink.mostInCall
  }

  /// When the next call may be made; nil while one is under way, and when no more will be.
  ///
  /// All times are by the clock that stands still in sleep.
  public var due: Duration? {
    switch state {
    case .ready: nextCall
    case .calling, .stopped: nil
    case .backingOff(let time, _), .limited(let time): max(time, nextCall)
    }
  }

  public func mayCall(at now: Duration) -> Bool { due.map { $0 <= now } ?? false }

  /// Begins a call.
  public mutating func begin(at now: Duration) {
    state = .calling
    nextCall = now + sink.gap
  }

  /// Ends a call.
  ///
  /// - Parameters:
  ///   - verdict: what came of it.
  ///   - count: how many reports were in it; 0 for one that isn't kept.
  /// - Returns: true when its reports are to be dropped: nobody will ever take them.
  public mutating func end(
    _ verdict: ReportVerdict, count: Int, at now: Duration, using random: inout some RandomNumberGenerator
  ) -> Bool {
    switch verdict {
    case .accepted:
      state = .ready
      failures = 0
      // As slowly as it went down: what is wrong may be in what follows.
      if count > 0 { most = min(max(most, count) * 2, sink.mostInCall) }
    case .malformed:
      state = .ready
      guard count > 1 else { return true }
      most = max(1, count / 2)
    case .limited(let time):
      state = .limited(until: now + (time ?? pause(using: &random)))
    case .failed(let text):
      state = .backingOff(until: now + pause(using: &random), text)
    case .refused(let refusal):
      state = .stopped(refusal)
    }
    return false
  }

  /// The network has come, or has changed: what couldn't be reached may be now.
  public mutating func networkCame() {
    guard case .backingOff = state else { return }
    state = .ready
    failures = 0
  }

  /// Somebody wants it to be tried again: a token was written, or the reports go on after a pause.
  public mutating func tryAgain() {
    networkCame()
    if case .stopped = state { state = .ready }
  }

  /// 30 s, 60 s, 2 min … 1 h; up to a fifth less by chance, so that not all speakers of a house come at once.
  private mutating func pause(using random: inout some RandomNumberGenerator) -> Duration {
    let whole = min(Self.firstPause * (1 << min(failures, 10)), Self.longestPause)
    failures += 1
    return whole * Double.random(in: 0.8...1, using: &random)
  }
}
