import DIDLLite
import Player

/// Title, artist and album of the current track for display; unknown values are empty.
public struct TrackHeading: Sendable, Equatable {
  public var title = ""
  public var artist = ""
  public var album = ""

  /// The heading from DIDL-Lite metadata.
  public init(_ metadata: String) {
    guard let item = DIDL.items(metadata).first else { return }
    title = item.title ?? ""
    artist = item.artist ?? ""
    album = item.album ?? ""
  }

  /// The heading from the stream's tags, completed from the metadata of `state`'s current track. For a
  /// station this is the song.
  public init(_ state: PlayerState) {
    self.init(state.currentTrack?.metadata ?? "")
    guard let tags = state.metatext ?? state.facts.tags else { return }
    title = tags.title ?? title
    artist = tags.artist ?? artist
    album = tags.album ?? album
  }
}
