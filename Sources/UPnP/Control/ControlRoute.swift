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

  /// Performs the action of a request; `fault` is the UPnP error if it failed.
  static func respond(
    to request: HTTPRequest, service: HostedService, from peer: Peer
  ) throws(HTTPError) -> (response: HTTPResponse, fault: UPnPError?) {
    let action = try action(of: request.head)
    let body = try parse(request.body, isLenient: service.habits.isLenient)
    do throws(UPnPError) {
      let result = try perform(action, body, service: service, context: context(of: request.head, peer))
      let beginning = result.begin(serviceType: action.serviceType)
      var response = HTTPResponse(.ok, contentType: HTTPResponse.xmlType, body: beginning)
      var attempt = result
      if attempt.write(to: &response.body) {
        // Too long for one turn, so it starts again later. Until then it has no content, which would take memory.
        response.body = beginning
        response.rest = result
      }
      return (response, nil)
    } catch {
      let fault = SOAPResponse.fault(error)
      return (HTTPResponse(.internalServerError, contentType: HTTPResponse.xmlType, body: fault), error)
    }
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

  private static func perform(
    _ action: SOAPAction, _ body: SOAPBody, service: HostedService, context: ActionContext
  ) throws(UPnPError) -> SOAPResponse.Success {
    let description = service.provider.description
    // The body may omit its namespace, or use an undeclared prefix: the header has already named the service.
    let isLenient = service.habits.isLenient
    guard action.name == body.action,
      isLenient || body.namespace.isEmpty || action.serviceType == body.namespace,
      let version = isLenient ? service.version : service.version(of: action.serviceType),
      let index = description.actionIndex(named: action.name)
    else { throw .invalidAction }
    let inputs = try service.coder.check(action: index, arguments: body.arguments)
    var call = ActionCall(action: index, context: context, inputs: inputs)
    try service.provider.perform(&call)
    return SOAPResponse.Success(description.actions[index], version: version, outputs: call.outputs)
  }

  private static func context(of head: RequestHead, _ peer: Peer) -> ActionContext {
    ActionContext(
      remoteAddress: peer.remote, userAgent: String((head.fields.first("user-agent") ?? "").prefix(200)))
  }
}

extension SOAPResponse.Success: BodyRest {}
