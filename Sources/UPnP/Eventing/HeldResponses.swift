import HTTP
import NIOCore
import Network

/// Responses held back until their control points, which are also subscribers, have been sent the events of their
/// actions.
///
/// Control points rely on the last event, and read it right after a response. One that hasn't received the event for
/// its Stop takes a new track to be playing already; one that hasn't received the event for its Play takes the track to
/// have ended.
struct HeldResponses {
  struct Entry {
    /// The control point's subscriptions that have events under way.
    var subscriptions: [SID]
    var timer: Scheduled<Void>
    var response: HTTPResponse
  }

  /// The most subscriptions that one response waits for.
  ///
  /// A control point has one or two, and each is checked again after every delivery.
  static let mostSubscriptions = 8

  private var entries: [RequestID: Entry] = [:]

  var isEmpty: Bool { entries.isEmpty }

  mutating func hold(_ entry: Entry, _ id: RequestID) { entries[id] = entry }

  /// Removes the response to a request and returns it; nil when there is none.
  mutating func take(_ id: RequestID) -> HTTPResponse? {
    let entry = entries.removeValue(forKey: id)
    entry?.timer.cancel()
    return entry?.response
  }

  /// Removes and returns the responses that no longer have to wait.
  mutating func take(unless hasEventUnderWay: (SID) -> Bool) -> [(id: RequestID, response: HTTPResponse)] {
    entries.filter { !$0.value.subscriptions.contains(where: hasEventUnderWay) }.keys
      .compactMap { id in take(id).map { (id, $0) } }
  }
}

extension DeviceHost {
  /// Sends the events of an action, and returns the control point's subscriptions that its response must wait for.
  func sendEventsToCaller(_ caller: IPAddress, of service: HostedService) -> [SID] {
    guard service.hasLeadingVariable, isPumpScheduled else { return [] }
    pumpState()
    return pump.subscriptionsUnderWay(at: caller, of: service.key, atMost: HeldResponses.mostSubscriptions)
  }

  /// Sends `response` once `subscriptions` have been sent their events, or after a short time; never when the connection
  /// closes first.
  func hold(_ response: HTTPResponse, to id: RequestID, until subscriptions: [SID]) {
    let time = TimeAmount.milliseconds(Int64(configuration.events.responseHoldMilliseconds))
    let timer = eventLoop.scheduleTask(in: time) {
      self.assumeIsolated { host in
        guard let response = host.heldAnswers.take(id) else { return }
        host.server.assumeIsolated { $0.complete(id, with: response) }
      }
    }
    heldAnswers.hold(HeldResponses.Entry(subscriptions: subscriptions, timer: timer, response: response), id)
  }

  /// Releases the responses whose control points have been sent their events.
  func releaseAnswers() {
    guard !heldAnswers.isEmpty else { return }
    for (id, response) in heldAnswers.take(unless: pump.hasEventUnderWay) {
      // In a later turn: sending one response could otherwise release another in a nested call, and so on.
      eventLoop.execute { [server] in server.assumeIsolated { $0.complete(id, with: response) } }
    }
  }
}
