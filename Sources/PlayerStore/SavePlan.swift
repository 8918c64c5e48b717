import Kept
import Player

/// An edit of the stored playlists, and when it is made, in seconds since 1970.
struct ListEdit: Sendable, Equatable {
  var edit: KeptEdit
  var time: Int64
}

/// Decides what to save and when: not for every step of a volume slider, and at most half a second late.
///
/// Only the latest state counts, and a snapshot shares its memory with the player, so nothing piles up however slow the
/// disk is. This type is pure; ``PlayerStore`` starts the timers and writes.
struct SavePlan: Sendable {
  /// What to save; nil for what has not changed.
  struct Wanted: Sendable, Equatable {
    var host: HostState?
    var player: PlayerSnapshot?
    var reports: ReportChange?
    /// What is done at once, and never collected.
    var lists: ListEdit?

    var isEmpty: Bool { host == nil && player == nil && reports == nil }
  }

  /// How long changes are collected before a save.
  static let delay = Duration.milliseconds(500)
  private static let retries = Duration.seconds(1)...Duration.seconds(60)

  private(set) var host: HostState
  private var wanted = Wanted()
  /// New reports that are being written.
  private var underway: [StoredReport] = []
  private var isScheduled = false
  private var isClosed = false
  /// Set after a failed save: when to try again, and the back-off that was used.
  private var retry: (at: ContinuousClock.Instant, after: Duration)?

  /// Creates a plan with nothing to save.
  ///
  /// - Parameter host: The state as read from the database.
  init(host: HostState = HostState()) { self.host = host }

  /// Records a new state of the player. Returns how long to wait before ``take()``; nil when a save is already
  /// scheduled, or after ``close()``.
  mutating func record(_ player: PlayerSnapshot, now: ContinuousClock.Instant) -> Duration? {
    guard !isClosed else { return nil }
    wanted.player = player
    return schedule(now: now)
  }

  /// Changes the daemon's own state. Returns the same as ``record(_:now:)``.
  mutating func changeHost(_ body: (inout HostState) -> Void, now: ContinuousClock.Instant) -> Duration? {
    guard !isClosed else { return nil }
    body(&host)
    wanted.host = host
    return schedule(now: now)
  }

  /// Adds a change of the reports that are kept. Returns the same as ``record(_:now:)``.
  mutating func changeReports(_ change: ReportChange, now: ContinuousClock.Instant) -> Duration? {
    guard !isClosed else { return nil }
    var all = wanted.reports ?? ReportChange()
    all.add(change)
    wanted.reports = all
    return schedule(now: now)
  }

  /// The reports among `seqs` that aren't written yet.
  func unwrittenReports(_ seqs: Set<Int64>) -> [StoredReport] {
    (underway + (wanted.reports?.inserted ?? [])).filter { seqs.contains($0.seq) }
  }

  private mutating func schedule(now: ContinuousClock.Instant) -> Duration? {
    guard !isScheduled else { return nil }
    isScheduled = true
    return max(Self.delay, retry.map { now.duration(to: $0.at) } ?? .zero)
  }

  /// Returns what to write now, which may be empty.
  mutating func take() -> Wanted {
    isScheduled = false
    underway = wanted.reports?.inserted ?? []
    defer { wanted = Wanted() }
    return wanted
  }

  /// Ends the back-off after a successful save.
  mutating func succeeded() {
    retry = nil
    underway = []
  }

  /// Queues `changes` again, which could not be written; anything recorded since then is newer and wins.
  ///
  /// Returns how long to wait before the next ``take()``, which replaces any that is scheduled: a disk that has room
  /// again gets the missed changes even when nothing else changes. Nil after ``close()``.
  mutating func failed(_ changes: Wanted, now: ContinuousClock.Instant) -> Duration? {
    underway = []
    if wanted.host == nil { wanted.host = changes.host }
    if wanted.player == nil { wanted.player = changes.player }
    if var reports = changes.reports {
      if let later = wanted.reports { reports.add(later) }
      wanted.reports = reports
    }
    let after = retry.map { min($0.after * 2, Self.retries.upperBound) } ?? Self.retries.lowerBound
    retry = (now + after, after)
    isScheduled = !isClosed
    return isClosed ? nil : after
  }

  mutating func close() { isClosed = true }
}
