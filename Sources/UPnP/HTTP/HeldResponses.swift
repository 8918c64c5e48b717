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
    var release: () -> Void
  }

  /// The most subscriptions that one response waits for.
  ///
  /// A control point has one or two, and each is checked again after every delivery.
  static let mostSubscriptions = 8

  /// By connection; each has at most one pending response.
  private var entries: [Int: Entry] = [:]

  var isEmpty: Bool { entries.isEmpty }

  mutating func hold(_ entry: Entry, connection: Int) { entries[connection] = entry }

  /// Removes the response on `connection` and returns it; nil when there is none.
  mutating func take(_ connection: Int) -> Entry? {
    let entry = entries.removeValue(forKey: connection)
    entry?.timer.cancel()
    return entry
  }

  /// Removes and returns the responses that no longer have to wait.
  mutating func take(unless hasEventUnderWay: (SID) -> Bool) -> [Entry] {
    entries.filter { !$0.value.subscriptions.contains(where: hasEventUnderWay) }.keys.compactMap { take($0) }
  }
}

extension DeviceHost {
  /// Sends the events of an action, and returns the control point's subscriptions that its response must wait for.
  func sendEventsToCaller(_ caller: IPAddress, of service: HostedService) -> [SID] {
    guard service.hasLeadingVariable, isPumpScheduled else { return [] }
    pumpState()
    return pump.subscriptionsUnderWay(at: caller, of: service.key, atMost: HeldResponses.mostSubscriptions)
  }

  /// Calls `release` once `subscriptions` have been sent their events, or after a short time; never when the connection
  /// closes first.
  func holdAnswer(
    on connection: Int, until subscriptions: [SID], release: @escaping () -> Void
  ) {
    let time = TimeAmount.milliseconds(Int64(configuration.events.responseHoldMilliseconds))
    let timer = eventLoop.scheduleTask(in: time) {
      self.assumeIsolated { host in
        guard let entry = host.heldAnswers.take(connection) else { return }
        entry.release()
      }
    }
    heldAnswers.hold(
      HeldResponses.Entry(subscriptions: subscriptions, timer: timer, release: release),
      connection: connection)
  }

  var isHoldingAnswers: Bool { !heldAnswers.isEmpty }

  /// Releases the responses whose control points have been sent their events.
  func releaseAnswers() {
    guard isHoldingAnswers else { return }
    for entry in heldAnswers.take(unless: pump.hasEventUnderWay) {
      let release = NIOLoopBound(entry.release, eventLoop: eventLoop)
      // In a later turn: sending one response could otherwise release another in a nested call, and so on.
      eventLoop.execute { release.value() }
    }
  }
}
