import Foundation
import SCPD

/// `ServiceXMLGenerator HALF INPUT.xml OUTPUT.swift`: turns one service description into typed Swift. HALF is `provider`,
/// `proxy`, or `round-trips` for the tests of both.
///
/// Runs at build time, never in the daemon, so it may use Foundation; the daemon may not.
@main
struct Main {
  static func main() {
    guard CommandLine.arguments.count == 4, let half = Half(rawValue: CommandLine.arguments[1]) else {
      report("usage: ServiceXMLGenerator provider|proxy|round-trips INPUT.xml OUTPUT.swift")
      exit(64)
    }
    let input = URL(fileURLWithPath: CommandLine.arguments[2])
    do {
      let name = input.deletingPathExtension().lastPathComponent
      let document = try ServiceDocument(name: name, data: Data(contentsOf: input))
      let source =
        switch half {
        case .provider: ServiceWriter(document: document).source
        case .proxy: ProxyWriter(document: document).source
        case .roundTrips: RoundTripWriter(document: document).source
        }
      try Data(source.utf8).write(to: URL(fileURLWithPath: CommandLine.arguments[3]), options: .atomic)
    } catch {
      // The format of compiler diagnostics, so that build tools show the file.
      report("\(input.path):1: error: \(error)")
      exit(65)
    }
  }

  private enum Half: String {
    case provider, proxy
    case roundTrips = "round-trips"
  }

  private static func report(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}
