import NIOCore

/// Mends XML in which ampersands stand for themselves, as one control point sends addresses.
enum BareAmpersands {
  private static let ampersand = UInt8(ascii: "&")
  /// The longest reference, without its ampersand: `#x10ffff;`
  private static let longestReference = 9

  /// Returns `body` with each ampersand escaped that doesn't begin a reference; nil when there is none.
  static func escaped(_ body: ByteBuffer) -> ByteBuffer? {
    var mended = ByteBuffer()
    var hasChanged = false
    var rest = body.readableBytesView[...]
    while let place = rest.firstIndex(of: ampersand) {
      let after = rest.index(after: place)
      mended.writeBytes(rest[..<after])
      rest = rest[after...]
      guard !isReference(rest.prefix(longestReference)) else { continue }
      mended.writeStaticString("amp;")
      hasChanged = true
    }
    mended.writeBytes(rest)
    return hasChanged ? mended : nil
  }

  /// Whether these bytes, which follow an ampersand, make a reference of it.
  private static func isReference(_ bytes: some Collection<UInt8>) -> Bool {
    guard let end = bytes.firstIndex(of: UInt8(ascii: ";")) else { return false }
    let name = String(decoding: bytes[..<end], as: UTF8.self)
    if ["amp", "lt", "gt", "quot", "apos"].contains(name) { return true }
    guard name.hasPrefix("#") else { return false }
    let digits = name.dropFirst()
    return digits.hasPrefix("x")
      ? UInt32(digits.dropFirst(), radix: 16) != nil : UInt32(String(digits)) != nil
  }
}
