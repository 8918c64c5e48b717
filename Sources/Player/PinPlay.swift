import Pins

/// The pin that was played last, and what has come of it.
public struct PinPlay: Sendable, Equatable {
  public enum Progress: Sendable, Equatable {
    /// Others are asked for its tracks.
    case finding
    /// It plays, as far as the player is concerned.
    case done
    /// There is nothing that could be played.
    case failed(PlaybackFailure)
    /// Something else was chosen meanwhile.
    case dropped
  }

  public let id: ResolveID
  public let pin: Pin
  public internal(set) var progress: Progress
}

/// What a pin stands for: the answer to ``Effect/findPin(_:_:)``.
public enum PinFinding: Sendable, Hashable {
  /// A station, or whatever else is at an address.
  case station(Media)
  /// A preset of the radio, by its id.
  case preset(UInt32)
  /// A source that is selected.
  case source(SourceKind)
  /// Tracks that replace the playlist.
  case tracks([Media])
  case nothing(PlaybackFailure)
}
