/// The result of reading what may be a container.
public enum Resolution: Sendable, Hashable {
  /// The tracks, in the order of the container.
  case entries([Media])
  /// Not a container after all (an HLS playlist, for example): play it as it is.
  case notAContainer
  case failed(PlaybackFailure)
}
