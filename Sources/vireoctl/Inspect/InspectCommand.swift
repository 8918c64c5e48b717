import ArgumentParser
import ControlPoint

/// Shows what a device says about itself.
struct InspectCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "inspect", abstract: "Shows a device's description, services, actions and variables.")

  @Argument(help: "The device: name, UDN, address or URL; the renderer if it is left out.") var device:
    String?
  @Argument(help: "A service, such as AVTransport.") var service: String?
  @Flag(help: "Show the actions and variables of all services.") var actions = false
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let finder = DeviceFinder(session)
    let found: FoundDevice? =
      if let device { try await finder.device(device) } else { try await finder.renderer().devices.first }
    guard let found else { throw Failure(.noDevice, "no renderer answered") }
    guard let service else {
      return try await Inspection.read(found, session).report(hasActions: actions)
    }
    let chosen = try found.services(named: service)
    return Inspection.report(of: await Inspection.services(chosen, session))
  }
}

extension FoundDevice {
  /// The services that a user names.
  func services(named text: String) throws -> [ServiceLocation] {
    let chosen = ServiceChoice.services(named: text, of: services)
    guard chosen.isEmpty else { return chosen }
    throw Failure(
      .usage, "\(friendlyName) has no service \"\(text)\"", hints: services.map { "\($0.name):\($0.version)" }
    )
  }

  /// The one service that a user names.
  func service(named text: String) throws -> ServiceLocation {
    let chosen = try services(named: text)
    guard chosen.count == 1 else {
      throw Failure(.usage, "\"\(text)\" may be any of these services; say more", hints: chosen.map(\.type))
    }
    return chosen[0]
  }
}
