/// The state of the player's single transport. Each case carries all that is known about it.
///
/// Whether there is anything to play depends on the active source.
public enum Transport: Sendable, Hashable {
  /// The state that a transport is on its way to.
  public enum Target: Sendable, Hashable {
    case playing
    /// Pause was requested on the way; not yet paused until the output confirms silence.
    case paused
    /// It was already paused when the resource or position changed, and still counts as paused.
    case cued
  }

  case stopped
  /// The source is still finding out its current track (a container is being fetched).
  case resolving(Target)
  /// The output was asked to start this track; nothing was heard yet.
  case loading(PlayID, Target)
  /// The track has started and now waits for data.
  case buffering(PlayID, Target)
  case playing(PlayID)
  case paused(PlayID)
  /// Waiting for the next attempt to open the stream, at the wake-up.
  case reconnecting(WakeID)
  /// Paused for a long time, or during an outage, so that the output has released everything. The track is
  /// reopened where it was.
  case suspended

  /// The playback attempt that the output is working on; nil when there is none.
  public var playID: PlayID? {
    switch self {
    case .stopped, .resolving, .reconnecting, .suspended: nil
    case .loading(let id, _), .buffering(let id, _), .playing(let id), .paused(let id): id
    }
  }

  /// The target that keeps the transport state when the track changes, so that the change doesn't start, stop
  /// or pause anything; nil when stopped.
  public var continuation: Target? {
    switch self {
    case .stopped: nil
    case .resolving(let target), .loading(_, let target), .buffering(_, let target): target
    case .playing, .reconnecting: .playing
    case .paused, .suspended: .cued
    }
  }

  /// True when there is a stream, even if the output has released it for a while.
  var hasStream: Bool {
    switch self {
    case .stopped, .resolving: false
    case .loading, .buffering, .playing, .paused, .reconnecting, .suspended: true
    }
  }
}
