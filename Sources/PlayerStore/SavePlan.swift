import Player

/// What is to be saved, and when: not for every step of a volume slider, and at most half a second late.
///
/// Only the latest state counts, and a snapshot shares its memory with the player, so nothing can pile up however slow
/// the disk is. Pure; the shell starts timers and writes.
struct SavePlan: Sendable {
  /// What to save; nil where nothing changed.
  struct Wanted: Sendable, Equatable {
    var host: HostState?
    var player: PlayerSnapshot?

    var isEmpty: Bool { host == nil && player == nil }
  }

  /// How long changes are gathered.
  static let delay = Duration.milliseconds(500)
  private static let retries = Duration.seconds(1)...Duration.seconds(60)

  private var host: HostState
  private var wanted = Wanted()
  private var isScheduled = false
  private var isClosed = false
  /// The disk refused lately: when to try again, and how long was waited for that.
  private var retry: (at: ContinuousClock.Instant, after: Duration)?
  /// Ids up to here may be told: what is saved keeps later starts from giving them to other tracks.
  private var lastSafeID: UInt32 = 0
  /// The disk was waited for in vain, and hasn't taken anything since.
  private var isUnresponsive = false

  /// - Parameter host: As it was read.
  init(host: HostState = HostState()) { self.host = host }

  /// Returns how long to wait before ``take()``; nil when that is under way or nothing is to be saved any more.
  mutating func record(_ player: PlayerSnapshot, now: ContinuousClock.Instant) -> Duration? {
    guard !isClosed else { return nil }
    wanted.player = player
    return schedule(now: now)
  }

  /// `player` has ids that must not be told before it is saved: a start that knows nothing of them would give them to other
  /// tracks. True for the first track of a run, since that is where the ids of the run begin, and then hardly ever.
  /// False while the disk refuses: then nothing of all this will be there after a restart.
  func mustWait(for player: PlayerSnapshot) -> Bool {
    player.tracks.lastID > lastSafeID && retry == nil && !isUnresponsive && !isClosed
  }

  /// The disk took longer than anybody should wait.
  mutating func gaveUpWaiting() { isUnresponsive = true }

  /// As ``record(_:now:)``.
  mutating func changeHost(_ body: (inout HostState) -> Void, now: ContinuousClock.Instant) -> Duration? {
    guard !isClosed else { return nil }
    body(&host)
    wanted.host = host
    return schedule(now: now)
  }

  private mutating func schedule(now: ContinuousClock.Instant) -> Duration? {
    guard !isScheduled else { return nil }
    isScheduled = true
    return max(Self.delay, retry.map { now.duration(to: $0.at) } ?? .zero)
  }

  /// What is to be written now; may be empty.
  mutating func take() -> Wanted {
    isScheduled = false
    defer { wanted = Wanted() }
    return wanted
  }

  /// This is what is saved.
  mutating func loaded(_ player: PlayerSnapshot?) { lastSafeID = player?.tracks.lastSafeID ?? 0 }

  /// `changes` are saved.
  mutating func succeeded(_ changes: Wanted) {
    retry = nil
    isUnresponsive = false
    if let player = changes.player { loaded(player) }
  }

  /// `changes` could not be written; what was recorded meanwhile is newer. Returns how long to wait before the next
  /// ``take()``, which takes the place of any that is under way: a disk that has room again gets what it has missed, also
  /// when nothing changes any more. Nil when there will be none.
  mutating func failed(_ changes: Wanted, now: ContinuousClock.Instant) -> Duration? {
    if wanted.host == nil { wanted.host = changes.host }
    if wanted.player == nil { wanted.player = changes.player }
    let after = retry.map { min($0.after * 2, Self.retries.upperBound) } ?? Self.retries.lowerBound
    retry = (now + after, after)
    isScheduled = !isClosed
    return isClosed ? nil : after
  }

  mutating func close() { isClosed = true }
}
