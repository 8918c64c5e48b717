import JSON
import Kept
import Synchronization

/// The section `playlists`: what is kept, without the tracks.
public final class PlaylistsSection: PageSection {
  private struct State: Sendable {
    var version = 1
    var heads: [KeptHead] = []
  }

  private let state = Mutex(State())
  /// False where nothing can be kept.
  let isKept: Bool

  init(_ heads: [KeptHead], isKept: Bool) {
    self.isKept = isKept
    set(heads)
  }

  /// Takes the lists as they are now; false when nothing is different.
  @discardableResult
  func set(_ heads: [KeptHead]) -> Bool {
    state.withLock { state in
      let heads = heads.sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
      guard heads != state.heads else { return false }
      state.heads = heads
      state.version += 1
      return true
    }
  }

  subscript(id: UInt32) -> KeptHead? { state.withLock { $0.heads.first { $0.id == id } } }

  var heads: [KeptHead] { state.withLock { $0.heads } }

  public var version: Int { state.withLock { $0.version } }

  /// The section as it is now.
  var value: API.Playlists {
    let (version, heads) = state.withLock { ($0.version, $0.heads) }
    return API.Playlists(
      version: version, playlists: heads.map { API.Playlist($0) }, limit: isKept ? KeptLimits().lists : 0,
      isKept: isKept)
  }

  public func write(to json: inout JSONWriter) { value.write(to: &json) }
}

extension API.Playlist {
  init(_ head: KeptHead) {
    self.init(
      id: Int(head.id), name: head.name, count: head.count, seconds: Double(head.milliseconds) / 1000,
      changed: Int(head.changed), version: String(head.version))
  }
}
