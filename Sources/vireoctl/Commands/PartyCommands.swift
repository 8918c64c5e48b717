import ArgumentParser
import ControlPoint
import Renderers

struct PartyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "party", abstract: "Lets guests request songs from a Vireo.",
    discussion: """
      A party is off until it is started, and ends by itself. Guests open its address, or scan the code that the
      speaker's page shows. It keeps friends in order, not enemies out: whoever reaches the speaker can control it
      anyway.
      """,
    subcommands: [
      PartyStatusCommand.self, PartyStartCommand.self, PartyStopCommand.self, PartyRequestsCommand.self,
      PartyAcceptCommand.self, PartyRefuseCommand.self,
    ], defaultSubcommand: PartyStatusCommand.self)
  @OptionGroup var options: GlobalOptions
}

struct PartyStatusCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Says whether there is a party, its code, and how long it lasts.")
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    return PartyView.report(
      try await renderer.control { remote throws(RendererFailure) in try await remote.party() })
  }
}

struct PartyStartCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "start", abstract: "Starts a party, and says its code and address.")
  @Argument(help: "ask: you accept each request; add: requests join the queue at once.")
  var mode = PartyState.Mode.ask
  @Option(help: "How long it lasts, in hours; without it, as the speaker's configuration says.")
  var hours: Double?
  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if let hours, !(0.1...24).contains(hours) {
      throw ValidationError("a party lasts from 0.1 to 24 hours")
    }
  }

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    return PartyView.report(
      try await renderer.control { [mode, hours] remote throws(RendererFailure) in
        try await remote.startParty(mode, hours: hours)
      })
  }
}

struct PartyStopCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "stop", abstract: "Ends the party. What is in the queue stays there.")
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    try await renderer.control { remote throws(RendererFailure) in try await remote.stopParty() }
    return renderer.done()
  }
}

struct PartyRequestsCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "requests", abstract: "Lists what guests want to hear.")
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    return PartyView.requests(
      try await renderer.control { remote throws(RendererFailure) in try await remote.party() })
  }
}

struct PartyAcceptCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "accept", abstract: "Lets requests into the queue.")
  @Argument(help: "The numbers of the requests, as `party requests` lists them.") var requests: [Int]
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    try await PartyDecision(accepts: true, requests: requests).perform(session)
  }
}

struct PartyRefuseCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "refuse", abstract: "Refuses requests; those in the queue leave it.")
  @Argument(help: "The numbers of the requests, as `party requests` lists them.") var requests: [Int]
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    try await PartyDecision(accepts: false, requests: requests).perform(session)
  }
}

/// What the host decides about requests, one after the other.
private struct PartyDecision {
  var accepts: Bool
  var requests: [Int]

  func perform(_ session: Session) async throws -> Report {
    let renderer = try await DeviceFinder(session).renderer()
    for request in requests {
      try await renderer.control { [accepts] remote throws(RendererFailure) in
        try await remote.decide(request, accepts: accepts)
      }
    }
    return renderer.done(["requests": .array(requests.map { .number($0) })])
  }
}

extension PartyState.Mode: ExpressibleByArgument {}
