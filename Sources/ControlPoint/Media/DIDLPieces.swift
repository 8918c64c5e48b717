import Glibc
import XML

/// The objects of a DIDL-Lite document, each as the server wrote it: cut out by their tags, so that one that is broken
/// doesn't take the others along.
struct DIDLPieces {
  struct Piece {
    var text: String
    /// False for one without an end.
    var isWhole: Bool
  }

  /// The namespaces that the root element declares, by their prefix.
  private(set) var namespaces: [String: String] = [:]
  private(set) var pieces: [Piece] = []

  /// The longest document, in bytes; MiniDLNA cuts its own at 2 MB.
  static let maximumLength = 4 * 1024 * 1024

  /// Cuts up `document`; finds nothing in one that is too long or has a document type.
  ///
  /// - Parameter limit: the most objects; the rest is left out.
  init(_ document: String, limit: Int) {
    guard var document = LenientXML.repaired(document, maximumLength: Self.maximumLength) else { return }
    document.withUTF8 { bytes in
      guard let base = bytes.baseAddress else { return }
      var cutter = Cutter(bytes: UnsafeRawBufferPointer(start: base, count: bytes.count), limit: limit)
      guard cutter.run() else { return }
      namespaces = cutter.namespaces
      pieces = cutter.pieces.map { range, isWhole in
        Piece(text: String(decoding: bytes[range], as: UTF8.self), isWhole: isWhole)
      }
    }
  }

  private struct Cutter {
    let bytes: UnsafeRawBufferPointer
    let limit: Int
    var namespaces: [String: String] = [:]
    var pieces: [(range: Range<Int>, isWhole: Bool)] = []
    private var open: Int?
    /// Searched for once only, so that many beginnings without an end don't take long.
    private var endsAreMissing: Set<String> = []

    init(bytes: UnsafeRawBufferPointer, limit: Int) {
      self.bytes = bytes
      self.limit = limit
    }

    /// Returns false for a document that is refused.
    mutating func run() -> Bool {
      var index = 0
      while pieces.count < limit, let tag = next(0x3c, from: index) {
        index = tag + 1
        guard index < bytes.count else { break }
        switch bytes[index] {
        case UInt8(ascii: "!"):
          if has("<!--", at: tag) {
            index = end("-->", from: tag + 4) ?? index
          } else if has("<![CDATA[", at: tag) {
            index = end("]]>", from: tag + 9) ?? index
          } else {
            return false
          }
        case UInt8(ascii: "?"): index = end("?>", from: index) ?? index
        case UInt8(ascii: "/"): index = endTag(at: tag)
        default: index = startTag(at: tag)
        }
      }
      if let open, pieces.count < limit { pieces.append((open..<bytes.count, false)) }
      return true
    }

    private mutating func startTag(at tag: Int) -> Int {
      let name = localName(from: tag + 1)
      if isObject(name) {
        if let open { pieces.append((open..<tag, false)) }
        open = nil
        guard pieces.count < limit else { return tag + 1 }
        guard let end = tagEnd(from: name.upperBound) else {
          open = tag
          return tag + 1
        }
        if bytes[end - 1] == UInt8(ascii: "/") {
          pieces.append((tag..<(end + 1), true))
        } else {
          open = tag
        }
        return end + 1
      }
      if open == nil, namespaces.isEmpty, equals(name, "didl-lite"),
        let end = tagEnd(from: name.upperBound)
      {
        let text = String(decoding: bytes[tag...end], as: UTF8.self)
        namespaces = XMLPrefixes(text).declared
        return end + 1
      }
      return name.upperBound
    }

    private mutating func endTag(at tag: Int) -> Int {
      let name = localName(from: tag + 2)
      guard let open, isObject(name), let end = tagEnd(from: name.upperBound) else { return tag + 1 }
      pieces.append((open..<(end + 1), true))
      self.open = nil
      return end + 1
    }

    private func next(_ byte: Int32, from index: Int) -> Int? {
      guard index < bytes.count, let base = bytes.baseAddress,
        let found = memchr(base + index, byte, bytes.count - index)
      else { return nil }
      return base.distance(to: UnsafeRawPointer(found))
    }

    /// The name without its prefix.
    private func localName(from index: Int) -> Range<Int> {
      var (start, end) = (index, index)
      while end < bytes.count, end - index < 256 {
        let byte = bytes[end]
        if byte <= 0x20 || byte == 0x2f || byte == 0x3e || byte == 0x3c { break }
        if byte == UInt8(ascii: ":") { start = end + 1 }
        end += 1
      }
      return start..<max(start, end)
    }

    private func isObject(_ name: Range<Int>) -> Bool { equals(name, "item") || equals(name, "container") }

    /// - Parameter text: in lower case.
    private func equals(_ name: Range<Int>, _ text: StaticString) -> Bool {
      guard name.count == text.utf8CodeUnitCount else { return false }
      return name.indices.allSatisfy { index in
        let byte = bytes[index]
        let lower = (0x41...0x5a).contains(byte) ? byte | 0x20 : byte
        return lower == text.utf8Start[index - name.lowerBound]
      }
    }

    /// Where the tag's `>` is; values of attributes may contain one, but no `<`.
    private func tagEnd(from index: Int) -> Int? {
      var quote: UInt8 = 0
      var index = index
      while index < bytes.count {
        switch bytes[index] {
        case 0x3c: return nil
        case 0x3e where quote == 0: return index
        case 0x22, 0x27:
          if quote == 0 { quote = bytes[index] } else if quote == bytes[index] { quote = 0 }
        default: break
        }
        index += 1
      }
      return nil
    }

    private func has(_ text: StaticString, at index: Int) -> Bool {
      guard let base = bytes.baseAddress, index + text.utf8CodeUnitCount <= bytes.count else { return false }
      return memcmp(base + index, text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    /// The index behind the next `text`, which ends with `>`.
    private mutating func end(_ text: StaticString, from index: Int) -> Int? {
      let key = "\(text)"
      guard !endsAreMissing.contains(key) else { return nil }
      var search = index
      while let mark = next(0x3e, from: search) {
        let start = mark + 1 - text.utf8CodeUnitCount
        if start >= index, has(text, at: start) { return mark + 1 }
        search = mark + 1
      }
      endsAreMissing.insert(key)
      return nil
    }
  }
}
