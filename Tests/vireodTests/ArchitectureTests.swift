import Foundation
import Testing

/// The arrows of `Sources/README.md`: what each module may import. The compiler alone doesn't enforce them, since a module
/// that another target has built can be imported without being declared.
@Suite struct ArchitectureTests {
  private static let system: Set<String> = ["Glibc", "Synchronization"]
  private static let allowed: [String: Set<String>] = [
    "Pins": ["JSON", "Text"],
    "Player": ["Pins", "Text"],
    "Rooms": [],
    "RoomsIO": ["CLinux", "Rooms", "Threads"],
    "SCPD": [],
    "Threads": ["CLinux"],
    "Network": ["CLinux", "NIOCore", "NIOPosix", "Logging"],
    "Text": [],
    "XML": ["Text", "CLibXML2", "NIOCore"],
    "DIDLLite": ["Text", "XML"],
    "HTTP": ["Network", "Text", "CLinux", "NIOCore", "NIOPosix", "Logging"],
    "UPnP": ["HTTP", "Network", "SCPD", "Text", "XML", "NIOCore", "NIOPosix", "Logging"],
    "ControlPoint": [
      "DIDLLite", "HTTP", "Network", "SCPD", "Text", "UPnP", "XML", "NIOCore", "NIOPosix", "Logging",
    ],
    "Proxies": ["ControlPoint", "Text", "UPnP"],
    "Renderers": ["ControlPoint", "DIDLLite", "JSON", "Network", "Proxies", "Text", "UPnP", "XML"],
    "Kept": ["DIDLLite", "Player", "Text", "XML"],
    "PlayerStore": ["Pins", "Kept", "Player", "Threads", "CLinux", "CSQLite", "Logging"],
    "GStreamerOutput": [
      "Player", "Rooms", "RoomsIO", "Text", "Threads", "CLinux", "CGStreamer", "CSoupGuard", "CSourceGuard",
      "Logging",
    ],
    "Services": ["DIDLLite", "Pins", "Kept", "Player", "Rooms", "UPnP", "SCPD", "Text", "XML", "Logging"],
    "JSON": ["Text"],
    "Party": ["JSON", "Player", "Text"],
    "Listening": ["JSON", "Text"],
    "ReportsIO": ["CCurl", "Listening", "Network"],
    "Uploads": ["JSON", "Text"],
    "UploadsIO": ["NIOCore", "Threads", "Uploads"],
    "Page": [
      "ControlPoint", "DIDLLite", "HTTP", "JSON", "Kept", "Network", "Party", "Pins", "Player", "Proxies",
      "Renderers",
      "Services",
      "Text", "Threads",
      "UPnP", "Uploads", "UploadsIO", "CCurl", "CPage", "CZlib",
      "NIOCore", "Logging",
    ],
    "Zones": ["ControlPoint", "HTTP", "Network", "Services", "UPnP", "NIOCore", "Logging"],
    "vireod": [
      "DIDLLite", "Kept", "Listening", "Pins", "Player", "PlayerStore", "GStreamerOutput", "HTTP", "Network",
      "Page",
      "Party",
      "ReportsIO", "Rooms", "RoomsIO",
      "Text",
      "UPnP",
      "Uploads", "UploadsIO",
      "Services",
      "Threads", "Zones",
      "CALSA",
      "CBuild",
      "CConcurrency",
      "CGStreamer", "CIcons", "CLinux", "CToml", "JSON", "NIOCore", "NIOPosix", "Logging",
      "ServiceLifecycle",
    ],
    "vireoctl": [
      "ControlPoint", "Proxies", "Renderers", "DIDLLite", "HTTP", "Kept", "Listening", "Network", "Pins",
      "ReportsIO",
      "SCPD",
      "Text", "UPnP", "Uploads", "XML",
      "CBuild", "ArgumentParser", "NIOCore", "NIOPosix", "Logging",
    ],
    // What it writes begins with imports of its own.
    "ServiceXMLGenerator": [
      "SCPD", "Foundation", "FoundationXML", "UPnP", "ControlPoint", "Proxies", "Text",
    ],
    "ServiceXMLPlugin": ["PackagePlugin", "Foundation"],
    // What it writes begins with imports of its own.
    "PageAPIGenerator": ["JSON", "HTTP", "Foundation"],
    "PageAPIPlugin": ["PackagePlugin", "Foundation"],
  ]

