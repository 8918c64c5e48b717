import NIOCore
import Network
import Testing

@testable import UPnP

/// Subscribers that can't be reached keep their subscriptions.
@Suite struct RetryTests {
  /// Advances to the next wake-up, and returns after how many milliseconds it came and what was sent.
  private static func nextTry(_ rig: inout PumpRig) throws -> (after: Int64, delivery: EventDelivery) {
    let wake = try #require(rig.pump.nextWake)
    let pause = (wake - rig.now).nanoseconds / 1_000_000
    let sent = rig.advance(milliseconds: Int(pause)).send
    return (pause, try #require(sent.first))
  }

  /// A subscriber that has got SEQ 0, and whose SEQ 1 (A=2) ended like this.
  private static func failed(_ outcome: DeliveryOutcome = .unreachable) throws -> PumpRig {
    var rig = PumpRig(moderation: .zero)
    _ = try rig.settled()
    let effects = rig.finish(try #require(rig.set("A", "2").send.first), outcome)
    #expect(effects.send.isEmpty && effects.dropped.isEmpty)
    return rig
  }

  @Test func triesBecomeRarerAndSayWhatIsTrueThen() throws {
    var rig = try Self.failed()
    var pauses: [Int64] = []
    for number in 2...10 {
      let (pause, delivery) = try Self.nextTry(&rig)
      pauses.append(pause)
      #expect(delivery.told == "\(number) A=2 B=x", "everything, and SEQ shows the gap")
      #expect(rig.finish(delivery, .unreachable).send.isEmpty)
    }
    #expect(pauses == [1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000, 30000])
  }

  @Test func onceReachedNothingIsOwedAndNoTimerRuns() throws {
    var rig = try Self.failed()
    let delivery = try Self.nextTry(&rig).delivery
    #expect(rig.finish(delivery).send.isEmpty)
    #expect(rig.pump.nextWake == nil)
    #expect(rig.set("A", "3").send.map(\.told) == ["3 A=3"], "differences again")
    let again = rig.pump.table[delivery.sid]
    #expect(again?.failures == 0, "the next trouble begins with a second")
  }

  @Test func aNewChangeIsTriedAtOnceWhenTheLastTryIsASecondOld() throws {
    var rig = try Self.failed()
    for _ in 0..<2 { _ = rig.finish(try Self.nextTry(&rig).delivery, .unreachable) }
    #expect(rig.advance(milliseconds: 999).send.isEmpty)
    #expect(rig.set("A", "3").send.isEmpty)
    #expect(rig.set("B", "y").send.isEmpty)
    #expect(rig.pump.nextWake == rig.now + .milliseconds(1), "not in 3 s")
    let sent = rig.advance(milliseconds: 1).send
    #expect(sent.map(\.told) == ["4 A=3 B=y"], "one message for all that has changed")
    _ = rig.finish(try #require(sent.first), .unreachable)
    #expect(rig.set("A", "4").send.isEmpty)
    #expect(rig.advance(milliseconds: 999).send.isEmpty)
    #expect(rig.advance(milliseconds: 1).send.map(\.told) == ["5 A=4 B=y"], "nor in 8 s")
  }

  /// As OpenHome's Time does it, every second.
  @Test func aClockThatRunsDoesNotKeepTheTriesFrequent() throws {
    var rig = try Self.failed()
    var (pauses, last) = ([Int64](), rig.now)
    rig.nextChange = .milliseconds(500)
    #expect(rig.set("A", "3").send.isEmpty)
    for step in 0..<60 {
      rig.values[0].value = "\(step + 4)"
      for delivery in rig.advance(milliseconds: 500).send {
        pauses.append((rig.now - last).nanoseconds / 1_000_000)
        last = rig.now
        _ = rig.finish(delivery, .unreachable)
      }
    }
    #expect(pauses == [1000, 1000, 1000, 2000, 4000, 7500, 7500])
  }

  /// All at first, then one URL for each try: many subscriptions with six URLs are a flood otherwise.
  @Test func theURLsAreTriedInTurn() throws {
    let urls = try (1...3).map { try #require(CallbackURL("http://192.0.2.\($0)/")) }
    var rig = PumpRig(moderation: .zero)
    let sid = try rig.subscribe(callbacks: urls)
    let first = try #require(rig.answered(sid).send.first)
    #expect(first.callbacks == urls)
    _ = rig.finish(first, .unreachable)
    for number in 0..<4 {
      let delivery = try Self.nextTry(&rig).delivery
      #expect(delivery.callbacks == [urls[number % 3]])
      _ = rig.finish(delivery, .unreachable)
    }
    _ = rig.finish(try Self.nextTry(&rig).delivery)
    #expect(rig.set("A", "2").send.map(\.callbacks) == [urls])
  }

  @Test func changesMeanwhileAreNotQueued() throws {
    var rig = try Self.failed()
    for value in 3..<1000 { #expect(rig.set("A", "\(value)").send.isEmpty) }
    let (pause, delivery) = try Self.nextTry(&rig)
    #expect(pause == 1000)
    #expect(delivery.told == "2 A=999 B=x")
    #expect(rig.finish(delivery).send.isEmpty)
  }

  @Test(arguments: [DeliveryOutcome.unreachable, .timedOut, .notSent])
  func whoeverIsToBlame(outcome: DeliveryOutcome) throws {
    var rig = try Self.failed(outcome)
    #expect(try Self.nextTry(&rig).delivery.told == "2 A=2 B=x")
  }

  /// Nor what a subscriber takes without a word.
  @Test(arguments: [DeliveryOutcome.answered(500), .cutOff])
  func whatIsRefusedIsNotOwed(outcome: DeliveryOutcome) throws {
    var rig = try Self.failed(outcome)
    #expect(rig.pump.nextWake == nil)
    #expect(rig.set("A", "3").send.map(\.told) == ["2 A=3 B=x"], "the next change tells everything")
  }

  @Test func ourOwnFailuresAreNobodysFault() throws {
    var limits = EventLimits()
    limits.subscriptions = 1
    var rig = PumpRig(limits: limits, moderation: .zero)
    let sid = try rig.settled()
    let effects = rig.finish(try #require(rig.set("A", "2").send.first), .notSent)
    #expect(effects.lost.isEmpty)
    for _ in 0..<6 {
      #expect(rig.finish(try Self.nextTry(&rig).delivery, .notSent).failing.isEmpty)
    }
    #expect(rig.pump.nextWake == rig.now + .seconds(30), "tried ever more rarely all the same")
    #expect(rig.pump.table[sid]?.failures == 0)
    #expect(throws: SubscriptionRefusal.total) { try rig.subscribe(from: .v4(2)) }
    rig.pump.networkReturned()
    #expect(rig.pump.nextWake == rig.now + .seconds(1))
    #expect(try Self.nextTry(&rig).delivery.sid == sid)
  }

  @Test func whoFailsAgainAndAgainIsReportedOnce() throws {
    var rig = try Self.failed()
    var reported: [Int] = []
    for failures in 2...12 {
      let effects = rig.finish(try Self.nextTry(&rig).delivery, .unreachable)
      if !effects.failing.isEmpty { reported.append(failures) }
    }
    #expect(reported == [6])
  }

  /// The change that came while the message was on its way isn't lost with it.
  @Test func aFirstEventThatFailsIsTriedAgain() throws {
    var rig = PumpRig(moderation: .zero)
    let sid = try rig.subscribe()
    let first = try #require(rig.answered(sid).send.first)
    #expect(rig.set("A", "2").send.isEmpty)
    let effects = rig.finish(first, .unreachable)
    #expect(effects.send.isEmpty && effects.lost.map(\.id) == [sid])
    #expect(try Self.nextTry(&rig).delivery.told == "1 A=2 B=x")
  }

  /// A phone has ten subscriptions, and one that answers shows that it is back.
  @Test func whoIsBackIsToldEverythingSoon() throws {
    var rig = PumpRig(moderation: .zero)
    let sids = try (0..<3).map { _ in try rig.settled() }
    let other = try rig.settled(from: .v4(2))
    for delivery in rig.set("A", "2").send { _ = rig.finish(delivery, .unreachable) }
    for _ in 0..<4 {
      let wake = try #require(rig.pump.nextWake)
      let sent = rig.advance(milliseconds: Int((wake - rig.now).nanoseconds / 1_000_000)).send
      #expect(sent.count == 4)
      for delivery in sent { _ = rig.finish(delivery, .unreachable) }
    }
    // In 16 s all are due. The first of them answers a change after four.
    _ = rig.advance(milliseconds: 4000)
    let tried = rig.set("A", "3").send
    #expect(Set(tried.map(\.sid)) == Set(sids + [other]))
    for delivery in tried.dropFirst() { _ = rig.finish(delivery, .unreachable) }
    let answered = try #require(tried.first)
    _ = rig.finish(answered)
    let address = try #require(rig.pump.table[answered.sid]?.subscriber)
    let next = rig.advance(milliseconds: 1000).send
    #expect(
      Set(next.map(\.sid)) == Set((address == .v4(1) ? sids : [other]).filter { $0 != answered.sid }))
  }

  @Test func whoRenewsIsThere() throws {
    var rig = try Self.failed()
    for _ in 0..<5 { _ = rig.finish(try Self.nextTry(&rig).delivery, .unreachable) }
    _ = rig.advance(milliseconds: 5000)
    let sid = SID(high: 0, low: 1)
    let renewed = rig.pump.renew(sid, of: PumpRig.service, until: .distantFuture, now: rig.now)
    #expect(renewed)
    #expect(rig.advance(milliseconds: 0).send.map(\.sid) == [sid])
  }

  /// Somebody else may have its address meanwhile.
  @Test func whoRenewsSpeaksForItselfAlone() throws {
    var rig = PumpRig(moderation: .zero)
    let sids = try (0..<2).map { _ in try rig.settled() }
    for delivery in rig.set("A", "2").send { _ = rig.finish(delivery, .unreachable) }
    for _ in 0..<4 {
      let wake = try #require(rig.pump.nextWake)
      for delivery in rig.advance(milliseconds: Int((wake - rig.now).nanoseconds / 1_000_000)).send {
        _ = rig.finish(delivery, .unreachable)
      }
    }
    _ = rig.advance(milliseconds: 2000)
    _ = rig.pump.renew(sids[1], of: PumpRig.service, until: .distantFuture, now: rig.now)
    #expect(rig.advance(milliseconds: 0).send.map(\.sid) == [sids[1]])
  }

  /// It is asked to subscribe anew.
  @Test func whoRenewsFromElsewhereHasMoved() throws {
    var rig = PumpRig(moderation: .zero)
    let sid = try rig.settled()
    func renewed(from address: IPAddress) -> EventEffects? {
      rig.pump.endIfUnreachable(sid, of: PumpRig.service, renewedFrom: address, interface: nil, now: rig.now)
    }
    #expect(renewed(from: .v4(2)) == nil, "what is told it arrives")
    _ = rig.finish(try #require(rig.set("A", "2").send.first), .unreachable)
    #expect(renewed(from: .v4(1)) == nil)
    let delivery = try Self.nextTry(&rig).delivery
    #expect(renewed(from: .v4(2))?.abort == [delivery.token])
    #expect(rig.pump.table.count == 0 && rig.pump.nextWake == nil)
  }

  @Test func whoRenewsAgainAndAgainAndTakesNothingIsAskedToSubscribeAnew() throws {
    var rig = try Self.failed()
    let sid = SID(high: 0, low: 1)
    for _ in 0..<8 { _ = rig.finish(try Self.nextTry(&rig).delivery, .unreachable) }
    func renewed() -> EventEffects? {
      rig.pump.endIfUnreachable(sid, of: PumpRig.service, renewedFrom: .v4(1), interface: nil, now: rig.now)
    }
    #expect(renewed() == nil, "a phone that was asleep is there again")
    for _ in 0..<5 { _ = rig.finish(try Self.nextTry(&rig).delivery, .unreachable) }
    #expect(renewed() == nil)
    _ = rig.finish(try Self.nextTry(&rig).delivery, .unreachable)
    #expect(renewed() != nil)
    #expect(rig.pump.table.count == 0 && rig.pump.nextWake == nil)
  }

  @Test func nothingIsTriedBehindTheEndOfASubscription() throws {
    var rig = PumpRig(moderation: .zero)
    let sid = try rig.subscribe(seconds: 10)
    _ = rig.finish(try #require(rig.answered(sid).send.first), .unreachable)
    for _ in 0..<3 { _ = rig.finish(try Self.nextTry(&rig).delivery, .unreachable) }
    #expect(rig.advance(milliseconds: 8000).send.isEmpty)
    #expect(rig.pump.table.count == 0)
    #expect(rig.pump.nextWake == nil)
  }

  @Test func whoUnsubscribesIsOwedNothing() throws {
    var rig = try Self.failed()
    _ = rig.pump.unsubscribe(SID(high: 0, low: 1), of: PumpRig.service, now: rig.now)
    #expect(rig.pump.nextWake == nil)
  }

  /// It may have been read before the connection ended: the same SEQ isn't used again.
  @Test func whatIsUncertainIsFollowedAtOnceByTheNext() throws {
    var rig = PumpRig(moderation: .zero)
    _ = try rig.settled()
    let delivery = try #require(rig.set("A", "2").send.first)
    let next = rig.finish(delivery, .unanswered)
    #expect(next.send.map(\.told) == ["2 A=2 B=x"])
    #expect(next.lost.isEmpty)
  }

  @Test func whoCannotBeReachedGivesItsPlaceUp() throws {
    var limits = EventLimits()
    limits.subscriptionsPerAddress = 2
    limits.subscriptions = 3
    var rig = PumpRig(limits: limits, moderation: .zero)
    let here = try rig.settled()
    let gone = try rig.settled()
    #expect(throws: SubscriptionRefusal.perAddress) { try rig.subscribe() }
    let sent = rig.set("A", "2").send
    for delivery in sent { _ = rig.finish(delivery, delivery.sid == gone ? .unreachable : .answered(200)) }
    _ = try rig.settled()
    #expect(rig.pump.table[gone] == nil && rig.pump.table[here] != nil)
    #expect(rig.pump.nextWake == nil)
    #expect(throws: SubscriptionRefusal.perAddress) { try rig.subscribe() }
    _ = try rig.settled(from: .v4(2))
    #expect(throws: SubscriptionRefusal.total) { try rig.subscribe(from: .v4(3)) }
    #expect(rig.pump.counts.subscriptionsDropped == 1)
  }

  /// However many hang at all times, somebody who answers is told at once.
  @Test func thoseThatHangLeaveRoomForOthers() throws {
    var rig = PumpRig(moderation: .zero)
    for _ in 0..<512 { _ = try rig.settled() }
    let prompt = try rig.settled(from: .v4(2))
    var told = 0
    for step in 0..<1200 {
      var sent = rig.advance(milliseconds: 100).send
      let isChanging = step % 7 == 0
      if isChanging { sent += rig.set("A", "\(step)").send }
      let own = sent.filter { $0.sid == prompt }
      for delivery in own { _ = rig.finish(delivery) }
      // Within the first seconds, nobody can know who will hang.
      guard isChanging, step >= 600 else { continue }
      #expect(own.count == 1)
      told += own.count
    }
    #expect(told == 86)
  }

  /// Its caller's answer isn't held up by it.
  @Test func whoIsSilentIsNotWaitedFor() throws {
    var rig = PumpRig(moderation: .zero)
    let sid = try rig.settled()
    let delivery = try #require(rig.set("A", "2").send.first)
    #expect(rig.pump.hasEventUnderWay(sid))
    _ = rig.advance(milliseconds: 100)
    #expect(!rig.pump.hasEventUnderWay(sid), "stalled")
    _ = rig.finish(delivery)
    #expect(rig.set("A", "3").send.count == 1)
    #expect(!rig.pump.hasEventUnderWay(sid), "slow the last time")
  }

  @Test func anAnswerWaitsForFewSubscriptions() throws {
    var rig = PumpRig(moderation: .zero)
    for _ in 0..<20 { _ = try rig.settled() }
    #expect(rig.set("A", "2").send.count == 20)
    #expect(rig.pump.subscriptionsUnderWay(at: .v4(1), of: PumpRig.service, atMost: 8).count == 8)
    #expect(rig.pump.subscriptionsUnderWay(at: .v4(2), of: PumpRig.service, atMost: 8).isEmpty)
  }

  /// Silent subscribers are tried within the bounds that hold for all.
  @Test func thoseThatHangStayWithinTheBounds() throws {
    var limits = EventLimits()
    limits.parallelDeliveries = 4
    limits.stalledDeliveries = 4
    var rig = PumpRig(limits: limits, moderation: .zero)
    for _ in 0..<40 { _ = try rig.settled() }
    var running = Set(rig.set("A", "2").send.map(\.token))
    for _ in 0..<3000 {
      let effects = rig.advance(milliseconds: 100)
      running.subtract(effects.abort)
      running.formUnion(effects.send.map(\.token))
      #expect(running.count <= 8)
    }
    #expect(rig.pump.table.count == 40, "and none has lost its subscription")
  }
}
