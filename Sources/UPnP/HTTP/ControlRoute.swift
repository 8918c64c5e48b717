import NIOCore

/// Actions: SOAP in, SOAP out (UPnP Device Architecture, "Control").
enum ControlRoute {
  /// What is wrong with a request, judged by its head alone; nil when its body may come.
  static func refusal(of head: RequestHead) -> HTTPResponse? {
    if let type = head.fields.first("content-type") {
      let essence = type.prefix { $0 != ";" }.trimmingASCIISpace.lowercased()
      guard ["text/xml", "application/xml", "application/soap+xml"].contains(essence) else {
        return HTTPResponse(.unsupportedMediaType)
      }
    }
    do throws(HTTPError) {
      _ = try SOAPAction(head)
      return nil
    } catch {
      return HTTPResponse(error.status)
    }
  }

  /// Performs the action of a request; `fault` is the UPnP error when it failed.
  static func respond(
    to request: HTTPRequest, service: HostedService, from peer: Peer
  ) -> (response: HTTPResponse, fault: UPnPError?) {
    do throws(HTTPError) {
      let action = try SOAPAction(request.head)
      let body = try parse(request.body)
      do throws(UPnPError) {
        let result = try perform(action, body, service: service, context: context(of: request.head, peer))
        return (HTTPResponse(.ok, contentType: HTTPResponse.xmlType, body: result), nil)
      } catch {
        let fault = SOAPResponse.fault(error)
        return (HTTPResponse(.internalServerError, contentType: HTTPResponse.xmlType, body: fault), error)
      }
    } catch {
      return (HTTPResponse(error.status), nil)
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
