import Player

/// Title, artist and album of what plays, for people; empty where nobody says anything.
public struct TrackHeading: Sendable, Equatable {
  public var title = ""
  public var artist = ""
  public var album = ""

  /// As DIDL-Lite has them.
  public init(_ metadata: String) {
    guard let item = DIDL.items(metadata).first else { return }
    title = item.title ?? ""
    artist = item.artist ?? ""
    album = item.album ?? ""
  }

  /// As the stream says, and where it says nothing, the metadata of `state`'s current track. Of a station it is the
  /// song.
  public init(_ state: PlayerState) {
    self.init(state.currentTrack?.metadata ?? "")
    guard let tags = state.metatext ?? state.facts.tags else { return }
    title = tags.title ?? title
    artist = tags.artist ?? artist
    album = tags.album ?? album
  }
}
