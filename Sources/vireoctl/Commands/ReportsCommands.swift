import ArgumentParser
import ControlPoint
import Renderers

struct ReportsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reports", abstract: "Shows what a Vireo reports of what was heard, and pauses it.",
    discussion: """
      Where reports go is in the configuration of the speaker, [reports]. A pause keeps nothing to be reported later.
      """,
    subcommands: [
      ReportsStatusCommand.self, ReportsPauseCommand.self, ReportsResumeCommand.self,
      ReportsLoginCommand.self,
    ], defaultSubcommand: ReportsStatusCommand.self)
  @OptionGroup var options: GlobalOptions
}

struct ReportsStatusCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Lists the servers that are told, what waits for them, and the last reports.")
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    let reports = try await renderer.control { remote throws(RendererFailure) in
      try await remote.listeningReports()
    }
    for note in ReportsView.notes(reports) { session.output.note(note) }
    return ReportsView.report(reports)
  }
}

struct ReportsPauseCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "pause",
    abstract: "Reports nothing for a while: an hour, until midnight, or while this album plays.")
  @Argument(help: "hour, today or album.") var length = ListeningReports.PauseLength.hour
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    let reports = try await renderer.control { [length] remote throws(RendererFailure) in
      try await remote.pauseReports(for: length)
    }
    return renderer.done(["paused": .bool(reports.pause != nil)])
  }
}

struct ReportsResumeCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Ends the pause, and asks servers again that have refused.")
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    let reports = try await renderer.control { remote throws(RendererFailure) in
      try await remote.resumeReports()
    }
    return renderer.done(["paused": .bool(reports.pause != nil)])
  }
}

extension ListeningReports.PauseLength: ExpressibleByArgument {}
