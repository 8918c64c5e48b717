import ArgumentParser
import ControlPoint
import Proxies

struct RadioCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "radio", abstract: "Lists and plays the stations of an OpenHome renderer.",
    subcommands: [RadioListCommand.self, RadioPlayCommand.self], defaultSubcommand: RadioListCommand.self)
  @OptionGroup var options: GlobalOptions
}

struct RadioListCommand: Command {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists the stations.")
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    return try await QueueList.stations(renderer).report(whenEmpty: "it has no stations")
  }
}

struct RadioPlayCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "play", abstract: "Plays a station, or an address.")
  @Argument(help: "The station's number or name, or an address.") var station: [String]
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    let text = station.joined(separator: " ")
    if PlayWhat.isAddress(text) {
      let radio: Radio2.Proxy = try renderer.proxy(.radio)
      let object = MediaObject(address: text, isStation: true)
      try await renderer.attempt { () async throws(ActionFailure) in
        try await radio.setChannel(uri: text, metadata: object.metadata(for: object.resources.first))
        try await radio.play()
      }
      return renderer.done(["uri": .string(text)])
    }
    let entry = try await QueueList.stations(renderer).entry(
      text, noun: "station", in: "the list of \(renderer.name)")
    try await Playing(renderer).play(station: entry)
    return renderer.done(["title": .string(entry.title), "uri": .string(entry.uri)])
  }
}
