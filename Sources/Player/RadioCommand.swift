/// A command to the radio source (OpenHome Radio:2).
///
/// "Active" means that radio is the active source and the player isn't in standby. Ignored commands succeed
/// without an effect.
public enum RadioCommand: Sendable, Hashable {
  /// Replaces the presets, by slot; nil for an empty slot. Those beyond `Radio.channelsMax` are dropped.
  case setPresets([Media?])
  /// Asks the daemon to read the presets again.
  case refreshPresets
  /// Chooses a station by its address, without starting it.
  ///
  /// Makes radio active unless another source plays: that one plays on, and the transport's next Play is for
  /// the station. With the current address, only the metadata is replaced. An empty address clears the
  /// station.
  case setChannel(Media)
  /// As `setChannel`, by preset; a non-empty `uri` replaces the preset's. Throws `invalidChannel`, without
  /// any effect.
  case setID(UInt32, uri: String)
  /// Makes radio active. Reconnects to a live stream; resumes a seekable one. Ignored without a station.
  case play
  /// Stops a live stream. Ignored when not active.
  case pause
  /// Ignored when not active.
  case stop
  /// Seeks to a position and plays. Ignored when not active. Throws `seekFailed`.
  case seek(to: Duration)
  /// Seeks relative to the current position, kept within the stream, and plays. Ignored when not active.
  /// Throws `seekFailed`.
  case skip(by: Duration)
}
