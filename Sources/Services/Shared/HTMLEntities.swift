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
    var result = ""
    var rest = text[...]
    while let start = rest.firstRange(of: "<![CDATA["),
      let end = rest[start.upperBound...].firstRange(of: "]]>")
    {
      result += repairedMarkup(String(rest[..<start.lowerBound])) + rest[start.lowerBound..<end.upperBound]
      rest = rest[end.upperBound...]
    }
    return result.isEmpty ? repairedMarkup(text) : result + repairedMarkup(String(rest))
  }

  private static func repairedMarkup(_ text: String) -> String {
    replacingReferences(in: text) { reference in
      if reference.hasPrefix("#") || xml[reference] != nil { return "&\(reference);" }
      return named[reference].map(String.init)
    } otherwise: {
      "&amp;"
    }
  }

  /// The text with XML's five references replaced once, for a document that was escaped twice.
  static func unescaped(_ text: String) -> String {
    replacingReferences(in: text) {
      xml[$0].map(String.init)
    } otherwise: {
      "&"
    }
  }

  /// Calls `replacement` with each `name` of `&name;`; where it gives nil, or where an ampersand starts no
  /// reference, puts what `otherwise` gives for the ampersand alone.
  private static func replacingReferences(
    in text: String, replacement: (String) -> String?, otherwise: () -> String
  ) -> String {
    guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
    var result = ""
    result.reserveCapacity(text.utf8.count + 64)
    var rest = text[...]
    while let ampersand = rest.utf8.firstIndex(of: UInt8(ascii: "&")) {
      result += rest[..<ampersand]
      let after = rest[rest.utf8.index(after: ampersand)...]
      let name = after.utf8.prefix(12).prefix { isNameByte($0) }
      if !name.isEmpty, after[name.endIndex...].utf8.first == UInt8(ascii: ";"),
        let put = replacement(String(Substring(name)))
      {
        result += put
        rest = after[after.utf8.index(after: name.endIndex)...]
      } else {
        result += otherwise()
        rest = after
      }
    }
    result += rest
    return result
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
