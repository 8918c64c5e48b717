import NIOCore
import Network

/// Work that doesn't fit into one turn of the event loop: responses that are built in steps, and requests for which there
/// was no time.
///
/// It continues in the next turn, after the sockets have been polled, so an address that requests much doesn't hold up
/// the others.
extension DeviceHost {
  /// Calls `step` once per turn of the event loop until it returns false.
  func makeInSteps(for address: IPAddress, _ step: @escaping @Sendable () -> Bool) {
    longAnswers.add(step, for: address)
    scheduleTurn()
  }

  /// True when this turn has time for another request.
  func hasTime() -> Bool {
    let isFirst = requestTurns.end == nil
    let hasTime = requestTurns.hasTime(now: .now())
    // This task runs after all sockets that had something in this turn.
    if isFirst, hasTime { eventLoop.execute { self.assumeIsolated { $0.requestTurns.endOfSockets() } } }
    return hasTime
  }

  /// Calls `request` when its address has its turn, in a later turn of the event loop.
  func queueRequest(of address: IPAddress, _ request: @escaping @Sendable () -> Void) {
    requestTurns.add(request, of: address)
    scheduleTurn()
  }

  /// Schedules one task for both kinds of work. Of two tasks, each would take so long that the other is due again before
  /// the sockets are polled.
  private func scheduleTurn() {
    guard !isTurnScheduled else { return }
    isTurnScheduled = true
    // A task passed to `execute` still runs in this turn: NIO polls the sockets only when no task is due.
    eventLoop.scheduleTask(in: .microseconds(100)) {
      self.assumeIsolated {
        guard !$0.isStopped else { return }
        $0.takeStep()
        $0.answerQueued()
        $0.isTurnScheduled = false
        guard !$0.longAnswers.isEmpty || !$0.requestTurns.queue.isEmpty else { return }
        // The time until the next turn starts after the events of this one have been built. Otherwise they may take so
        // long that the next turn is due before the sockets are polled.
        $0.eventLoop.execute { self.assumeIsolated { $0.scheduleTurn() } }
      }
    }
  }

  private func takeStep() {
    guard let (address, step) = longAnswers.next else { return }
    longAnswers.worked(for: address, isLast: !step())
  }

  private func answerQueued() {
    let end = NIODeadline.now() + RequestTurns.length
    repeat {
      guard let (address, request) = requestTurns.queue.next else { return }
      // Remove it afterwards, so that the next request of its connection is queued behind those of other addresses.
      request()
      requestTurns.answered(address)
    } while .now() < end
  }
}
