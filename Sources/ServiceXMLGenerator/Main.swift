import Foundation
import SCPD

/// `ServiceXMLGenerator INPUT.xml OUTPUT.swift`: turns one service description into typed Swift.
///
/// Runs when the project is built, never in the daemon; it alone may use Foundation.
@main
struct Main {
  static func main() {
    guard CommandLine.arguments.count == 3 else {
      report("usage: ServiceXMLGenerator INPUT.xml OUTPUT.swift")
      exit(64)
    }
    let input = URL(fileURLWithPath: CommandLine.arguments[1])
    do {
      let description = try SCPDParser.parse(Data(contentsOf: input))
      let name = input.deletingPathExtension().lastPathComponent
      let source = SwiftWriter(name: name, description: description).source
      try Data(source.utf8).write(to: URL(fileURLWithPath: CommandLine.arguments[2]), options: .atomic)
    } catch {
      // The form in which compilers report, so that build tools show the place.
      report("\(input.path):1: error: \(error)")
      exit(65)
    }
  }

  private static func report(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}
