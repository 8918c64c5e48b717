import Synchronization

/// How many playlists may be in memory whole at a time, for one purpose: each may have 16 MB.
final class WholeLists: Sendable {
  /// One of them; its place is free again once nobody holds this any more.
  final class Place: Sendable {
    private let lists: WholeLists

    fileprivate init(_ lists: WholeLists) { self.lists = lists }

    deinit { lists.taken.withLock { $0 -= 1 } }
  }

  private let most: Int
  private let taken = Mutex(0)

  init(most: Int) { self.most = most }

  /// Nil while there are as many as there may be.
  func place() -> Place? {
    let isFree = taken.withLock { taken in
      guard taken < most else { return false }
      taken += 1
      return true
    }
    return isFree ? Place(self) : nil
  }
}
