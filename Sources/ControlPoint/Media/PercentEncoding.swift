/// Percent-encoded text of addresses (RFC 3986, 2.1).
public enum PercentEncoding {
  /// A percent sign that no two digits follow stays; so does everything if the result isn't UTF-8.
  public static func decoded(_ text: some StringProtocol) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      if byte == UInt8(ascii: "%"), digits.utf8.count == 2, !digits.hasPrefix("+"), !digits.hasPrefix("-"),
        let value = UInt8(digits, radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self) ?? String(text)
  }

  /// The same for people; what has control characters in it stays as it is.
  static func shown(_ text: String) -> String {
    let decoded = decoded(text)
    return decoded.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) }
      ? decoded : text
  }
}
