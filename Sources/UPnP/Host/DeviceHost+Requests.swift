import HTTP
import NIOCore
import Network

/// Turns requests into responses.
extension DeviceHost: Responder {
  public nonisolated func methods(at path: String) -> [String]? {
    assumeIsolated { $0.routes[path]?.methods }
  }

  public nonisolated func refusal(of head: RequestHead, from peer: Peer) -> HTTPResponse? {
    assumeIsolated { host in
      guard case .control = host.routes[head.path] else { return nil }
      do throws(HTTPError) {
        _ = try ControlRoute.action(of: head)
        return nil
      } catch {
        return host.refuse(error, peer)
      }
    }
  }

  public nonisolated func respond(to request: HTTPRequest, from peer: Peer, id: RequestID) -> Answer? {
    assumeIsolated { $0.answer(request, from: peer, id: id) }
  }

  public nonisolated func abandoned(_ id: RequestID) {
    assumeIsolated { _ = $0.heldAnswers.take(id) }
  }

  private func answer(_ request: HTTPRequest, from peer: Peer, id: RequestID) -> Answer? {
    let head = request.head
    guard let route = routes[head.path], route.methods.contains(head.method) else { return nil }
    switch route {
    case .description(let device):
      let document = routes.description(of: device, address: peer.local, port: peer.localPort)
      return .complete(StaticRoute.respond(to: head, with: document))
    case .document(let document): return .complete(StaticRoute.respond(to: head, with: document))
    case .control(let service):
      do throws(HTTPError) {
        guard let response = try perform(request, service, from: peer, id: id) else { return .later }
        let subscriptions = sendEventsToCaller(peer.remote, of: service)
        guard !subscriptions.isEmpty else { return .complete(response) }
        hold(response, to: id, until: subscriptions)
        return .later
      } catch {
        return .complete(refuse(error, peer))
      }
    case .event(let service): return .complete(respond(toSubscriber: head, of: service, from: peer))
    }
  }

  private func perform(
    _ request: HTTPRequest, _ service: HostedService, from peer: Peer, id: RequestID
  ) throws(HTTPError) -> HTTPResponse? {
    let started = actionObserver == nil ? nil : NIODeadline.now()
    switch try ControlRoute.respond(to: request, service: service, from: peer) {
    case .now(let response, let fault):
      if let started { report(request.head, of: service, fault, since: started) }
      return response
    case .later(let waiting):
      guard waitingActions.begin(peer.remote) else {
        let fault = UPnPError(code: 501, description: "Action Failed: too many actions wait")
        if let started { report(request.head, of: service, fault, since: started) }
        return ControlRoute.failure(fault)
      }
      finish(waiting, of: request.head, from: peer.remote, id: id, since: started)
      return nil
    }
  }

  /// Answers a request once its action no longer has to wait.
  private func finish(
    _ waiting: ControlRoute.Waiting, of head: RequestHead, from address: IPAddress, id: RequestID,
    since started: NIODeadline?
  ) {
    Task {
      let (response, fault) = await ControlRoute.finish(waiting)
      waitingActions.end(address)
      if let started { report(head, of: waiting.service, fault, since: started) }
      stateChanged()
      complete(id, with: response)
    }
  }

  private func complete(_ id: RequestID, with response: HTTPResponse) {
    server.assumeIsolated { $0.complete(id, with: response) }
  }

  private func report(
    _ head: RequestHead, of service: HostedService, _ fault: UPnPError?, since started: NIODeadline
  ) {
    let description = service.provider.description
    let index = (try? ControlRoute.action(of: head)).flatMap { description.actionIndex(named: $0.name) }
    actionObserver?(
      ActionRecord(
        service: service.key.name, action: index.map { description.actions[$0].name } ?? "",
        fault: fault?.code, nanoseconds: (NIODeadline.now() - started).nanoseconds))
  }

  private func refuse(_ error: HTTPError, _ peer: Peer) -> HTTPResponse {
    note(error.status == .unsupportedMediaType ? .mediaType : .malformed, peer)
    return HTTPResponse(error.status)
  }
}
