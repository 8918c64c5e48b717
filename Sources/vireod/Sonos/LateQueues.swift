import Kept
import Player
import Services

/// The stored playlists, for services that are made before those are there.
final class LateQueues: SavedQueues {
  private let bound = SetOnce<any SavedQueues>()

  func bind(_ queues: any SavedQueues) { bound.bind(queues) }

  private var queues: any SavedQueues { bound.value ?? NoSavedQueues() }

  var heads: [KeptHead] { queues.heads }

  nonisolated(nonsending) func entries(
    of id: UInt32, from start: Int, count: Int, bytes: Int
  ) async throws(SavedQueueError) -> [KeptEntry] {
    try await queues.entries(of: id, from: start, count: count, bytes: bytes)
  }

  nonisolated(nonsending) func media(of id: UInt32) async throws(SavedQueueError) -> [Media] {
    try await queues.media(of: id)
  }

  nonisolated(nonsending) func change(_ command: KeptCommand) async throws(SavedQueueError) -> KeptHead? {
    try await queues.change(command)
  }

  nonisolated(nonsending) func kept(_ media: [Media]) async -> [KeptTrack] { await queues.kept(media) }
}
