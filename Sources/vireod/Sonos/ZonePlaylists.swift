import Kept
import Page
import Player
import Services

/// The stored playlists of the page, for the zone, which is made before them.
final class ZonePlaylists: SavedQueues {
  /// Bound once the page exists.
  let playlists = SetOnce<Playlists>()

  var heads: [KeptHead] { playlists.value?.heads ?? [] }

  private func bound() throws(SavedQueueError) -> Playlists {
    guard let playlists = playlists.value else { throw .failed }
    return playlists
  }

  nonisolated(nonsending) func entries(
    of id: UInt32, from start: Int, count: Int, bytes: Int
  ) async throws(SavedQueueError) -> [KeptEntry] {
    try await bound().entries(of: id, from: start, count: count, bytes: bytes)
  }

  nonisolated(nonsending) func media(of id: UInt32) async throws(SavedQueueError) -> [Media] {
    try await bound().media(of: id)
  }

  nonisolated(nonsending) func change(_ command: KeptCommand) async throws(SavedQueueError) -> KeptHead? {
    try await bound().change(command)
  }

  nonisolated(nonsending) func kept(_ media: [Media]) async -> [KeptTrack] {
    await playlists.value?.kept(media) ?? media.map { KeptTrack($0) }
  }
}
