/// The file format: text that can be read, edited and compared line by line.
///
///     vireoctl recording 1
///     # a note
///     @ 12 POST http://192.0.2.1:49152/control
///     > soapaction: "urn:schemas-upnp-org:service:RenderingControl:1#GetMute"
///     >> a line of the request's body
///     = 200
///     < content-type: text/xml
///     << a line of the response's body
///
/// Bytes that aren't UTF-8 and control characters are written as `\x1f`, a backslash as `\\`.
extension Recording {
  static let firstLine = "vireoctl recording 1"

  struct Malformed: Error, Hashable {
    /// Counted from 1.
    var line: Int
  }

  var text: String {
    var lines = [Self.firstLine]
    for note in notes { lines.append("# \(Self.escaped(Array(note.utf8)))") }
    for entry in entries {
      lines.append("@ \(entry.time) \(Self.word(entry.method)) \(Self.word(entry.url))")
      Self.write(entry.request, mark: ">", to: &lines)
      switch entry.outcome {
      case .failed(let why): lines.append("= \(Self.word(why))")
      case .answered(let status, let message):
        lines.append("= \(status)")
        Self.write(message, mark: "<", to: &lines)
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func write(_ message: Message, mark: String, to lines: inout [String]) {
    for field in message.fields {
      lines.append("\(mark) \(name(field.name)): \(value(field.value))")
    }
    guard !message.body.isEmpty else { return }
    for line in message.body.split(separator: 0x0a, omittingEmptySubsequences: false) {
      lines.append("\(mark)\(mark) \(escaped(Array(line)))")
    }
  }

  /// Without a colon, which ends it.
  private static func name(_ text: String) -> String {
    escaped(Array(text.utf8)).utf8.split(separator: 0x3a, omittingEmptySubsequences: false)
      .map { String(decoding: Array($0), as: UTF8.self) }.joined(separator: "\\x3a")
  }

  /// A space in front would be taken for the one behind the colon.
  private static func value(_ text: String) -> String {
    let escaped = escaped(Array(text.utf8))
    return escaped.utf8.first == 0x20 ? "\\x20" + Substring(escaped.utf8.dropFirst()) : escaped
  }

  /// Without space, so that it stays one word.
  private static func word(_ text: String) -> String {
    // Bytes, since a mark on a space makes another character of both.
    let bytes = escaped(Array(text.utf8)).utf8.flatMap { $0 == 0x20 ? Array("\\x20".utf8) : [$0] }
    return bytes.isEmpty ? "-" : String(decoding: bytes, as: UTF8.self)
  }

  // MARK: - Reading

  init(text: String) throws(Malformed) {
    self.init()
    let lines = text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false).map(Substring.init)
    guard lines.first == Self.firstLine[...] else { throw Malformed(line: 1) }
    var reader = Reader()
    for (index, line) in lines.enumerated().dropFirst() where !line.isEmpty {
      guard entries.count + (reader.entry == nil ? 0 : 1) <= Self.maximumEntries,
        reader.take(line, into: &self)
      else { throw Malformed(line: index + 1) }
    }
    guard reader.finish(into: &self) else { throw Malformed(line: lines.count) }
  }

  private struct Reader {
    var entry: Entry?
    private var hasOutcome = false
    private var requestLines: [[UInt8]] = []
    private var responseLines: [[UInt8]] = []

    init() {}

    /// False for a line that has no place here.
    mutating func take(_ line: Substring, into recording: inout Recording) -> Bool {
      let mark = Substring(line.utf8.prefix { $0 != 0x20 })
      let rest = Substring(line.utf8.dropFirst(mark.utf8.count + 1))
      switch mark {
      case "#":
        guard let note = unescaped(rest) else { return false }
        recording.notes.append(String(decoding: note, as: UTF8.self))
        return true
      case "@":
        guard finish(into: &recording) else { return false }
        let words = rest.utf8.split(separator: 0x20).map(Substring.init)
        guard words.count == 3, let time = Int(words[0]), time >= 0, let method = string(words[1]),
          let url = string(words[2])
        else { return false }
        entry = Entry(time: time, method: method, url: url)
        return true
      case "=":
        guard entry != nil, !hasOutcome else { return false }
        hasOutcome = true
        if let status = Int(rest) {
          guard (100...999).contains(status) else { return false }
          entry?.outcome = .answered(status: status, Message())
        } else {
          guard !rest.isEmpty, let why = string(rest), Int(why) == nil else { return false }
          entry?.outcome = .failed(why)
        }
        return true
      case ">":
        guard entry != nil, !hasOutcome, let field = field(rest) else { return false }
        entry?.request.fields.append(field)
        return true
      case "<":
        guard case .answered(let status, var message)? = entry?.outcome, hasOutcome, let field = field(rest)
        else { return false }
        message.fields.append(field)
        entry?.outcome = .answered(status: status, message)
        return true
      case ">>", "<<":
        guard entry != nil, hasOutcome == (mark == "<<"), let bytes = unescaped(rest) else { return false }
        if hasOutcome { responseLines.append(bytes) } else { requestLines.append(bytes) }
        return true
      default: return false
      }
    }

    /// Ends the present entry, if there is one.
    mutating func finish(into recording: inout Recording) -> Bool {
      guard var entry else { return true }
      guard hasOutcome else { return false }
      entry.request.body = Array(requestLines.joined(separator: [0x0a]))
      if !responseLines.isEmpty {
        guard case .answered(let status, var message) = entry.outcome else { return false }
        message.body = Array(responseLines.joined(separator: [0x0a]))
        entry.outcome = .answered(status: status, message)
      }
      recording.entries.append(entry)
      self = Reader()
      return true
    }

    private func field(_ text: Substring) -> Field? {
      guard let colon = text.utf8.firstIndex(of: 0x3a), let name = string(text[..<colon]),
        let value = string(Substring(text.utf8[colon...].dropFirst().drop { $0 == 0x20 }))
      else { return nil }
      return Field(name: name, value: value)
    }

    private func string(_ text: Substring) -> String? {
      unescaped(text).map { String(decoding: $0, as: UTF8.self) }
    }

    private func unescaped(_ text: Substring) -> [UInt8]? { Recording.unescaped(text) }
  }

  // MARK: - Escapes

  static func escaped(_ bytes: [UInt8]) -> String {
    if bytes.allSatisfy({ (0x20..<0x7f).contains($0) && $0 != 0x5c }) {
      return String(decoding: bytes, as: UTF8.self)
    }
    var result = ""
    var decoder = UTF8()
    var place = 0
    while place < bytes.count {
      decoder = UTF8()
      var rest = bytes[place...].makeIterator()
      if case .scalarValue(let scalar) = decoder.decode(&rest) {
        let count = UTF8.width(scalar)
        switch scalar.value {
        case 0x5c: result += "\\\\"
        case 0x09: result += "\t"
        case _ where TerminalText.controls(scalar):
          for byte in bytes[place..<place + count] { result += hex(byte) }
        default: result.unicodeScalars.append(scalar)
        }
        place += count
      } else {
        result += hex(bytes[place])
        place += 1
      }
    }
    return result
  }

  private static func hex(_ byte: UInt8) -> String {
    "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }

  /// Returns nil for an escape that there isn't.
  static func unescaped(_ text: Substring) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == 0x5c else {
        bytes.append(byte)
        continue
      }
      switch rest.popFirst() {
      case 0x5c: bytes.append(0x5c)
      case UInt8(ascii: "x"):
        guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
        else { return nil }
        bytes.append(value)
        rest = rest.dropFirst(2)
      default: return nil
      }
    }
    return bytes
  }
}
