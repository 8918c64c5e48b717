/// A command to the player.
public enum Command: Sendable, Hashable {
  // MARK: UPnP AV device, which shows the cast or another source

  /// Replaces the cast's media; nil clears it.
  ///
  /// Never starts, stops or pauses: a playing cast continues with the new media, and another source plays on
  /// until `play`. Clears the next media. Throws `resourceNotFound`, `illegalMIMEType`.
  case setAVURI(Media?)
  /// Replaces the media that follows the cast's; nil clears it.
  ///
  /// Throws `transitionNotAvailable` unless the device shows a cast, `resourceNotFound`, `illegalMIMEType`.
  case setNextAVURI(Media?)
  /// Plays; makes UPnP AV the active source if the device shows a cast. Throws `transitionNotAvailable`
  /// without media.
  case play
  /// Pauses. Throws `transitionNotAvailable` when stopped or without media, and for another source's live
  /// stream.
  case pause
  /// Stops, and keeps the next media. Throws `transitionNotAvailable` without media.
  case stop
  /// Seeks to a position in the current track; when stopped, the next Play begins there.
  ///
  /// Throws `transitionNotAvailable`, `illegalSeekTarget`.
  case seek(to: Duration)
  /// Goes to the start of a track of the container, counted from 1. Throws like `seek`.
  case seekTrack(Int)
  /// Plays the next track. Throws `transitionNotAvailable` without media, `illegalSeekTarget` when nothing
  /// follows.
  case next
  /// Plays the previous track. Throws `transitionNotAvailable` without media, `illegalSeekTarget` when there
  /// is none.
  case previous
  case setPlayMode(PlayMode)

  // MARK: Volume

  /// Sets a step, 0...100; values above the volume limit become the limit. The mute is unchanged. Throws
  /// `valueOutOfRange`.
  case setVolume(VolumeChannel, Int)
  /// Sets a level in 1/256 dB, within `Volume.decibelRange`; limited as `setVolume`. Throws
  /// `valueOutOfRange`.
  case setVolumeDecibels(VolumeChannel, Int)
  case setMute(VolumeChannel, Bool)
  /// Applies the preset FactoryDefaults: configured volume, all channels full, nothing muted.
  case restoreFactoryDefaults
  /// Changes the master's volume as OpenHome control points do, clamped to 0...`Volume.limit`.
  ///
  /// Unmutes when `unmutes` is true. Throws `volumeOutOfRange` above 100 when the volume is already 100, and
  /// above 200 always.
  case changeVolume(VolumeChange, unmutes: Bool)
  /// Sets the balance, from -`Volume.balanceMax` (left) to `Volume.balanceMax` (right). Throws
  /// `balanceOutOfRange`.
  case setBalance(Int)
  /// Shifts the balance, kept within the range.
  case moveBalance(by: Int)
  /// Sets a trim in 1/1024 dB, left or right only. Throws `unknownChannel`, `trimOutOfRange`.
  case setTrim(VolumeChannel, Int)
  /// Sets an offset in 1/1024 dB, left or right only. Throws `unknownChannel`, `offsetOutOfRange`.
  case setVolumeOffset(VolumeChannel, Int)

  // MARK: Sources

  case playlist(PlaylistCommand)
  case radio(RadioCommand)
  /// A command to the active source, whichever it is.
  case transport(TransportCommand)
  /// Leaves standby and makes this source active; the previous one stops. Throws `sourceNotFound`, without
  /// any effect.
  case setSource(SourceKind)
  /// Enters or leaves standby. Entering stops playback and releases the sound device. Leaving applies the
  /// start-up volume and source.
  case setStandby(Bool)
  /// Leaves standby as an action on a source does: applies the start-up volume, but not the start-up source.
  case leaveStandby

  // MARK: Daemon

  /// Applies a changed configuration.
  case configure(PlayerConfiguration)
  /// Sets the MIME types that the output can decode, with every alias listed.
  case setMIMETypes([String])
  /// Answers ``Effect/wake(after:_:)``.
  case wake(WakeID)
}

/// A volume change, in steps.
public enum VolumeChange: Sendable, Hashable {
  case to(Int)
  case by(Int)
}
