import Player
import Synchronization
import Uploads

/// The addresses of songs that are kept here: what others are told, and what the speaker itself plays.
///
/// The queue has the address under which the phone has reached the speaker, since control points and other rooms see it too.
/// The speaker plays the same song over its loopback address: that works without a network, and after the address has changed.
/// Its key says that a song is ours, whatever host stands before it. Used by all threads.
public final class OwnSongs: Sendable {
  private struct State: Sendable {
    var keys: Set<String> = []
    var port: Int?
  }

  private let state = Mutex(State())

  public init() {}

  /// Takes the port that is listened to.
  public func set(port: Int?) { state.withLock { $0.port = port } }

  func add(_ key: String) { state.withLock { _ = $0.keys.insert(key) } }
  func remove(_ key: String) { state.withLock { _ = $0.keys.remove(key) } }

  /// What the speaker plays for `media`: the same, except for its own songs.
  public func local(_ media: Media) -> Media {
    guard let key = SongAddress.key(inURI: media.uri) else { return media }
    let port = state.withLock { $0.keys.contains(key) ? $0.port : nil }
    guard let port, let uri = SongAddress.moved(media.uri, to: "http://127.0.0.1:\(port)") else {
      return media
    }
    var media = media
    media.uri = uri
    return media
  }

  /// The keys of songs that the player has: in its queue, cast to it, or playing.
  public static func needed(by state: PlayerState) -> Set<String> {
    let tracks = state.playlist.tracks
    let media = tracks.ids.lazy.map { tracks[$0] } + [state.av.media, state.av.nextMedia, state.currentTrack]
    return Set(media.compactMap { $0.flatMap { SongAddress.key(inURI: $0.uri) } })
  }
}
