import HTTP
import NIOCore
import Text

/// Actions: SOAP requests and responses (UPnP Device Architecture, "Control").
enum ControlRoute {
  /// Returns the action that a request invokes, based on its head alone.
  ///
  /// - Throws: 415 for content that isn't XML, and the errors of ``SOAPAction``.
  static func action(of head: RequestHead) throws(HTTPError) -> SOAPAction {
    if let type = head.fields.first("content-type"), type != HTTPResponse.xmlType {
      let essence = type.prefix { $0 != ";" }.trimmingASCIISpace.lowercased()
      guard ["text/xml", "application/xml", "application/soap+xml"].contains(essence) else {
        throw HTTPError(status: .unsupportedMediaType)
      }
    }
    return try SOAPAction(head)
  }

  /// An action that waits for something, with its checked arguments.
  struct Waiting: Sendable {
    let action: SOAPAction
    let call: ActionCall
    let version: Int
    let service: HostedService
  }

  enum Reply {
    /// The response, and the UPnP error if the action failed.
    case now(HTTPResponse, UPnPError?)
    case later(Waiting)
  }

  /// Performs the action of a request, unless it has to wait.
  static func respond(
    to request: HTTPRequest, service: HostedService, from peer: Peer
  ) throws(HTTPError) -> Reply {
    let action = try action(of: request.head)
    let body = try parse(request.body, isLenient: service.habits.isLenient)
    do throws(UPnPError) {
      var (call, version) = try check(
        action, body, service: service, context: context(of: request.head, peer))
      guard !service.provider.waits(call.action) else {
        return .later(Waiting(action: action, call: call, version: version, service: service))
      }
      try service.provider.perform(&call)
      return .now(success(action, call, version, service), nil)
    } catch {
      return .now(failure(error), error)
    }
  }

  /// Performs an action that waits for something.
  nonisolated(nonsending) static func finish(
    _ waiting: Waiting
  ) async -> (response: HTTPResponse, fault: UPnPError?) {
    do throws(UPnPError) {
      let call = try await waiting.service.provider.performLater(waiting.call)
      return (success(waiting.action, call, waiting.version, waiting.service), nil)
    } catch {
      return (failure(error), error)
    }
  }

  private static func success(
    _ action: SOAPAction, _ call: ActionCall, _ version: Int, _ service: HostedService
  ) -> HTTPResponse {
    let result = SOAPResponse.Success(
      service.provider.description.actions[call.action], version: version, outputs: call.outputs)
    let beginning = result.begin(serviceType: action.serviceType)
    var response = HTTPResponse(.ok, contentType: HTTPResponse.xmlType, body: beginning)
    var attempt = result
    if attempt.write(to: &response.body) {
      // Too long for one turn, so it starts again later. Until then it has no content, which would take memory.
      response.body = beginning
      response.rest = result
    }
    return response
  }

  static func failure(_ error: UPnPError) -> HTTPResponse {
    HTTPResponse(
      .internalServerError, contentType: HTTPResponse.xmlType, body: SOAPResponse.fault(error))
  }

  private static func parse(_ body: ByteBuffer, isLenient: Bool) throws(HTTPError) -> SOAPBody {
    do throws(SOAPParserError) {
      return try SOAPParser.parse(body)
    } catch {
      switch error {
      case .malformed where isLenient:
        guard let mended = BareAmpersands.escaped(body) else { throw HTTPError(status: .badRequest) }
        return try parse(mended, isLenient: false)
      case .malformed, .tooLarge: throw HTTPError(status: .badRequest)
      case .noAction: throw HTTPError(status: .preconditionFailed)
      }
    }
  }

  private static func check(
    _ action: SOAPAction, _ body: SOAPBody, service: HostedService, context: ActionContext
  ) throws(UPnPError) -> (call: ActionCall, version: Int) {
    let description = service.provider.description
    // The body may omit its namespace, or use an undeclared prefix: the header has already named the service.
    let isLenient = service.habits.isLenient
    guard action.name == body.action,
      isLenient || body.namespace.isEmpty || action.serviceType == body.namespace,
      let version = isLenient ? service.version : service.version(of: action.serviceType),
      let index = description.actionIndex(named: action.name)
    else { throw .invalidAction }
    let inputs = try service.coder.check(action: index, arguments: body.arguments)
    return (ActionCall(action: index, context: context, inputs: inputs), version)
  }

  private static func context(of head: RequestHead, _ peer: Peer) -> ActionContext {
    ActionContext(
      remoteAddress: peer.remote, userAgent: String((head.fields.first("user-agent") ?? "").prefix(200)))
  }
}

extension SOAPResponse.Success: BodyRest {}
