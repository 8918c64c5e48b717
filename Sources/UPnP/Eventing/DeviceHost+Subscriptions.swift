import HTTP
import NIOCore

/// SUBSCRIBE and UNSUBSCRIBE (UPnP Device Architecture, "Eventing").
extension DeviceHost {
  func respond(toSubscriber head: RequestHead, of hosted: HostedService, from peer: Peer) -> HTTPResponse {
    let now = NIODeadline.now()
    let service = hosted.key
    do throws(HTTPError) {
      switch try SubscriptionRequest(
        method: head.method, fields: head.fields, sidFormat: hosted.sidFormat)
      {
      case .subscribe(let callback, let timeout):
        return try subscribe(to: hosted, callback: callback, timeout: timeout, from: peer, now: now)
      case .renew(let sid, let timeout):
        let seconds = configuration.events.granted(timeout: timeout)
        if let effects = pump.endIfUnreachable(
          sid, of: service, renewedFrom: peer.remote, interface: access.link(of: peer)?.index, now: now)
        {
          carryOut(effects)
          eventLogger.debug(
            "the renewal of a subscription was refused, because its events don't arrive; the subscriber has to subscribe again",
            metadata: ["subscriber": "\(peer.remote)", "service": "\(service.name)"])
          throw HTTPError(status: .preconditionFailed)
        }
        guard pump.renew(sid, of: service, until: now + .seconds(Int64(seconds)), now: now) else {
          throw HTTPError(status: .preconditionFailed)
        }
        armTimer()
        return Self.accepted(sid, hosted.sidFormat, seconds: seconds)
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
    to hosted: HostedService, callback: String, timeout: String?, from peer: Peer, now: NIODeadline
  ) throws(HTTPError) -> HTTPResponse {
    let urls = (CallbackURL.list(callback, limits: configuration.events) ?? [])
      .filter { access.mayDeliver(to: $0.address, subscriber: peer) }
    guard !urls.isEmpty else {
      note(.callback, peer, logger: eventLogger)
      throw HTTPError(status: .preconditionFailed)
    }
    let seconds = configuration.events.granted(timeout: timeout)
    var sid: SID
    repeat { sid = hosted.sidFormat.makeSID() } while pump.table[sid] != nil
    let subscription = Subscription(
      id: sid, sidFormat: hosted.sidFormat, fields: hosted.eventFields, closes: hosted.habits.closesEvents,
      service: hosted.key, subscriber: peer.remote, callbacks: urls,
      interface: access.link(of: peer)?.index, expires: now + .seconds(Int64(seconds)))
    carryOut(pump.expire(now: now))
    do throws(SubscriptionRefusal) {
      try pump.subscribe(subscription)
    } catch {
      note(error == .total ? .subscriptions : .subscriptionsPerAddress, peer, logger: eventLogger)
      throw HTTPError(status: .serviceUnavailable)
    }
    eventLogger.debug(
      "subscribed",
      metadata: ["subscriber": "\(subscription.subscriber)", "service": "\(hosted.key.name)"])
    var response = Self.accepted(sid, hosted.sidFormat, seconds: seconds)
    response.whenSent = { [self, sid] hasLeft in
      assumeIsolated { $0.subscriptionAnswered(sid, hasLeft: hasLeft) }
    }
    return response
  }

  /// Logs a subscriber that can't be reached for long and a likely reason, at most once a minute per outcome.
  func report(_ failing: (subscription: Subscription, outcome: DeliveryOutcome)) {
    let (suppressed, shouldLog) = failingLog.shouldLog(failing.outcome, now: .now())
    guard shouldLog else { return }
    let tries = DeliveryPolicy.manyFailures
    eventLogger.info(
      failing.outcome == .timedOut
        ? "a subscriber has answered none of \(tries) events; a firewall there may drop them, or it is asleep or out of reach"
        : "a subscriber's address took none of \(tries) events; its app is gone, or a firewall there refuses them",
      metadata: [
        "subscriber": "\(failing.subscription.subscriber)", "service": "\(failing.subscription.service.name)",
        "before": "\(suppressed)",
      ])
  }

  private static func accepted(_ sid: SID, _ format: SIDFormat, seconds: Int) -> HTTPResponse {
    HTTPResponse(.ok, fields: SubscriptionReply(sid: format.text(sid), seconds: seconds).fields)
  }
}
