/// What OpenHome control points ask of the radio source (OpenHome Radio:2).
///
/// "Active" means that radio is the active source and the player isn't in standby. What is ignored succeeds without
/// doing anything.
public enum RadioCommand: Sendable, Hashable {
  /// Takes over the presets by slot, nil for an empty one; those beyond `Radio.channelsMax` are left out.
  case setPresets([Media?])
  /// Asks the daemon to read the presets anew.
  case refreshPresets
  /// Makes radio active and chooses a station by its address; it is silent until Play. When the address is the
  /// present one only the metadata is taken over. An empty one leaves no station.
  case setChannel(Media)
  /// As `setChannel`, by preset; a `uri` that isn't empty replaces the preset's. Throws `invalidChannel`, and changes
  /// nothing then.
  case setID(UInt32, uri: String)
  /// Makes radio active. A live stream is connected to anew; one that can be sought in resumes. Ignored without
  /// station.
  case play
  /// Stops a live stream. Ignored when not active.
  case pause
  /// Ignored when not active.
  case stop
  /// Goes to a position and plays. Ignored when not active. Throws `seekFailed`.
  case seek(to: Duration)
  /// By so much from the present position, kept within the stream. Ignored when not active. Throws `seekFailed`.
  case skip(by: Duration)
}
