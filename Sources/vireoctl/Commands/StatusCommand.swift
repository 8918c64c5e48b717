import ArgumentParser
import ControlPoint
import Renderers

/// Says what a renderer does.
struct StatusCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Says whether it plays, and what.",
    discussion: """
      In a pipe it prints one word: Playing, Paused, Stopped or Buffering. --format prints what you like, as in \
      --format '{artist} – {title}'; the names are those of --json.
      """)

  @Flag(name: [.long, .customLong("follow")], help: "Go on, and print every change.") var watch = false
  @Option(help: "Print this, with values in braces.") var format: String?
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    let status = try await renderer.status()
    guard watch else { return report(status) }
    try session.output.show(report(status))
    try await StatusWatch(renderer).run(from: status) { try session.output.show(report($0)) }
    return nil
  }

  private func report(_ status: PlayerStatus) -> Report {
    guard let format else { return status.report }
    return .lines([status.formatted(format)], json: status.json)
  }
}
