import ArgumentParser
import Text

/// Looks for the reasons why a device isn't seen, or doesn't play.
struct DoctorCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Looks for the reasons why a speaker isn't found, each with its cure.",
    discussion: """
      Run it on the speaker, and on another machine in the same network. It changes nothing. Exit status 1 means that \
      something is wrong.
      """)

  @Argument(help: "The speaker that isn't found: its name, UDN or, which says most, its address.") var device:
    String?
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    session.output.note("asking all devices; this takes some seconds")
    let facts = try await Examination(session: session, wanted: device ?? options.renderer).facts()
    try Task.checkCancellation()
    let findings = DoctorChecks.findings(facts)
    try session.output.show(DoctorReport.report(findings))
    let faults = findings.count { $0.grade == .fault }
    guard faults > 0 else { return nil }
    throw Failure(.refused, "\(counted(faults, "thing is", "things are")) wrong")
  }
}
