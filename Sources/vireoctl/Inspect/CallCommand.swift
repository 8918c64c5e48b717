import ArgumentParser
import ControlPoint
import SCPD
import UPnP

/// Calls any action of any device.
struct CallCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "call", abstract: "Calls an action of a device, and prints its results.",
    discussion: """
      Arguments are checked against the service's own description, and sent in its order. InstanceID is 0 unless it is given. \
      Example: vireoctl call Kitchen RenderingControl SetVolume Channel=Master DesiredVolume=20
      """)

  @Argument(help: "The device: name, UDN, address or URL.") var device: String
  @Argument(help: "The service, such as AVTransport.") var service: String
  @Argument(help: "The action, such as GetTransportInfo.") var action: String
  @Argument(help: "The arguments: NAME=VALUE …") var arguments: [String] = []
  @Flag(help: "Send the arguments as they are, without reading the service's description.") var unchecked =
    false
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let arguments = try parsed { () throws(CallArguments.Problem) in try CallArguments(self.arguments) }
    let found = try await DeviceFinder(session).device(device)
    let remote = session.controlPoint.service(try found.service(named: service))
    let (name, ordered) = try await checked(arguments, remote, session, found.friendlyName)
    let isGetter = ["Get", "X_Get", "Browse", "Search"].contains { name.hasPrefix($0) }
    let isSlow = ["Browse", "Search"].contains(name)
    do throws(ActionFailure) {
      let results = try await remote.call(name, ordered, isRepeatable: isGetter, seconds: isSlow ? 15 : 0)
      return Self.report(results)
    } catch { throw Failure(error, from: found.friendlyName) }
  }

  /// The name of the action and its arguments, as the service's description has them.
  private func checked(
    _ arguments: CallArguments, _ remote: RemoteService, _ session: Session, _ device: String
  ) async throws -> (String, [SOAPArgument]) {
    guard !unchecked else { return (action, arguments.pairs) }
    let description: ServiceDescription
    do throws(ActionFailure) {
      description = try await remote.description()
    } catch .cancelled {
      throw Failure(.cancelled, from: device)
    } catch {
      let why = Failure(error, from: device).message
      session.output.note(
        "the service's description can't be read (\(why)); the arguments are sent as they are")
      return (action, arguments.pairs)
    }
    let known =
      description.actions.first { $0.name == action }
      ?? description.actions.first { $0.name.lowercased() == action.lowercased() }
    guard let known else {
      throw Failure(
        .usage, "\(remote.location.name) has no action \(action)",
        hints: description.actions.map { description.signature(of: $0) })
    }
    do throws(CallArguments.Problem) {
      return (known.name, try arguments.ordered(for: known, of: description))
    } catch {
      throw Failure(.usage, "\(error)", hints: [description.signature(of: known)])
    }
  }

  private func parsed(_ body: () throws(CallArguments.Problem) -> CallArguments) throws -> CallArguments {
    do { return try body() } catch { throw Failure(.usage, "\(error)") }
  }

  static func report(_ results: ActionResults) -> Report {
    Report(
      json: .object(results.arguments.map { .init(name: $0.name, value: .string($0.text)) }),
      body: .fields(results.arguments.map { .init(name: $0.name, value: $0.text) }))
  }
}
