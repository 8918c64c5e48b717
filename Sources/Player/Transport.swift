/// What the one transport of the player does. All there is to know about it is in the case and its payload.
///
/// Whether there is anything to play isn't the transport's business but the active source's.
public enum Transport: Sendable, Hashable {
  /// What a transport on its way somewhere is meant to arrive at.
  public enum Target: Sendable, Hashable {
    case playing
    /// Asked to pause while on the way; counts as under way until silence is confirmed.
    case paused
    /// It was paused before the resource or the position changed and counts as paused all the while.
    case cued
  }

  case stopped
  /// The source has yet to find out what its current track is (a container is being fetched).
  case resolving(Target)
  /// The output was told to start this track; nothing of it was heard yet.
  case loading(PlayID, Target)
  /// The track has begun and now waits for data.
  case buffering(PlayID, Target)
  case playing(PlayID)
  case paused(PlayID)
  /// The station's stream has broken off; it is connected to again when the player is woken.
  case reconnecting(WakeID)

  /// The attempt that the output is busy with; nil when it has nothing to do.
  public var playID: PlayID? {
    switch self {
    case .stopped, .resolving, .reconnecting: nil
    case .loading(let id, _), .buffering(let id, _), .playing(let id), .paused(let id): id
    }
  }

  /// The target that another track has to get so that changing tracks doesn't start, stop or pause anything;
  /// nil when stopped.
  public var continuation: Target? {
    switch self {
    case .stopped: nil
    case .resolving(let target), .loading(_, let target), .buffering(_, let target): target
    case .playing, .reconnecting: .playing
    case .paused: .cued
    }
  }
}
