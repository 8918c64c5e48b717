/// Repairs character references in XML that was written without escaping.
public enum HTMLEntities {
  private typealias Name = Slice<UnsafeBufferPointer<UInt8>>

  private enum Replacement {
    case reference
    case text(String)
  }

  private static let xml: [(name: [UInt8], text: String)] = [
    ("amp", "&"), ("lt", "<"), ("gt", ">"), ("quot", "\""), ("apos", "'"),
  ].map { (Array($0.utf8), $1) }

  /// HTML entities that occur in titles; XML has none of them.
  private static let named: [String: Character] = [
    "nbsp": "\u{a0}", "copy": "©", "reg": "®", "trade": "™", "deg": "°", "middot": "·", "laquo": "«",
    "raquo": "»",
    "ndash": "–", "mdash": "—", "hellip": "…", "lsquo": "‘", "rsquo": "’", "ldquo": "“", "rdquo": "”",
    "bull": "•", "euro": "€", "pound": "£", "eacute": "é", "egrave": "è", "ecirc": "ê", "euml": "ë",
    "Eacute": "É",
    "aacute": "á", "agrave": "à", "acirc": "â", "atilde": "ã", "auml": "ä", "aring": "å", "Auml": "Ä",
    "Aring": "Å",
    "iacute": "í", "igrave": "ì", "icirc": "î", "iuml": "ï", "oacute": "ó", "ograve": "ò", "ocirc": "ô",
    "otilde": "õ", "ouml": "ö", "Ouml": "Ö", "oslash": "ø", "Oslash": "Ø", "uacute": "ú", "ugrave": "ù",
    "ucirc": "û", "uuml": "ü", "Uuml": "Ü", "ntilde": "ñ", "ccedil": "ç", "Ccedil": "Ç", "szlig": "ß",
    "aelig": "æ",
    "AElig": "Æ", "yacute": "ý",
  ]

  /// `text` with every ampersand that starts no XML reference escaped, and with HTML entities replaced. CDATA
  /// sections contain no references and are unchanged.
  static func repaired(_ text: String) -> String {
    replacingReferences(in: text, keepingSections: true, otherwise: "&amp;") { name in
      if name.first == UInt8(ascii: "#") || xmlText(name) != nil { return .reference }
      let name = String(decoding: UnsafeBufferPointer(rebasing: name), as: UTF8.self)
      return named[name].map { .text(String($0)) }
    }
  }

  /// `text` with XML's five predefined references replaced once, for a document that was escaped twice.
  static func unescaped(_ text: String) -> String {
    replacingReferences(in: text, keepingSections: false, otherwise: "&") { xmlText($0).map { .text($0) } }
  }

  /// `text` with XML's, HTML's and numeric references replaced once, for a title that was escaped twice. What can't be in
  /// XML stays as it is.
  public static func plain(_ text: String) -> String {
    replacingReferences(in: text, keepingSections: false, otherwise: "&") { name in
      if let text = xmlText(name) { return .text(text) }
      if name.first == UInt8(ascii: "#") { return number(name.dropFirst()).map { .text(String($0)) } }
      let name = String(decoding: UnsafeBufferPointer(rebasing: name), as: UTF8.self)
      return named[name].map { .text(String($0)) }
    }
  }

  /// The character of `39` or `x27`.
  private static func number(_ digits: Name) -> Character? {
    let isHexadecimal = digits.first.map { $0 | 0x20 } == UInt8(ascii: "x")
    let digits = String(decoding: isHexadecimal ? digits.dropFirst() : digits, as: UTF8.self)
    guard let value = UInt32(digits, radix: isHexadecimal ? 16 : 10), value >= 0x20,
      let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .control,
      !scalar.properties.isNoncharacterCodePoint
    else { return nil }
    return Character(scalar)
  }

  /// The replacement of one of XML's own names, without an allocation: a text has room for many.
  private static func xmlText(_ name: Name) -> String? {
    xml.first { name.elementsEqual($0.name) }?.text
  }

  /// Replaces each `&name;` with the result of `replacement`. Where that is nil, or where an ampersand starts
  /// no reference, `otherwise` replaces the ampersand alone.
  ///
  /// Works on bytes and reads each a bounded number of times, since the metadata isn't trusted.
  private static func replacingReferences(
    in text: String, keepingSections: Bool, otherwise: String, replacement: (Name) -> Replacement?
  ) -> String {
    var text = text
    let hasAny = text.withUTF8 { $0.contains(UInt8(ascii: "&")) }
    guard hasAny else { return text }
    return text.withUTF8 { bytes in
      var result: [UInt8] = []
      result.reserveCapacity(bytes.count + 64)
      var rest = bytes[...]
      var mayHoldSections = keepingSections
      while let byte = rest.first {
        if byte == UInt8(ascii: "&") {
          let name = rest.dropFirst().prefix(12).prefix { isNameByte($0) }
          let after = rest[name.endIndex...]
          if !name.isEmpty, after.first == UInt8(ascii: ";"), let put = replacement(name) {
            switch put {
            case .reference: result += rest[...after.startIndex]
            case .text(let text): result += text.utf8
            }
            rest = after.dropFirst()
          } else {
            result += otherwise.utf8
            rest = rest.dropFirst()
          }
        } else if byte == UInt8(ascii: "<"), mayHoldSections, rest.starts(with: "<![CDATA[".utf8) {
          // An unterminated section is treated as text, and so is every later one.
          let end = endOfSection(rest)
          mayHoldSections = end != nil
          let section = rest[..<(end ?? rest.index(after: rest.startIndex))]
          result += section
          rest = rest[section.endIndex...]
        } else {
          let plain = rest.dropFirst().prefix { $0 != UInt8(ascii: "&") && $0 != UInt8(ascii: "<") }
          result += rest[..<plain.endIndex]
          rest = rest[plain.endIndex...]
        }
      }
      return String(decoding: result, as: UTF8.self)
    }
  }

  private static func endOfSection(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
    var rest = text
    while let bracket = rest.firstIndex(of: UInt8(ascii: "]")) {
      rest = rest[bracket...]
      if rest.starts(with: "]]>".utf8) { return bracket + 3 }
      rest = rest.dropFirst()
    }
    return nil
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "#"):
      true
    default: false
    }
  }
}
