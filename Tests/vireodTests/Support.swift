import Foundation
import Testing

@testable import vireod

/// A directory of its own for one test, gone afterwards.
final class TemporaryDirectory {
  let path: String

  init() throws {
    var template = Array((NSTemporaryDirectory() + "/vireo-XXXXXX").utf8CString)
    path = String(cString: try #require(mkdtemp(&template)))
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ text: String, to name: String) throws -> String {
    let file = "\(path)/\(name)"
    try text.write(toFile: file, atomically: false, encoding: .utf8)
    return file
  }

  /// Writes a program that the test runs.
  ///
  /// This process never has it open for writing. A child that another test forks at that moment would hold it open too,
  /// until it runs its own program, and nothing can be run that is open for writing (ETXTBSY).
  func writeProgram(_ text: String, to name: String) throws -> String {
    let file = "\(path)/\(name)"
    let outcome = ChildProcess.run(
      ProgramRun(command: ["/usr/bin/install", "-m", "755", try write(text, to: name + ".text"), file]),
      limit: .seconds(20), line: { _ in })
    try #require(outcome == .exited(0))
    return file
  }

  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }
}

/// The top directory of the repository.
let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

/// What a file of the repository must hold.
///
/// With `VIREO_REWRITE=1` in the environment (`make docs`) the file is written instead of compared.
func expectFile(_ path: String, contains text: String, between: (start: String, end: String)? = nil) throws {
  let file = repository.appendingPathComponent(path)
  let content = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
  var wanted = text
  if let between {
    let start = try #require(content.range(of: between.start), "\(path) has no \(between.start)")
    let end = try #require(content.range(of: between.end), "\(path) has no \(between.end)")
    wanted = content[..<start.upperBound] + "\n" + text + content[end.lowerBound...]
  }
  if ProcessInfo.processInfo.environment["VIREO_REWRITE"] == "1" {
    try wanted.write(to: file, atomically: true, encoding: .utf8)
  } else {
    #expect(content == wanted, "\(path) is out of date; run: make docs")
  }
}
