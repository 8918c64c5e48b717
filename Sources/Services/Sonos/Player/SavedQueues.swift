import Kept
import Player
import Synchronization
import UPnP

/// The stored playlists, as the services of a zone see them.
public protocol SavedQueues: Sendable {
  /// All of them, without their tracks.
  var heads: [KeptHead] { get }

  /// `count` tracks from the place `start` on; fewer when they have more than `bytes`, but one at least.
  nonisolated(nonsending) func entries(
    of id: UInt32, from start: Int, count: Int, bytes: Int
  ) async throws(SavedQueueError) -> [KeptEntry]

  /// The tracks of a list, where they are now.
  nonisolated(nonsending) func media(of id: UInt32) async throws(SavedQueueError) -> [Media]

  /// Carries out a command on lists; it is kept when this returns.
  nonisolated(nonsending) func change(_ command: KeptCommand) async throws(SavedQueueError) -> KeptHead?

  /// Tracks as they are kept.
  nonisolated(nonsending) func kept(_ media: [Media]) async -> [KeptTrack]
}

/// Why something can't be done with stored playlists.
public enum SavedQueueError: Error, Sendable, Hashable {
  case notFound
  case nameTaken
  /// A name, or an order, that isn't possible.
  case notPossible
  case full
  /// The disk can't be read or written, or is busy.
  case failed
}

extension UPnPError {
  init(_ error: SavedQueueError) {
    switch error {
    case .notFound: self.init(code: 701, description: "No such object")
    case .nameTaken, .notPossible: self.init(code: 402, description: "Invalid Args")
    case .full: self.init(code: 709, description: "Full")
    case .failed: self.init(code: 501, description: "Action Failed")
    }
  }
}

/// Where nothing can be kept.
public struct NoSavedQueues: SavedQueues {
  public init() {}
  public var heads: [KeptHead] { [] }
  nonisolated(nonsending) public func entries(
    of id: UInt32, from start: Int, count: Int, bytes: Int
  ) async throws(SavedQueueError) -> [KeptEntry] { throw .notFound }
  nonisolated(nonsending) public func media(of id: UInt32) async throws(SavedQueueError) -> [Media] {
    throw .notFound
  }
  nonisolated(nonsending) public func change(
    _ command: KeptCommand
  ) async throws(SavedQueueError) -> KeptHead? { throw .failed }
  nonisolated(nonsending) public func kept(_ media: [Media]) async -> [KeptTrack] { [] }
}
