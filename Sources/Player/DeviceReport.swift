/// The state of the sound device, as last reported by the output.
public enum DeviceReport: Sendable, Hashable {
  /// No device is open: nothing plays, or a device is being opened.
  case closed
  /// Sound plays through the device `name`.
  case open(name: String, SoundPath)
  /// Playback runs without a device; the text says why and what to do.
  case silent(String)
  /// Playback waits for the device; the text says why and what to do.
  case away(String)

  public var isOpen: Bool { if case .open = self { true } else { false } }
}
