import CLinux
import Logging
import Player
import Synchronization
import Threads

/// Saves the state of the player and of the daemon across restarts, in an SQLite database in a directory of its own.
///
/// Recording a change takes a lock but never waits for the disk. A recorded change is on the disk half a second later,
/// in one transaction that writes only what differs. Nothing runs while nothing changes.
public final class PlayerStore: Sendable {
  /// The number of tracks, freed at once, above which memory is returned to the system.
  private static let manyTracks = 500

  /// The only thread that a slow disk blocks.
  let thread = JobThread(name: "vireo-state")
  private let plan: Mutex<SavePlan>
  let writer: Mutex<StoreWriter>
  private let directory: StoreDirectory
  /// The note of this run; nil before ``begin(bootID:firstID:)``, and when nothing may be written.
  private let note = Mutex<RunNote?>(nil)
  /// Who is told that reports have been written.
  private let reportsSaved = Mutex<(@Sendable (_ through: Int64) -> Void)?>(nil)
  /// A run that was killed before it saved them may have given out track IDs from this one on; 0 for none.
  public let firstUnsavedID: UInt32

  private init(writer: sending StoreWriter, host: HostState, directory: StoreDirectory, note: RunNote) {
    plan = Mutex(SavePlan(host: host))
    self.writer = Mutex(writer)
    self.directory = directory
    firstUnsavedID = note.firstID
  }

  /// Opens the store in `directory`, which the first save creates if necessary.
  ///
  /// Never fails. An unusable database is set aside as `state.db.damaged-…` or `state.db.version-…`, and one that can't
  /// be written is opened for reading; both are logged. Blocks for some milliseconds, however long the playlist is.
  public static func open(directory: String, logger: Logger) -> (store: PlayerStore, host: HostState) {
    let directory = StoreDirectory(path: directory)
    var writer = StoreWriter(directory: directory, logger: logger)
    var host = writer.open()
    let note = RunNote.read(directory)
    host.bootID = max(host.bootID, note.bootID)
    return (PlayerStore(writer: writer, host: host, directory: directory, note: note), host)
  }

  /// Describes what is in the way of the state in `directory`, such as a directory in place of the file.
  ///
  /// Nil when nothing is in the way.
  public static func obstacle(in directory: String) -> String? { StoreDirectory(path: directory).obstacle }

  /// Notes the numbers that this run gives out to control points.
  ///
  /// From this call on, every later start knows them, even when this process is killed immediately afterwards. Doesn't
  /// wait for the disk.
  ///
  /// - Parameters:
  ///   - bootID: BOOTID.UPNP.ORG of this run.
  ///   - firstID: The first ID that this run gives to a track.
  public func begin(bootID: UInt32, firstID: UInt32) {
    guard writer.withLock({ $0.maySave }) else { return }
    directory.makeDirectory()
    write(RunNote(bootID: bootID, firstID: firstID))
  }

  private func write(_ new: RunNote) {
    let isNew = note.withLock { note in
      guard note != new else { return false }
      note = new
      new.write(to: directory)
      return true
    }
    if isNew { thread.perform { [directory] in RunNote.sync(directory) } }
  }

  /// Returns the player as last saved; nil when it never was. Call once, before the first ``record(_:)``.
  ///
  /// Reads and checks the whole file, and blocks meanwhile: some tens of milliseconds for 10,000 tracks.
  public func load() -> PlayerSnapshot? {
    let snapshot = writer.withLock { $0.load() }
    if let snapshot, snapshot.tracks.count > Self.manyTracks { clinux_trim_heap() }
    return snapshot
  }

  /// Changes the daemon's own state, and schedules a save.
  public func changeHost(_ body: (inout HostState) -> Void) {
    let (delay, bootID) = plan.withLock { ($0.changeHost(body, now: .now), $0.host.bootID) }
    schedule(delay)
    if var new = note.withLock({ $0 }), new.bootID != bootID {
      new.bootID = bootID
      write(new)
    }
  }

  /// Schedules a save of `snapshot`. Costs the same however long the playlist is.
  public func record(_ snapshot: PlayerSnapshot) {
    schedule(plan.withLock { $0.record(snapshot, now: .now) })
  }

