/// The track that follows the current one without a gap.
public struct NextTrack: Sendable, Hashable {
  public var id: PlayID
  public var media: Media

  public init(id: PlayID, media: Media) {
    self.id = id
    self.media = media
  }
}
