import NIOCore

/// SUBSCRIBE and UNSUBSCRIBE (UPnP Device Architecture, "Eventing").
extension DeviceHost {
  func respond(toSubscriber head: RequestHead, of service: ServiceKey, from peer: Peer) -> HTTPResponse {
    let now = NIODeadline.now()
    do throws(HTTPError) {
      switch try SubscriptionRequest(method: head.method, fields: head.fields) {
      case .subscribe(let callback, let timeout):
        return try subscribe(to: service, callback: callback, timeout: timeout, from: peer, now: now)
      case .renew(let sid, let timeout):
        let seconds = configuration.events.granted(timeout: timeout)
        guard pump.renew(sid, of: service, until: now + .seconds(Int64(seconds)), now: now) else {
          throw HTTPError(status: .preconditionFailed)
        }
        return Self.accepted(sid, seconds: seconds)
      case .unsubscribe(let sid):
        guard let effects = pump.unsubscribe(sid, of: service, now: now) else {
          throw HTTPError(status: .preconditionFailed)
        }
        carryOut(effects)
        return HTTPResponse(.ok)
      }
    } catch {
      return HTTPResponse(error.status)
    }
  }

  private func subscribe(
    to service: ServiceKey, callback: String, timeout: String?, from peer: Peer, now: NIODeadline
  ) throws(HTTPError) -> HTTPResponse {
    let urls = (CallbackURL.list(callback, limits: configuration.events) ?? [])
      .filter { access.mayDeliver(to: $0.address, subscriber: peer.remote, local: peer.local) }
    guard !urls.isEmpty else {
      note(.callback, peer)
      throw HTTPError(status: .preconditionFailed)
    }
    let seconds = configuration.events.granted(timeout: timeout)
    let subscription = Subscription(
      id: .random(), service: service, subscriber: peer.remote, callbacks: urls,
      interface: access.interface(holding: peer.local)?.index, expires: now + .seconds(Int64(seconds)))
    carryOut(pump.expire(now: now))
    do throws(SubscriptionRefusal) {
      try pump.subscribe(subscription)
    } catch {
      note(error == .total ? .subscriptions : .subscriptionsPerAddress, peer)
      throw HTTPError(status: .serviceUnavailable)
    }
    eventLogger.debug(
      "subscribed", metadata: ["subscriber": "\(subscription.subscriber)", "service": "\(service.name)"])
    var response = Self.accepted(subscription.id, seconds: seconds)
    response.subscription = subscription.id
    return response
  }

  private static func accepted(_ sid: SID, seconds: Int) -> HTTPResponse {
    HTTPResponse(
      .ok, fields: [(name: "SID", value: sid.description), (name: "TIMEOUT", value: "Second-\(seconds)")])
  }
}
