/// The namespace prefixes in a piece of XML: which are used, and which are declared in it.
struct XMLPrefixes {
  private(set) var used: Set<String> = []
  private(set) var declared: [String: String] = [:]

  /// More are ignored.
  private static let maximum = 32

  init(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while let tag = bytes.firstIndex(of: 0x3c) {
      bytes = bytes[(tag + 1)...]
      guard let first = bytes.first, first != UInt8(ascii: "!"), first != UInt8(ascii: "?") else { continue }
      if first == UInt8(ascii: "/") { continue }
      readTag(&bytes)
    }
  }

  /// Reads a start tag, up to its end or the next tag.
  private mutating func readTag(_ bytes: inout ArraySlice<UInt8>) {
    use(name(&bytes))
    while let byte = bytes.first, byte != 0x3e, byte != 0x3c {
      guard byte > 0x20, byte != 0x2f else {
        bytes = bytes.dropFirst()
        continue
      }
      let name = name(&bytes)
      bytes = bytes.drop { $0 <= 0x20 || $0 == 0x3d }
      guard let quote = bytes.first, quote == 0x22 || quote == 0x27 else {
        if name.isEmpty { bytes = bytes.dropFirst() }
        continue
      }
      bytes = bytes.dropFirst()
      let value = bytes.prefix { $0 != quote && $0 != 0x3c }
      bytes = bytes[value.endIndex...].dropFirst(bytes[value.endIndex...].first == quote ? 1 : 0)
      declare(name, value)
      use(name)
    }
  }

  private func name(_ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let name = bytes.prefix { $0 > 0x20 && ![0x22, 0x27, 0x2f, 0x3c, 0x3d, 0x3e].contains($0) }
    bytes = bytes[name.endIndex...]
    return name
  }

  private mutating func use(_ name: ArraySlice<UInt8>) {
    guard let colon = name.firstIndex(of: UInt8(ascii: ":")), colon > name.startIndex,
      used.count < Self.maximum
    else { return }
    let prefix = String(decoding: name[..<colon], as: UTF8.self)
    if prefix != "xmlns", prefix != "xml" { used.insert(prefix) }
  }

  private mutating func declare(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
    guard declared.count < Self.maximum, value.count <= 512 else { return }
    if name.elementsEqual("xmlns".utf8) {
      declared[""] = String(decoding: value, as: UTF8.self)
    } else if name.starts(with: "xmlns:".utf8), name.count > 6 {
      declared[String(decoding: name.dropFirst(6), as: UTF8.self)] = String(decoding: value, as: UTF8.self)
    }
  }
}
