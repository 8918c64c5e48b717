import Foundation
import Testing

/// The pages of the project name only what exists.
@Suite struct DocumentationTests {
  /// What looks like a path and is none: placeholders, a function, and what is made while tests run.
  private static let placeholders: Set<String> = [
    "ServiceXML/NameN.xml", "corpus/TARGET", "vireod/Daemon/Daemon.run", "clients/.venv", "1/1",
  ]
  /// Names of the worked example in CONTRIBUTING.md, and of a generated type.
  private static let examples: Set<String> = ["ToggleMute", "Name1"]

  private let project = Project()

  @Test func everyPageIsLookedAt() {
    let names = Set(project.pages.map(\.name))
    let some = ["README.md", "CONTRIBUTING.md", "Sources/README.md", "Tests/PROTECTIONS.md"]
    #expect(names.isSuperset(of: some))
    #expect(project.files.count > 500)
  }

  /// `UPnP/SOAP/SOAPParser`, `network/test_links` and `vireodTests/Settings…` name files or folders by the end of their path.
  @Test func everyPathExists() {
    for page in project.pages {
      for path in page.code.map({ $0.hasSuffix("/") ? String($0.dropLast()) : $0 }) {
        guard path.wholeMatch(of: /[\w.+…-]+(\/[\w.+…-]+)+/) != nil, !Self.placeholders.contains(path),
          !project.has(path)
        else { continue }
        Issue.record("\(page.name) names \(path), which doesn't exist")
      }
    }
  }

  @Test func everyLinkLeadsSomewhere() {
    for page in project.pages {
      for match in page.text.matches(of: /\]\(([^)\s#]+)[^)\s]*\)/) where !match.1.contains("://") {
        let target = page.url.deletingLastPathComponent().appendingPathComponent(String(match.1))
        if !FileManager.default.fileExists(atPath: target.path()) {
          Issue.record("\(page.name) links to \(match.1), which doesn't exist")
        }
      }
    }
  }

  /// Types, functions, tests and keys, on the pages that are about the code.
  @Test func everyNameIsUsed() {
    let wanted = ["CONTRIBUTING.md", "Sources/README.md", "Tests/README.md", "Tests/PROTECTIONS.md"]
    let words = project.words
    for page in project.pages where wanted.contains(page.name) {
      for code in page.code {
        guard let match = code.wholeMatch(of: /([A-Za-z_]\w*(\.\w+)*)(\(.*\))?/) else { continue }
        for word in match.1.split(separator: ".").map(String.init)
        where !Self.examples.contains(word) && !words.contains(word) && !project.has(word) {
          Issue.record("\(page.name) names \(word), which occurs nowhere")
        }
      }
    }
  }
}

/// The files of the project, without what is built or downloaded.
private struct Project {
  struct Page {
    var name: String
    var url: URL
    /// Without what is shown as a block of code.
    var text: String

    /// What stands `in quotes`.
    var code: [String] { text.matches(of: /`([^`\n]+)`/).map { String($0.1) } }
  }

  /// Relative to the repository.
  private(set) var files: [String] = []
  private(set) var pages: [Page] = []
  /// The ends of all paths, with and without the files' extensions.
  private var ends: Set<String> = []

  init() {
    let top = (try? FileManager.default.contentsOfDirectory(atPath: repository.path())) ?? []
    for name in top where !name.hasPrefix(".") { add(name) }
    for name in files where name.hasSuffix(".md") && !name.hasSuffix("/results.md") {
      let url = repository.appendingPathComponent(name)
      guard let text = try? String(contentsOf: url, encoding: .utf8) else { continue }
      pages.append(Page(name: name, url: url, text: text.replacing(/(?s)```.*?```/, with: "")))
    }
  }

  private mutating func add(_ name: String) {
    let url = repository.appendingPathComponent(name)
    addEnds(of: name)
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path(), isDirectory: &isFolder) else { return }
    guard isFolder.boolValue else {
      files.append(name)
      return addEnds(of: url.deletingPathExtension().lastPathComponent, in: name)
    }
    for inside in (try? FileManager.default.contentsOfDirectory(atPath: url.path())) ?? []
    where !inside.hasPrefix(".") && inside != "Fixtures" { add("\(name)/\(inside)") }
  }

  private mutating func addEnds(of last: String, in path: String) {
    addEnds(of: (path.split(separator: "/").dropLast() + [last[...]]).joined(separator: "/"))
  }

  private mutating func addEnds(of path: String) {
    let parts = path.split(separator: "/")
    for start in parts.indices { ends.insert(parts[start...].joined(separator: "/")) }
  }

  /// Whether the path of a file or folder ends with `path`, or begins its end with it if it ends in `…`.
  func has(_ path: String) -> Bool {
    path.hasSuffix("…") ? ends.contains { $0.hasPrefix(path.dropLast()) } : ends.contains(path)
  }

  /// All words in the code.
  var words: Set<String> {
    var words: Set<String> = []
    let kinds = [".swift", ".py", ".c", ".cpp", ".h", ".xml", ".toml", "Makefile", "/run"]
    for name in files where kinds.contains(where: name.hasSuffix) {
      guard let text = try? String(contentsOf: repository.appendingPathComponent(name), encoding: .utf8)
      else { continue }
      for word in text.utf8.split(whereSeparator: { !Self.isPartOfAWord($0) }) {
        words.insert(String(Substring(word)))
      }
    }
    return words
  }

  private static func isPartOfAWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
