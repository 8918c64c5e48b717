import ControlPoint

/// What the last `browse` or `search` has listed, by number, for the next `play`: `listing` in the user's cache.
struct LastListing: Sendable, Hashable {
  struct Line: Sendable, Hashable {
    var serverUDN: String
    var id: String
    var title: String
  }

  static let maximum = 5000

  private(set) var lines: [Line] = []

  mutating func add(_ object: MediaObject, on server: String) {
    guard lines.count < Self.maximum else { return }
    lines.append(Line(serverUDN: server, id: object.id, title: object.title))
  }

  /// - Parameter number: from 1.
  subscript(number: Int) -> Line? { lines.indices.contains(number - 1) ? lines[number - 1] : nil }

  var text: String { text(maximum: .max) }

  /// As many lines as fit.
  ///
  /// - Parameter maximum: in bytes.
  func text(maximum: Int) -> String {
    var text = ""
    for line in lines {
      let new =
        [line.serverUDN, line.id, line.title].map { field in
          field.unicodeScalars.map {
            $0 == "\\" ? "\\\\" : $0.value < 0x20 ? "\\x\($0.value) " : String($0)
          }.joined()
        }.joined(separator: "\t") + "\n"
      guard text.utf8.count + new.utf8.count <= maximum else { break }
      text += new
    }
    return text
  }

  init() {}

  init(_ text: String) {
    lines = text.split(separator: "\n").prefix(Self.maximum).map { line in
      let fields = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false).map(
        Self.unescaped)
      return Line(
        serverUDN: fields.first ?? "", id: fields.count > 1 ? fields[1] : "",
        title: fields.count > 2 ? fields[2] : "")
    }
  }

  private static func unescaped(_ text: Substring) -> String {
    var result = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "\\", let next = rest.popFirst() else {
        result.append(scalar)
        continue
      }
      guard next == "x" else {
        result.append(next)
        continue
      }
      let digits = rest.prefix { $0 != " " }
      rest = rest.dropFirst(digits.count + 1)
      if let value = UInt32(String(String.UnicodeScalarView(digits))), let scalar = Unicode.Scalar(value) {
        result.append(scalar)
      }
    }
    return String(result)
  }

  static func read() -> LastListing { LastListing(SmallFile(.cache, "listing").read() ?? "") }
  /// Replaces the one before in any case: its numbers mean something else.
  func write() {
    let file = SmallFile(.cache, "listing")
    if !file.write(text(maximum: SmallFile.limit - 1)) { file.remove() }
  }
}