  @Test func everyModuleHasItsPlace() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: sources.path())
      .filter { $0 != "README.md" && (!$0.hasPrefix("C") || $0 == "ControlPoint") }
    #expect(Set(folders) == Set(Self.allowed.keys))
  }

  /// Only the page and the zones' neighbours are control points.
  @Test func theDeviceIsNoControlPoint() throws {
    for module in ["vireod", "Services", "UPnP", "HTTP", "Network"] {
      #expect(
        try #require(Self.allowed[module]).isDisjoint(with: ["ControlPoint", "Proxies", "Renderers"]),
        "\(module)")
    }
  }

  @Test(arguments: allowed.keys.sorted()) func arrowsPointDown(module: String) throws {
    let wanted = try #require(Self.allowed[module]).union(Self.system)
    let files = try files(of: module)
    #expect(!files.isEmpty)
    for file in files {
      for name in file.imports where !wanted.contains(name) {
        Issue.record("\(file.name) imports \(name), which \(module) may not; see Sources/README.md")
      }
    }
  }

  @Test func noFileIsLong() throws {
    for module in Self.allowed.keys {
      for file in try files(of: module) where file.lines.count > 300 {
        Issue.record("\(file.name) has \(file.lines.count) lines; more than 300 are two files")
      }
    }
  }

  /// It starts the threads of libdispatch, which wake an idle daemon every second: `EventLoop.pause` is what waits there.
  @Test(arguments: ["Page", "Renderers", "Services", "UPnP", "HTTP", "Network", "Zones", "vireod"])
  func nothingInTheDaemonSleeps(module: String) throws {
    for file in try files(of: module) {
      for line in file.lines where line.contains("Task.sleep") && !line.contains("///") {
        Issue.record("\(file.name): \(line)")
      }
    }
  }

  /// What the engine decides, what it decides by and what is done to samples knows no GStreamer, so that it is tested without.
  @Test func plansAndStagesArePure() throws {
    let stages = ["SoundChain", "SoundStage", "ChannelStage", "GainStage", "GainRamp", "SampleEncoding"]
    let pure = try files(of: "GStreamerOutput").filter { file in
      file.name.contains("/Plan/") || file.name.contains("/Machine/")
        || stages.contains { file.name.hasSuffix("/Sound/\($0).swift") }
    }
    #expect(pure.count > stages.count)
    for file in pure {
      #expect(file.imports.allSatisfy { ["Player", "Rooms", "Text"].contains($0) }, "\(file.name)")
    }
  }

  private var sources: URL { repository.appendingPathComponent("Sources") }

  private struct SourceFile {
    var name: String
    var lines: ArraySlice<Substring>

    /// `UPnP` of `import UPnP`, `@testable import UPnP` and `import struct UPnP.Peer`.
    var imports: [String] {
      lines.compactMap { line in
        let words = line.split(separator: " ").drop {
          $0.hasPrefix("@") || ["public", "package", "internal"].contains($0)
        }
        guard words.first == "import", let last = words.last, words.count <= 3 else { return nil }
        return String(last.split(separator: ".")[0])
      }
    }
  }

  private func files(of module: String) throws -> [SourceFile] {
    let folder = sources.appendingPathComponent(module)
    let paths = FileManager.default.enumerator(atPath: folder.path())?.compactMap { $0 as? String } ?? []
    return try paths.filter { $0.hasSuffix(".swift") }.map { path in
      let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
      return SourceFile(
        name: "\(module)/\(path)",
        lines: text.split(separator: "\n", omittingEmptySubsequences: false).dropLast())
    }
  }
}
