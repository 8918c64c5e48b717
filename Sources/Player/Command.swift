/// Everything that anybody can ask of the player.
public enum Command: Sendable, Hashable {
  // MARK: UPnP AV source

  /// Replaces the media; nil clears it. Never starts, stops or pauses: while playing the new media plays at once.
  /// Clears the next media. Throws `resourceNotFound`, `illegalMIMEType`.
  case setAVURI(Media?)
  /// Replaces the media that follows; nil clears it.
  /// Throws `transitionNotAvailable` without current media, `resourceNotFound`, `illegalMIMEType`.
  case setNextAVURI(Media?)
  /// Throws `transitionNotAvailable` without media.
  case play
  /// Throws `transitionNotAvailable` when stopped or without media.
  case pause
  /// Clears the next media, unless already stopped. Throws `transitionNotAvailable` without media.
  case stop
  /// Goes to a position within the current track; when stopped, the next Play begins there.
  /// Throws `transitionNotAvailable`, `illegalSeekTarget`.
  case seek(to: Duration)
  /// Goes to the start of a track of the container, counted from 1. Throws as `seek`.
  case seekTrack(Int)
  /// Throws `transitionNotAvailable` without media, `illegalSeekTarget` when nothing follows.
  case next
  /// Throws `transitionNotAvailable` without media, `illegalSeekTarget` when nothing precedes.
  case previous
  case setPlayMode(PlayMode)

  // MARK: Volume

  /// 0...100; values above the volume limit become the limit. Muting stays as it is. Throws `valueOutOfRange`.
  case setVolume(VolumeChannel, Int)
  /// 1/256 dB, within `Volume.decibelRange`; limited as `setVolume`. Throws `valueOutOfRange`.
  case setVolumeDecibels(VolumeChannel, Int)
  case setMute(VolumeChannel, Bool)
  /// Preset FactoryDefaults: configured volume, all channels full, nothing muted.
  case restoreFactoryDefaults
  /// The master's volume as OpenHome control points set it: kept within 0...`Volume.limit` without refusal, and
  /// unmuting when told to. Throws `volumeOutOfRange` for more than 100 when it is at 100 already.
  case changeVolume(VolumeChange, unmutes: Bool)
  /// -`Volume.balanceMax`...`Volume.balanceMax`, from left to right. Throws `balanceOutOfRange`.
  case setBalance(Int)
  /// By so much, kept within the range.
  case moveBalance(by: Int)
  /// 1/1024 dB, left or right only. Throws `unknownChannel`, `trimOutOfRange`.
  case setTrim(VolumeChannel, Int)
  /// 1/1024 dB, left or right only. Throws `unknownChannel`, `offsetOutOfRange`.
  case setVolumeOffset(VolumeChannel, Int)

  // MARK: Sources

  case playlist(PlaylistCommand)
  case radio(RadioCommand)
  /// To the active source, whichever it is.
  case transport(TransportCommand)
  /// Leaves standby and makes this source the active one; the one before stops. Throws `sourceNotFound`, and changes
  /// nothing then.
  case setSource(SourceKind)
  /// Entering stops and lets go of the sound device. Leaving applies the start-up volume and source.
  case setStandby(Bool)
  /// Leaves standby as an action on a source does: without choosing the start-up source.
  case leaveStandby

  // MARK: Daemon

  /// Takes over a changed configuration.
  case configure(PlayerConfiguration)
  /// Takes over what the output has found that it can decode: MIME types, every alias spelt out.
  case setMIMETypes([String])
  /// Answers ``Effect/wake(after:_:)``.
  case wake(WakeID)
}

/// Where the volume is to go, in steps.
public enum VolumeChange: Sendable, Hashable {
  case to(Int)
  case by(Int)
}
