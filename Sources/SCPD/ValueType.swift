/// The data types of state variables that this project serves (UPnP Device Architecture, "dataType").
public enum ValueType: String, Sendable, Hashable, CaseIterable {
  case ui1, ui2, ui4, i1, i2, i4, boolean, string, uri
  case base64 = "bin.base64"

  /// The integers that this type can hold; nil when it isn't a number.
  public var integerRange: ClosedRange<Int64>? {
    switch self {
    case .ui1: 0...0xff
    case .ui2: 0...0xffff
    case .ui4: 0...0xffff_ffff
    case .i1: -0x80...0x7f
    case .i2: -0x8000...0x7fff
    case .i4: -0x8000_0000...0x7fff_ffff
    case .boolean, .string, .uri, .base64: nil
    }
  }
}
