import Foundation
import GStreamerOutput
import Testing

@testable import vireod

@Suite struct OptionTests {
  @Test func nothingMeansRun() throws {
    #expect(try OptionParser.parse([]) == Options())
  }

  @Test func everyFormOfAValueIsRead() throws {
    let wanted = Options(config: "/a=b", stateDirectory: "/s", logLevel: .debug, name: "x y")
    #expect(
      try OptionParser.parse(["--config=/a=b", "--state-dir", "/s", "--log-level=debug", "--name", "x y"])
        == wanted)
    #expect(try OptionParser.parse(["-c/a=b", "-s", "/s", "-l", "debug", "-n", "x y", "--"]) == wanted)
  }

  @Test(arguments: [
    ("--check-config", Options.Mode.checkConfiguration), ("--list-outputs", .listOutputs),
    ("--print-description", .printDescription(nil)),
    ("--print-description=openhome", .printDescription(.openHome)),
    ("--print-description=upnp-av", .printDescription(.upnpAV)), ("--version", .version), ("-V", .version),
    ("--help", .help),
    ("-h", .help),
  ])
  func modes(argument: String, mode: Options.Mode) throws {
    #expect(try OptionParser.parse([argument]).mode == mode)
  }

  @Test(arguments: [
    (["--confg", "x"], "there is no option --confg; did you mean --config?"),
    (["--xyzzy"], "there is no option --xyzzy"),
    (["-x"], "there is no option -x"),
    (["--config"], "--config needs a value (FILE)"),
    (["--config="], "--config is empty"),
    (["--version=1"], "--version takes no value"),
    (["--print-description", "openhome"], "\"openhome\" isn't an option"),
    (["--print-description="], "--print-description is empty"),
    (["--print-description=x"], "--print-description: there is no device \"x\"; there are upnp-av, openhome"),
    (["--log-level", "warn"], "--log-level: there is no level \"warn\"; there are trace,"),
    (["here"], "\"here\" isn't an option"),
    (["--", "here"], "\"here\" isn't an option"),
    (["-"], "\"-\" isn't an option"),
    ([""], "\"\" isn't an option"),
  ])
  func mistakes(arguments: [String], message: String) {
    #expect {
      try OptionParser.parse(arguments)
    } throws: { error in
      (error as? Options.Problem)?.message.hasPrefix(message) == true
    }
  }

  @Test func theHelpAndTheManualNameEveryOption() throws {
    let manual = try String(contentsOf: repository.appendingPathComponent("Config/vireod.8"), encoding: .utf8)
    for definition in Options.definitions {
      #expect(Options.help.contains("--\(definition.name)"))
      #expect(manual.contains("Fl -\(definition.name)"), "\(definition.name)")
    }
  }

  @Test func outputsAreListedInColumns() {
    let text = OutputsCommand.text([
      OutputDescription(name: "auto", description: "A", isAvailable: true),
      OutputDescription(name: "alsa:hw:0", description: "B", isAvailable: false),
    ])
    #expect(text == "auto       A\nalsa:hw:0  B (not installed)\n")
  }
}
