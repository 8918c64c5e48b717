/// Title, artist and album of a track as its DIDL-Lite has them; empty where it says nothing.
public struct TrackHeading: Sendable, Equatable {
  public var title = ""
  public var artist = ""
  public var album = ""

  public init(_ metadata: String) {
    guard let item = DIDL.items(metadata).first else { return }
    title = item.title ?? ""
    artist = item.artist ?? ""
    album = item.album ?? ""
  }
}
