import ArgumentParser
import Foundation
import Testing

@testable import vireoctl

@Suite struct ManualTests {
  private func file(_ path: String) throws -> String {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    return try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
  }

  @Test func theVersionIsThatOfTheChanges() throws {
    let newest = try file("CHANGELOG.md").split(separator: "\n").first { $0.hasPrefix("## ") }
    #expect(newest?.split(separator: " ").dropFirst().first == Version.number[...])
    #expect(Version.text.hasPrefix(Version.number))
  }

  @Test(arguments: CompletionCommand.Shell.allCases)
  func completionsAreNoPrograms(shell: CompletionCommand.Shell) {
    let script = CompletionCommand.script(shell)
    #expect(!script.hasPrefix("#!") && script.contains("vireoctl") && script.hasSuffix("\n"))
  }

  /// Every command and every option that the program's own help names is in the manual.
  @Test func theManualIsComplete() throws {
    let manual = try file("Config/vireoctl.1")
    let words = Set(manual.split { " \n,".contains($0) }.map(String.init))
    for command in CommandList.all {
      let name = try #require(command.configuration.commandName)
      #expect(words.contains(name), "\(name)")
      let nested = command.configuration.subcommands
      for command in [command] + nested {
        let help = Vireoctl.helpMessage(for: command, columns: 1000)
        for line in help.split(separator: "\n") where line.hasPrefix("  -") {
          for option in line.split(whereSeparator: { " /".contains($0) }).prefix(4)
          where option.hasPrefix("--") {
            let option = option.dropFirst().prefix { $0 != "," }
            let isNamed = manual.contains("Fl \(option) ") || manual.contains("Fl \(option)\n")
            #expect(isNamed, "\(name): -\(option)")
          }
        }
      }
    }
  }
}
