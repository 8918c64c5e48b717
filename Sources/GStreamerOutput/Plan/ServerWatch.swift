/// Watches the track that is loading or starved: does its server still send? Pure.
struct ServerWatch {
  /// What has been seen of one track.
  struct Seen {
    /// Bytes that had come at the last check.
    fileprivate var bytes = 0
    /// The last answer that refused a part of the stream, and the bytes that had come until then.
    private var refusal: (status: Int, bytes: Int)?

    /// The server has answered a request for a part.
    mutating func partAnswered(status: Int, bytes: Int) { refusal = status >= 400 ? (status, bytes) : nil }

    /// The status with which the server refused what should come next; nil if it didn't, or something has come since.
    fileprivate func refusal(at bytes: Int) -> Int? { refusal?.bytes == bytes ? refusal?.status : nil }
  }

  /// The state of playback at a check.
  struct Situation {
    var isLoading: Bool
    var isPaused: Bool
    /// The device has samples to play.
    var hasSound: Bool
    /// All samples of the track have come.
    var isFinished: Bool
  }

  enum Fault: Equatable {
    /// There is enough to hear; the server isn't the cause.
    case deviceStuck
    case serverSilent
    /// It answers with this status, and sends nothing.
    case serverRefuses(status: Int)
  }

  /// The player isn't told of a wait that is shorter.
  private static let first = Duration.milliseconds(700)
  private static let interval = Duration.milliseconds(250)
  private static let devicePatience = Duration.seconds(5)
  /// A part that is refused may still come: a live stream's list may name it a little too early.
  private static let longestRefusal = Duration.seconds(10)

  /// A server that sends nothing for longer has failed.
  let patience: Duration
  /// When it is checked; nil while sound plays.
  var deadline: MonotonicTime?
  /// The player has been told of this wait.
  private var isTold = false
  /// When something came last.
  private var latest = MonotonicTime(nanoseconds: 0)

  init(patience: Duration) { self.patience = patience }

  /// A wait begins: a track is loaded, sought, or goes on after a pause.
  mutating func begin(at now: MonotonicTime) {
    isTold = false
    latest = now
    deadline = now + Self.first
  }

  /// The device has run dry.
  mutating func starved(at now: MonotonicTime) {
    latest = now
    deadline = now + Self.interval
  }

  /// The server has answered.
  mutating func answered(at now: MonotonicTime) { latest = now }

  /// Sound plays, or there is nothing to wait for.
  mutating func end() { deadline = nil }

  /// Something else is tried: it gets the whole time.
  mutating func tryAgain(at now: MonotonicTime) { starved(at: now) }

  /// Whether nothing has come for more than half of ``patience``.
  func isSilent(at now: MonotonicTime) -> Bool {
    now.passed(since: latest) * 2 > patience
  }

  /// ``deadline`` has passed.
  ///
  /// - Parameter bytes: what has come of the track so far.
  /// - Returns: whether the player is told that the track is waited for, and what is wrong, if anything. The next check is
  ///   scheduled unless something is.
  mutating func check(_ seen: inout Seen, bytes: Int, _ situation: Situation, at now: MonotonicTime)
    -> (isNewWait: Bool, fault: Fault?)
  {
    if bytes != seen.bytes {
      seen.bytes = bytes
      latest = now
    }
    let isNewWait = situation.isLoading && !situation.isPaused && !isTold
    if isNewWait { isTold = true }
    let fault = fault(situation, refusal: seen.refusal(at: bytes), after: now.passed(since: latest))
    if fault == .deviceStuck { latest = now }
    deadline = fault == nil ? now + Self.interval : nil
    return (isNewWait, fault)
  }

  private func fault(_ situation: Situation, refusal: Int?, after silence: Duration) -> Fault? {
    if situation.isLoading, situation.hasSound {
      return silence > Self.devicePatience ? .deviceStuck : nil
    }
    if situation.isFinished { return nil }
    if let refusal, silence > min(patience, Self.longestRefusal) { return .serverRefuses(status: refusal) }
    return silence > patience ? .serverSilent : nil
  }
}
