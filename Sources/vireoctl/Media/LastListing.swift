import ControlPoint

/// What the last `browse` or `search` has listed, by number, for the next `play`: `listing` in the user's cache.
struct LastListing: Sendable, Hashable {
  struct Line: Sendable, Hashable {
    var serverUDN: String
    var id: String
    /// Where it was listed: its container.
    var parentID = ""
    var isContainer = false
    /// The class, as the server wrote it.
    var mediaClass = ""
    var title: String

    /// The container, of which the server needn't be asked; nil for anything else.
    var container: MediaObject? {
      guard isContainer else { return nil }
      return MediaObject(id: id, isContainer: true, title: title, mediaClass: MediaClass(mediaClass))
    }
  }

  static let maximum = 5000

  private(set) var lines: [Line] = []

  mutating func add(_ object: MediaObject, on server: String) {
    guard lines.count < Self.maximum else { return }
    lines.append(
      Line(
        serverUDN: server, id: object.id, parentID: object.parentID, isContainer: object.isContainer,
        mediaClass: object.mediaClass.text, title: object.title))
  }

  /// - Parameter number: from 1.
  subscript(number: Int) -> Line? { lines[number: number] }

  /// The object called `id` of a server.
  func line(_ id: String, on server: String) -> Line? {
    lines.first { $0.id == id && $0.serverUDN == server }
  }

  var text: String { text(maximum: .max) }

  /// As many lines as fit.
  ///
  /// - Parameter maximum: in bytes.
  func text(maximum: Int) -> String {
    var text = ""
    for line in lines {
      let new =
        [
          line.serverUDN, line.id, line.parentID, line.isContainer ? "container" : "item", line.mediaClass,
          line.title,
        ].map(Self.escaped).joined(separator: "\t") + "\n"
      guard text.utf8.count + new.utf8.count <= maximum else { break }
      text += new
    }
    return text
  }

  init() {}

  init(_ text: String) {
    lines = text.split(separator: "\n").prefix(Self.maximum).map { line in
      var fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(Self.unescaped)[...]
      let (server, id) = (fields.popFirst() ?? "", fields.popFirst() ?? "")
      // Earlier versions wrote no more than the title.
      guard fields.count >= 4 else { return Line(serverUDN: server, id: id, title: fields.first ?? "") }
      let (parent, kind, mediaClass) = (fields.removeFirst(), fields.removeFirst(), fields.removeFirst())
      return Line(
        serverUDN: server, id: id, parentID: parent, isContainer: kind == "container",
        mediaClass: mediaClass, title: fields.first ?? "")
    }
  }

  private static func escaped(_ field: String) -> String {
    field.unicodeScalars.map {
      $0 == "\\" ? "\\\\" : $0.value < 0x20 ? "\\x\($0.value) " : String($0)
    }.joined()
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
