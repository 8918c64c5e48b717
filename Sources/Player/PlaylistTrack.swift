/// One entry of the playlist.
public struct PlaylistTrack: Sendable, Hashable {
  /// At least 1; never reused, not even after a restart.
  public let id: UInt32
  public let media: Media

  public init(id: UInt32, media: Media) {
    self.id = id
    self.media = media
  }
}
