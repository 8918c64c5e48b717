/// Repairs character references in XML that somebody put together without escaping.
enum HTMLEntities {
  private static let xml: [String: Character] = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]

  /// Those that are met in titles; XML knows none of them.
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

  /// The text with every ampersand that starts no XML reference escaped, and HTML's names replaced; CDATA sections
  /// hold none and stay as they are.
  static func repaired(_ text: String) -> String {
    replacingReferences(in: text, keepingSections: true, otherwise: "&amp;") { reference in
      if reference.hasPrefix("#") || xml[reference] != nil { return "&\(reference);" }
      return named[reference].map(String.init)
    }
  }

  /// The text with XML's five references replaced once, for a document that was escaped twice.
  static func unescaped(_ text: String) -> String {
    replacingReferences(in: text, keepingSections: false, otherwise: "&") { xml[$0].map(String.init) }
  }

  /// Puts what `replacement` gives for each `name` of `&name;`; where it gives nil, or where an ampersand starts no
  /// reference, puts `otherwise` for the ampersand alone.
  ///
  /// Works on bytes and looks at each a bounded number of times: whoever sends metadata decides what is in it.
  private static func replacingReferences(
    in text: String, keepingSections: Bool, otherwise: String, replacement: (String) -> String?
  ) -> String {
    guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
    var text = text
    return text.withUTF8 { bytes in
      var result: [UInt8] = []
      result.reserveCapacity(bytes.count + 64)
      var rest = bytes[...]
      var mayHoldSections = keepingSections
      while let byte = rest.first {
        if byte == UInt8(ascii: "&") {
          let name = rest.dropFirst().prefix(12).prefix { isNameByte($0) }
          let after = rest[name.endIndex...]
          if !name.isEmpty, after.first == UInt8(ascii: ";"),
            let put = replacement(String(decoding: UnsafeBufferPointer(rebasing: name), as: UTF8.self))
          {
            result += put.utf8
            rest = after.dropFirst()
          } else {
            result += otherwise.utf8
            rest = rest.dropFirst()
          }
        } else if byte == UInt8(ascii: "<"), mayHoldSections, rest.starts(with: "<![CDATA[".utf8) {
          // A section without an end is the last.
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
