import Text

/// A value that can be written as a string on the wire (UPnP Device Architecture, "dataType").
public protocol WireValue: Sendable {
  /// Reads what control points send, leniently; nil when it isn't such a value.
  init?(wire: String)
  /// The canonical string.
  var wire: String { get }
}

extension String: WireValue {
  public init?(wire: String) { self = wire }
  public var wire: String { self }
}

extension Bool: WireValue {
  /// Booleans: accepts `0 1 true false yes no` in any case, and any other whole number as true.
  public init?(wire: String) {
    let text = wire.trimmingASCIISpace.lowercased()
    switch text {
    case "1", "true", "yes": self = true
    case "0", "false", "no": self = false
    default:
      guard let number = Int64(text) else { return nil }
      self = number != 0
    }
  }
  public var wire: String { self ? "1" : "0" }
}

extension WireValue where Self: FixedWidthInteger {
  /// Accepts surrounding space, a leading plus and leading zeros.
  public init?(wire: String) {
    self.init(wire.trimmingASCIISpace, radix: 10)
  }
  public var wire: String { String(self) }
}

extension UInt8: WireValue {}
extension UInt16: WireValue {}
extension UInt32: WireValue {}
extension Int8: WireValue {}
extension Int16: WireValue {}
extension Int32: WireValue {}

extension WireValue where Self: RawRepresentable, RawValue == String {
  public init?(wire: String) { self.init(rawValue: wire) }
  public var wire: String { rawValue }
}
