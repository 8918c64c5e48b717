import CLinux
import Kept
import Threads

/// Stored playlists: the database has them, and nothing of them is in memory but what somebody asks for.
extension PlayerStore {
  /// All lists without their tracks, as ``load()`` has read them.
  public func keptHeads() -> [KeptHead] { writer.withLock { $0.keptHeads } }

  /// Carries out an edit on the store's thread; it is on the disk when this returns.
  ///
  /// - Parameter time: now, in seconds since 1970.
  public func keep(_ edit: KeptEdit, at time: Int64) async -> Result<KeptOutcome, KeptFailure> {
    await onThread {
      let result = self.writer.withLock { $0.keep(edit, at: time) }
      self.noteRecovery()
      return result
    }
  }

  /// A part of a list: `count` tracks from the place `start` on, fewer when they have more than `bytes`, but one at least.
  public func keptTracks(
    of id: UInt32, from start: Int, count: Int, bytes: Int = .max
  ) async -> Result<KeptPart, KeptFailure> {
    await onThread {
      self.writer.withLock { $0.keptTracks(of: id, from: start, count: count, bytes: bytes) }
    }
  }

  /// Returns memory to the system that long lists have used, once what runs now is done.
  public func trimAfterLists() { thread.perform { clinux_trim_heap() } }

  private func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      thread.perform { continuation.resume(returning: work()) }
    }
  }
}
