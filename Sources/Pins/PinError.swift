/// Why something about pins is refused (OpenHome Pins:1).
public enum PinError: Int, Error, Sendable, Hashable, CaseIterable {
  /// There is no such slot.
  case indexOutOfRange = 801
  /// No pin has this id.
  case idNotFound = 802
  /// Nothing here plays pins of this mode.
  case modeNotSupported = 803
  /// There is nothing to play in it.
  case nothingToPlay = 805
  /// The address is empty, too long, of another version, or not of its mode.
  case uriNotSupported = 806

  /// The code that control points get.
  public var code: Int { rawValue }

  public var text: String {
    switch self {
    case .indexOutOfRange: "Pin index out of range"
    case .idNotFound: "Pin id not found"
    case .modeNotSupported: "Pin mode not supported"
    case .nothingToPlay: "Nothing to play"
    case .uriNotSupported: "Pin URI not supported"
    }
  }
}
