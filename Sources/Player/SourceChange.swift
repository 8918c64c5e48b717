/// A change that the transport makes to a source, whichever it is.
enum SourceChange {
  /// What the cued media contains; its tracks, if they are known.
  case open(MediaContent)
  /// Fixes what follows, so that ``PlayerSource/follower`` is the track that will really follow.
  case prepareFollower
  /// Makes the follower current. Returns false when there is none.
  case advance
  /// Makes the track current to which a control point's Next or Previous leads. Returns false when there is none.
  case move(SkipDirection)
  /// Goes to the first track, as after the end of the last one.
  case rewind
  /// Skips the follower because it is unplayable.
  case dropFollower(because: PlaybackFailure)
  /// Makes the last of the tracks current that were skipped behind the current one.
  case takeSkipped
  /// Audio data of the current track has arrived.
  case dataArrived
  /// The current track is heard.
  case heard
  /// The sender of the stream plays another track.
  case streamTrack(Media)
  /// What the sender's live stream says that it plays, as DIDL-Lite.
  case streamText(String)
}

extension PlayerSource {
  /// Returns false when the change leads nowhere.
  mutating func apply(_ change: SourceChange, using random: inout SplitMix64) -> Bool {
    switch change {
    case .open(let content): open(content, using: &random)
    case .prepareFollower: prepareFollower(using: &random)
    case .advance: return advance(using: &random)
    case .move(let direction): return move(direction, using: &random)
    case .rewind: rewind(using: &random)
    case .dropFollower(let failure): dropFollower(because: failure)
    case .takeSkipped: takeSkipped(using: &random)
    case .dataArrived: dataArrived()
    case .heard: heard()
    case .streamTrack(let media): streamTrackChanged(media)
    case .streamText(let text): streamTextChanged(text)
    }
    return true
  }
}
