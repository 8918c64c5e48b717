import Glibc
import Kept
import Page
import PlayerStore

/// Keeps playlists in the state.
struct StatePlaylistKeeper: PlaylistKeeper {
  let store: PlayerStore

  func heads() -> [KeptHead] { store.keptHeads() }

  func perform(_ edit: KeptEdit) async -> Result<KeptOutcome, KeptFailure> {
    await store.keep(edit, at: Int64(time(nil)))
  }

  func tracks(
    of id: UInt32, from start: Int, count: Int, bytes: Int
  ) async -> Result<KeptPart, KeptFailure> {
    await store.keptTracks(of: id, from: start, count: count, bytes: bytes)
  }

  func trim() { store.trimAfterLists() }
}
