import Foundation
import JSON

/// `PageAPIGenerator openapi.json OUTPUT.swift`: turns the description of the page's API into typed Swift.
///
/// Runs at build time, never in the daemon, so it may use Foundation; the daemon may not.
@main
struct Main {
  static func main() {
    guard CommandLine.arguments.count == 3 else {
      report("usage: PageAPIGenerator INPUT.json OUTPUT.swift")
      exit(64)
    }
    let input = URL(fileURLWithPath: CommandLine.arguments[1])
    do {
      let limits = JSONLimits(bytes: 4 << 20, depth: 32, values: 1 << 20)
      let json = try JSONValue(reading: [UInt8](Data(contentsOf: input)), limits: limits)
      let source = try APIWriter(document: APIDocument(json)).source
      try Data(source.utf8).write(to: URL(fileURLWithPath: CommandLine.arguments[2]), options: .atomic)
    } catch {
      // The format of compiler diagnostics, so that build tools show the file.
      report("\(input.path):1: error: \(error)")
      exit(65)
    }
  }

  private static func report(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}