  /// Changes the reports that are kept, and schedules a save.
  public func changeReports(_ change: ReportChange) {
    schedule(plan.withLock { $0.changeReports(change, now: .now) })
  }

  /// Calls `saved` with the highest number of the new reports each time that some have been written, or couldn't be written.
  /// Called on the store's thread.
  public func onReportsSaved(_ saved: (@Sendable (_ through: Int64) -> Void)?) {
    reportsSaved.withLock { $0 = saved }
  }

  /// All reports that are kept, in ascending order, without their contents. Blocks while it reads them: some milliseconds for
  /// thousands.
  public func reportPlaces() -> [StoredReportPlace] { writer.withLock { $0.reportPlaces() } }

  /// Those of `seqs` that are kept, or are about to be. Blocks while it reads them.
  public func reports(_ seqs: [Int64]) -> [StoredReport] {
    let unwritten = plan.withLock { $0.unwrittenReports(Set(seqs)) }
    let missing = Set(seqs).subtracting(unwritten.map(\.seq))
    let written = missing.isEmpty ? [] : writer.withLock { $0.reports(missing.sorted()) }
    return (written + unwritten).sorted { $0.seq < $1.seq }
  }

  /// Writes what was recorded so far. Blocks until it is on the disk, but no longer than `limit`.
  ///
  /// - Returns: False when it isn't on the disk.
  func flush(within limit: Duration = .seconds(1)) -> Bool {
    finish(within: limit) { self.save() }
  }

  /// Writes what was recorded so far and closes the database; what is recorded from now on is lost.
  ///
  /// Blocks until all is on the disk, but no longer than `limit`.
  ///
  /// - Returns: False when it isn't on the disk.
  public func close(within limit: Duration = .seconds(1)) -> Bool {
    plan.withLock { $0.close() }
    return finish(within: limit) {
      let isSaved = self.save() && self.writer.withLock { $0.saveIfLost() }
      self.writer.withLock { $0.close() }
      // The database now has every ID that was given out.
      if isSaved, var note = self.note.withLock({ $0 }) {
        note.firstID = 0
        note.write(to: self.directory)
        RunNote.sync(self.directory)
      }
      return isSaved
    }
  }

  /// Runs `work` on the store's thread and waits for its result for at most `limit`; false when it takes longer.
  private func finish(within limit: Duration, _ work: @escaping @Sendable () -> Bool) -> Bool {
    let outcome = SharedState<Bool?>(nil)
    thread.perform {
      let isDone = work()
      outcome.change { $0 = isDone }
    }
    return outcome.wait(untilNanoseconds: JobThread.time(in: limit)) { $0 } ?? false
  }

  private func schedule(_ delay: Duration?) {
    guard let delay else { return }
    thread.perform(after: delay) { _ = self.save() }
  }

  private func save() -> Bool {
    let (isSaved, deleted) = saveWanted()
    // The snapshot is released by now, so its memory can be trimmed.
    if deleted > Self.manyTracks { clinux_trim_heap() }
    return isSaved
  }

  private func saveWanted() -> (isSaved: Bool, deleted: Int) {
    let wanted = plan.withLock { $0.take() }
    guard !wanted.isEmpty else { return (true, 0) }
    let (isSaved, deleted, isRecovered) = writer.withLock {
      ($0.save(wanted), $0.deletedTracks, $0.takeRecovery())
    }
    if isSaved {
      plan.withLock { $0.succeeded() }
      if isRecovered { rewriteNote() }
    } else {
      schedule(plan.withLock { $0.failed(wanted, now: .now) })
    }
    // Reports that can't be kept are sent nevertheless.
    if let last = wanted.reports?.inserted.last { reportsSaved.withLock { $0 }?(last.seq) }
    return (isSaved, deleted)
  }

  /// Writes the note again if all has just been saved again, as after a save.
  func noteRecovery() {
    if writer.withLock({ $0.takeRecovery() }) { rewriteNote() }
  }

  /// Whoever deleted the database has probably deleted the note, too.
  private func rewriteNote() {
    guard let note = note.withLock({ $0 }) else { return }
    note.write(to: directory)
    RunNote.sync(directory)
  }
}
