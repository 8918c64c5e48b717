import NIOCore

/// Actions: SOAP in, SOAP out (UPnP Device Architecture, "Control").
enum ControlRoute {
  /// The action that a request asks for, judged by its head alone.
  ///
  /// - Throws: 415 for content that isn't XML, and what ``SOAPAction`` says.
  static func action(of head: RequestHead) throws(HTTPError) -> SOAPAction {
    if let type = head.fields.first("content-type"), type != HTTPResponse.xmlType {
      let essence = type.prefix { $0 != ";" }.trimmingASCIISpace.lowercased()
      guard ["text/xml", "application/xml", "application/soap+xml"].contains(essence) else {
        throw HTTPError(status: .unsupportedMediaType)
      }
    }
    return try SOAPAction(head)
  }

  /// Performs the action of a request; `fault` is the UPnP error when it failed.
  static func respond(
    to request: HTTPRequest, service: HostedService, from peer: Peer
  ) throws(HTTPError) -> (response: HTTPResponse, fault: UPnPError?) {
    let action = try action(of: request.head)
    let body = try parse(request.body)
    do throws(UPnPError) {
      let result = try perform(action, body, service: service, context: context(of: request.head, peer))
      return (HTTPResponse(.ok, contentType: HTTPResponse.xmlType, body: result), nil)
    } catch {
      let fault = SOAPResponse.fault(error)
      return (HTTPResponse(.internalServerError, contentType: HTTPResponse.xmlType, body: fault), error)
    }
  }

  private static func parse(_ body: ByteBuffer) throws(HTTPError) -> SOAPBody {
    do throws(SOAPParserError) {
      return try SOAPParser.parse(body)
    } catch {
      switch error {
      case .malformed, .tooLarge: throw HTTPError(status: .badRequest)
      case .noAction: throw HTTPError(status: .preconditionFailed)
      }
    }
  }

  private static func perform(
    _ action: SOAPAction, _ body: SOAPBody, service: HostedService, context: ActionContext
  ) throws(UPnPError) -> ByteBuffer {
    let description = service.provider.description
    guard action.name == body.action, action.serviceType == body.namespace,
      service.understands(type: action.serviceType), let index = description.actionIndex(named: action.name)
    else { throw .invalidAction }
    let inputs = try service.coder.check(action: index, arguments: body.arguments)
    var call = ActionCall(action: index, context: context, inputs: inputs)
    try service.provider.perform(&call)
    return SOAPResponse.success(
      description.actions[index], serviceType: action.serviceType, outputs: call.outputs)
  }

  private static func context(of head: RequestHead, _ peer: Peer) -> ActionContext {
    ActionContext(
      remoteAddress: peer.remote, userAgent: String((head.fields.first("user-agent") ?? "").prefix(200)))
  }
}
