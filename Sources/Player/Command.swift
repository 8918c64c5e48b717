/// A command to the player.
public enum Command: Sendable, Hashable {
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

  case av(AVCommand)
  case playlist(PlaylistCommand)
  case radio(RadioCommand)
  case receiver(ReceiverCommand)
  case pins(PinCommand)
  case zone(ZoneCommand)
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
  /// What this room sends to others has changed.
  case senderChanged(SenderState)
  /// Answers ``Effect/wake(after:_:)``.
  case wake(WakeID)
}
