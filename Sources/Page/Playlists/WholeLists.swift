import Synchronization

/// How many long playlists may be in memory whole at a time, for one purpose: each may have 16 MB.
final class WholeLists: Sendable {
  /// One of them; its place is free again once nobody holds this any more.
  final class Place: Sendable {
    /// Nil for a short one, which takes no place.
    private let lists: WholeLists?

    fileprivate init(_ lists: WholeLists?) { self.lists = lists }

    deinit { lists?.taken.withLock { $0 -= 1 } }
  }

  /// Of so many bytes there may be any number, as many as there are connections.
  static let short = 1 << 20

  private let most: Int
  private let taken = Mutex(0)

  init(most: Int) { self.most = most }

  /// Nil while there are as many as there may be.
  ///
  /// - Parameter bytes: how long the list is.
  func place(bytes: Int) -> Place? {
    guard bytes > Self.short else { return Place(nil) }
    let isFree = taken.withLock { taken in
      guard taken < most else { return false }
      taken += 1
      return true
    }
    return isFree ? Place(self) : nil
  }
}
