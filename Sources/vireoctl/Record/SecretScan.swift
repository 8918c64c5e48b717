import Network

/// What looks like a secret in any text: addresses, UUIDs, and the tokens and passwords in URIs.
struct SecretScan {
  private(set) var addresses: [String] = []
  private(set) var uuids: [String] = []
  private(set) var tokens: [String] = []

  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var place = 0
    while place < bytes.count {
      let byte = bytes[place]
      let isStart = place == 0 || !Self.isWord(bytes[place - 1])
      if isStart, Self.isHex(byte), let uuid = uuid(at: place) {
        uuids.append(uuid)
        place += 36
      } else if isStart, Self.isDigit(byte) {
        let text = run(from: place, upTo: 16) { Self.isDigit($0) || $0 == 0x2e }
        take(address: text.hasSuffix(".") ? String(text.dropLast()) : text)
        place += text.utf8.count
      } else if byte == UInt8(ascii: "[") {
        take(address: run(from: place + 1, upTo: 46) { Self.isHex($0) || $0 == 0x3a || $0 == 0x2e })
        place += 1
      } else if byte == UInt8(ascii: ":"), bytes[place...].starts(with: "://".utf8) {
        takeURI(from: place + 3)
        place += 3
      } else {
        place += 1
      }
    }
  }

  private mutating func take(address text: String) {
    guard let address = IPAddress(text), !address.isLoopback, !address.isMulticast else { return }
    if case .v4(let value) = address {
      let isOfNobody = value >> 24 == 0 || value >> 24 >= 224
      let isStandIn = [0xc000_02, 0xc633_64, 0xcb00_71].contains(value >> 8)
      guard !isOfNobody, !isStandIn, text.split(separator: ".").count == 4 else { return }
    }
    addresses.append(text)
  }

  /// Takes the user and the password of a URI, and the values of its query that look random.
  private mutating func takeURI(from start: Int) {
    let text = run(from: start, upTo: 4096) { $0 > 0x20 && !#"<>"'"#.utf8.contains($0) }
    let authority = text.prefix { !"/?#".contains($0) }
    if let at = authority.lastIndex(of: "@") {
      for part in authority[..<at].split(separator: ":") { tokens.append(String(part)) }
    }
    guard let query = text.firstIndex(of: "?") else { return }
    for pair in text[text.index(after: query)...].split(whereSeparator: { "&;#".contains($0) }) {
      guard let equals = pair.firstIndex(of: "=") else { continue }
      let value = pair[pair.index(after: equals)...]
      for piece in value.split(whereSeparator: {
        !$0.isASCII || !($0.isLetter || $0.isNumber || "-_~%".contains($0))
      }) {
        // Words stay: they are in other places too.
        let hasDigit = piece.utf8.contains(where: Self.isDigit)
        if hasDigit && piece.utf8.count >= 8 || piece.utf8.count >= 24 { tokens.append(String(piece)) }
      }
    }
  }

  private func uuid(at place: Int) -> String? {
    guard place + 36 <= bytes.count, place + 36 == bytes.count || !Self.isWord(bytes[place + 36]) else {
      return nil
    }
    for offset in 0..<36 {
      let isRight =
        [8, 13, 18, 23].contains(offset) ? bytes[place + offset] == 0x2d : Self.isHex(bytes[place + offset])
      guard isRight else { return nil }
    }
    return String(decoding: bytes[place..<place + 36], as: UTF8.self)
  }

  private func run(from start: Int, upTo maximum: Int, while isPart: (UInt8) -> Bool) -> String {
    String(decoding: bytes[min(start, bytes.count)...].prefix(maximum).prefix(while: isPart), as: UTF8.self)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isHex(_ byte: UInt8) -> Bool {
    isDigit(byte) || (0x61...0x66).contains(byte | 0x20)
  }

  private static func isWord(_ byte: UInt8) -> Bool { isDigit(byte) || (0x61...0x7a).contains(byte | 0x20) }
}

extension Redaction {
  /// Hides whatever looks like a secret in a recording, whosever it is.
  mutating func hideStrangers(in recording: Recording) {
    for entry in recording.entries {
      hide(message: entry.request)
      hideAll(in: Array(entry.url.utf8))
      if case .answered(_, let message) = entry.outcome { hide(message: message) }
    }
  }

  private mutating func hide(message: Recording.Message) {
    for field in message.fields {
      if field.name.lowercased() == "sid" {
        let sid = field.value
        hide(udn: sid.lowercased().hasPrefix("uuid:") ? String(sid.dropFirst(5)) : sid)
      }
      hideAll(in: Array(field.value.utf8))
    }
    hideAll(in: message.body)
  }

  private mutating func hideAll(in bytes: [UInt8]) {
    let found = SecretScan(bytes)
    for address in found.addresses { hide(address: address) }
    for uuid in found.uuids where !uuid.hasPrefix("00000000-0000-4000-8000-") { hide(udn: uuid) }
    for token in found.tokens { hide(token: token) }
  }
}
