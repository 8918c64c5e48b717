import Kept

/// Stored playlists: read and changed at once, and not with what is saved by and by, so that whoever asks hears whether it was done.
extension StoreWriter {
  /// Carries out an edit; it is on the disk when this returns.
  mutating func keep(_ edit: KeptEdit, at time: Int64) -> Result<KeptOutcome, KeptFailure> {
    keptResult = nil
    guard maySave, save(SavePlan.Wanted(lists: .init(edit: edit, time: time))) else {
      return .failure(.notWritten)
    }
    switch keptResult {
    case .success(var outcome):
      keptEdits += 1
      outcome.number = keptEdits
      return .success(outcome)
    case .failure(let refusal): return .failure(.refused(refusal))
    case nil: return .failure(.notWritten)
    }
  }

  /// What is on a disk that can't be written, for which there is no connection otherwise.
  private var readable: StateDatabase? {
    maySave && directory.hasFile ? try? StateDatabase(path: directory.file, mode: .readOnly) : nil
  }

  /// A part of a list: `count` tracks from the place `start` on, and the version of the list; fewer when they have more than
  /// `bytes`, but one at least.
  func keptTracks(
    of id: UInt32, from start: Int, count: Int, bytes: Int
  ) -> Result<KeptPart, KeptFailure> {
    guard let database = database ?? readable else {
      return .failure(readsNothing ? .refused(.noList) : .notRead)
    }
    defer { database.database.releaseMemory() }
    do throws(SQLiteError) {
      guard let list = try database.keptList(id) else { return .failure(.refused(.noList)) }
      let ids = list.ids.dropFirst(max(start, 0)).prefix(max(count, 0))
      return .success(KeptPart(head: list.head, entries: try database.keptEntries(ids, bytes: bytes)))
    } catch {
      return .failure(.notRead)
    }
  }
}
