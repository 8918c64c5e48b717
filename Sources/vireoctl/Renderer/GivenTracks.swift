import ControlPoint
import Proxies
import Renderers
import Synchronization

/// What a renderer was given by this command, to tell it from what else it plays.
final class GivenTracks: Sendable {
  private struct Track {
    var uri: String
    /// In the renderer's queue; nil if it has none.
    var id: UInt32?
  }

  private let tracks = Mutex<[Track]>([])

  func add(_ uri: String, id: UInt32?) { tracks.withLock { $0.append(Track(uri: uri, id: id)) } }

  /// The ids in the renderer's queue of those whose addresses fulfil a condition.
  func ids(where isWanted: (String) -> Bool) -> [UInt32] {
    tracks.withLock(\.self).filter { isWanted($0.uri) }.compactMap(\.id)
  }

  /// True if one of them is what the renderer is at: by its id in the queue, else by its address.
  func contains(_ status: PlayerStatus) -> Bool {
    let tracks = tracks.withLock(\.self)
    let ids = Set(tracks.compactMap(\.id))
    if !ids.isEmpty, let id = status.trackID { return ids.contains(id) }
    let named = [status.uri, status.givenURI].compactMap(\.self).map { PercentEncoding.decoded($0) }
    // A renderer that doesn't say what it plays has been given something.
    guard !named.isEmpty else { return ids.isEmpty }
    let own = Set(tracks.map { PercentEncoding.decoded($0.uri) })
    return named.contains { own.contains($0) }
  }

  /// Takes tracks out of the renderer's queue again, also after Ctrl-C; takes a second at most.
  func remove(from renderer: Renderer, where isWanted: (String) -> Bool) async {
    let ids = ids(where: isWanted)
    guard !ids.isEmpty, let playlist: Playlist1.Proxy = try? renderer.proxy(.playlist) else { return }
    await Task {
      _ = try? await within(.seconds(1)) {
        // One that somebody has taken out already fails.
        for id in ids { try? await playlist.deleteId(value: id) }
      }
    }.value
  }
}
