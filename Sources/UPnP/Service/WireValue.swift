/// A value that has a text on the wire (UPnP Device Architecture, "dataType").
public protocol WireValue: Sendable {
  /// Reads leniently what control points send; nil when it is no such value.
  init?(wire: String)
  /// The canonical text.
  var wire: String { get }
}

extension String: WireValue {
  public init?(wire: String) { self = wire }
  public var wire: String { self }
}

extension Bool: WireValue {
  /// Accepts `0 1 true false yes no` in any case, and any other whole number as true.
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

extension StringProtocol {
  /// The text without space, tab, CR and LF at both ends.
  public var trimmingASCIISpace: String {
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0d).contains($0) }
    let text = String(self)
    guard let first = text.utf8.firstIndex(where: { !isSpace($0) }),
      let last = text.utf8.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(text[first..<text.utf8.index(after: last)])
  }
}
