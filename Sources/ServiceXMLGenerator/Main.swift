import Foundation
import SCPD

/// `ServiceXMLGenerator INPUT.xml OUTPUT.swift`: turns one service description into typed Swift.
///
/// Runs at build time, never in the daemon, so it may use Foundation; the daemon may not.
@main
struct Main {
  static func main() {
    guard CommandLine.arguments.count == 3 else {
      report("usage: ServiceXMLGenerator INPUT.xml OUTPUT.swift")
      exit(64)
    }
    let input = URL(fileURLWithPath: CommandLine.arguments[1])
    do {
      let name = input.deletingPathExtension().lastPathComponent
      let document = try ServiceDocument(name: name, data: Data(contentsOf: input))
      let source = ServiceWriter(document: document).source
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
