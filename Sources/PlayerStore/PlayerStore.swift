import CLinux
import Logging
import Player
import Synchronization
import Threads

/// Keeps the player's state, and what else must survive a restart, in an SQLite database in one directory.
///
/// Recording costs the caller a lock and, but for the first track of a run, no waiting. What was recorded is on the disk
/// half a second later, whole or not at all, and only what differs from what is there already is written. Nothing runs
/// while nothing changes.
public final class PlayerStore: Sendable {
  /// Tracks that have to go at once for their memory to be given back to the system.
  private static let manyTracks = 500

  /// A slow disk blocks nobody but this.
  private let thread = JobThread(name: "vireo-state")
  private let plan: Mutex<SavePlan>
  private let writer: Mutex<StoreWriter>

  private init(writer: sending StoreWriter, host: HostState) {
    plan = Mutex(SavePlan(host: host))
    self.writer = Mutex(writer)
  }

  /// Opens the store in `directory`, which is made with the first save when it is absent. Never fails: a database that can't be used is set
  /// aside as `state.db.damaged-…` or `state.db.version-…`, one that can't be written is read at least, and either is
  /// reported.
  ///
  /// Blocks for some milliseconds, however long the playlist is.
  public static func open(directory: String, logger: Logger) -> (store: PlayerStore, host: HostState) {
    var writer = StoreWriter(directory: StoreDirectory(path: directory), logger: logger)
    let host = writer.open()
    return (PlayerStore(writer: writer, host: host), host)
  }

  /// What the player was when it was saved last; nil when it never was. To be called once, before the first
  /// ``record(_:)``.
  ///
  /// Reads and checks the whole file, and blocks meanwhile: some tens of milliseconds for 10,000 tracks.
  public func load() -> PlayerSnapshot? {
    let snapshot = writer.withLock { $0.load() }
    plan.withLock { $0.loaded(snapshot) }
    if let snapshot, snapshot.tracks.count > Self.manyTracks { clinux_trim_heap() }
    return snapshot
  }

  /// Changes what the host keeps, and has it saved soon.
  public func changeHost(_ body: (inout HostState) -> Void) {
    schedule(plan.withLock { $0.changeHost(body, now: .now) })
  }

  /// Has `snapshot` saved soon. Costs the same however long the playlist is.
  ///
  /// With the first track of a run it blocks until that is on the disk, at most a second: as long as nobody was told of
  /// it, its id can't come to mean another track.
  public func record(_ snapshot: PlayerSnapshot) {
    let (delay, mustWait) = plan.withLock { ($0.record(snapshot, now: .now), $0.mustWait(for: snapshot)) }
    schedule(delay)
    if mustWait, !flush() { plan.withLock { $0.gaveUpWaiting() } }
  }

  /// Writes what was recorded so far. Blocks until it is on the disk, but no longer than `limit`; false when it isn't
  /// there.
  public func flush(within limit: Duration = .seconds(1)) -> Bool {
    finish(within: limit) { self.save() }
  }

  /// Writes what was recorded so far and closes the database; what is recorded from now on is lost. Blocks until all
  /// is on the disk, but no longer than `limit`; false when it isn't there.
  public func close(within limit: Duration = .seconds(1)) -> Bool {
    plan.withLock { $0.close() }
    return finish(within: limit) {
      let isSaved = self.save()
      self.writer.withLock { $0.close() }
      return isSaved
    }
  }

  /// Waits for `work`, but not for ever.
  private func finish(within limit: Duration, _ work: @escaping @Sendable () -> Bool) -> Bool {
    let outcome = Outcome()
    thread.perform { outcome.set(work()) }
    return outcome.wait(limit) ?? false
  }

  private func schedule(_ delay: Duration?) {
    guard let delay else { return }
    thread.perform(after: delay) { _ = self.save() }
  }

  private func save() -> Bool {
    let (isSaved, deleted) = saveWanted()
    // Nothing of the snapshot is held here any more.
    if deleted > Self.manyTracks { clinux_trim_heap() }
    return isSaved
  }

  private func saveWanted() -> (isSaved: Bool, deleted: Int) {
    let wanted = plan.withLock { $0.take() }
    guard !wanted.isEmpty else { return (true, 0) }
    let (isSaved, deleted) = writer.withLock { ($0.save(wanted), $0.deletedTracks) }
    if isSaved {
      plan.withLock { $0.succeeded(wanted) }
    } else {
      schedule(plan.withLock { $0.failed(wanted, now: .now) })
    }
    return (isSaved, deleted)
  }
}

/// What one thread waits for and another one finds out.
// Safe to share: the value is used under `monitor` only.
private final class Outcome: @unchecked Sendable {
  private let monitor = Monitor()
  private var value: Bool?

  func set(_ value: Bool) {
    monitor.locked {
      self.value = value
      monitor.signalAll()
    }
  }

  /// Nil when it isn't known after `limit`.
  func wait(_ limit: Duration) -> Bool? {
    let end = JobThread.time(in: limit)
    return monitor.locked {
      while value == nil, monitor.wait(untilNanoseconds: end) {}
      return value
    }
  }
}
