import Kept
import Player
import Services

/// The stored playlists, as controllers of the Sonos class see them.
extension Playlists: SavedQueues {
  /// More than a list has.
  private static let mostTracks = 1 << 20

  public nonisolated var heads: [KeptHead] { section.heads }

  nonisolated(nonsending) public func entries(
    of id: UInt32, from start: Int, count: Int, bytes: Int
  ) async throws(SavedQueueError) -> [KeptEntry] {
    switch await part(of: id, from: start, count: count, bytes: bytes) {
    case .value(let part): return part.entries
    case .problem(let problem): throw SavedQueueError(problem)
    }
  }

  nonisolated(nonsending) public func media(of id: UInt32) async throws(SavedQueueError) -> [Media] {
    switch await tracks(of: id, most: Self.mostTracks) {
    case .value(let found): return found.tracks
    case .problem(let problem): throw SavedQueueError(problem)
    }
  }

  nonisolated(nonsending) public func change(
    _ command: KeptCommand
  ) async throws(SavedQueueError) -> KeptHead? {
    switch await perform(command) {
    case .value(let outcome): return outcome.heads.first { $0.id == outcome.id }
    case .problem(let problem): throw SavedQueueError(problem)
    }
  }
}

extension SavedQueueError {
  init(_ problem: Problem) {
    switch problem.type {
    case "not-found": self = .notFound
    case "name-taken": self = .nameTaken
    case "out-of-range": self = .notPossible
    case "playlist-full", "too-many": self = .full
    default: self = .failed
    }
  }
}
