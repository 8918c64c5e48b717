import NIOCore
import Testing

@testable import UPnP

@Suite struct EventPumpTests {
  @Test func theFirstEventWaitsForTheResponseAndHasEverything() throws {
    var rig = PumpRig()
    let sid = try rig.subscribe()
    #expect(rig.set("A", "2").send.isEmpty, "nothing before the response has left")
    let effects = rig.answered(sid)
    #expect(effects.send.map(\.told) == ["0 A=2 B=x"])
    #expect(rig.answered(sid).send.isEmpty, "only once")
  }

  @Test func nothingIsLostBetweenSubscriptionAndFirstEvent() throws {
    var rig = PumpRig()
    let sid = try rig.subscribe()
    let first = try #require(rig.answered(sid).send.first)
    #expect(rig.set("A", "2").send.isEmpty, "one message at a time")
    #expect(rig.finish(first).send.map(\.told) == ["1 A=2"])
  }

  @Test func onlyWhatChangedIsTold() throws {
    var rig = PumpRig()
    _ = try rig.settled()
    #expect(rig.set("B", "y").send.map(\.told) == ["1 B=y"])
  }

  @Test func fortyQuickChangesAreTwoEvents() throws {
    var rig = PumpRig()
    _ = try rig.settled()
    let leading = rig.set("A", "10")
    #expect(leading.send.map(\.told) == ["1 A=10"], "the first leaves at once")
    _ = rig.finish(try #require(leading.send.first))
    for value in 11..<50 {
      _ = rig.advance(milliseconds: 5)
      #expect(rig.set("A", "\(value)").send.isEmpty)
    }
    let end = rig.advance(milliseconds: 5)
    #expect(end.send.map(\.told) == ["2 A=49"])
    #expect(rig.views == 2, "values aren't even looked at inside the window")
  }

  @Test func afterQuietTheNextChangeLeavesAtOnce() throws {
    var rig = PumpRig()
    _ = try rig.settled()
    _ = rig.finish(try #require(rig.set("A", "2").send.first))
    #expect(rig.advance(milliseconds: 200).send.isEmpty)
    #expect(rig.set("A", "3").send.map(\.told) == ["2 A=3"])
  }

  @Test func aChangeThatGoesBackTellsNothing() throws {
    var rig = PumpRig()
    _ = try rig.settled()
    _ = rig.finish(try #require(rig.set("A", "2").send.first))
    _ = rig.set("A", "3")
    _ = rig.set("A", "2")
    #expect(rig.advance(milliseconds: 200).send.isEmpty)
    #expect(rig.pump.nextWake == nil)
    #expect(rig.set("B", "z").send.map(\.told) == ["2 B=z"], "and it opens no window either")
  }

  @Test func aSubscriberInsideTheWindowKnowsWhatItsFirstEventSaid() throws {
    var rig = PumpRig()
    _ = try rig.settled()
    _ = rig.finish(try #require(rig.set("A", "2").send.first))
    _ = rig.set("A", "3")
    let late = try rig.subscribe()
    let first = rig.answered(late)
    #expect(first.send.map(\.told) == ["0 A=3 B=x"])
    _ = rig.finish(try #require(first.send.first))
    #expect(rig.advance(milliseconds: 200).send.map(\.told) == ["2 A=3"], "the other one is told, it is not")
    _ = rig.set("A", "2")
  }

  @Test func aSlowSubscriberGetsTheLatestStateOnly() throws {
    var rig = PumpRig(moderation: .zero)
    _ = try rig.settled()
    let slow = try #require(rig.set("A", "2").send.first)
    for value in 3..<100 { #expect(rig.set("A", "\(value)").send.isEmpty) }
    _ = rig.set("B", "y")
    #expect(rig.finish(slow).send.map(\.told) == ["2 A=99 B=y"])
  }

  @Test func bodiesAreShared() throws {
    var rig = PumpRig(moderation: .zero)
    for _ in 0..<3 { _ = try rig.settled() }
    let sent = rig.set("A", "2").send
    #expect(sent.count == 3)
    let addresses = Set(sent.map { $0.body.withUnsafeReadableBytes { $0.baseAddress } })
    #expect(addresses.count == 1)
  }

  @Test func theCounterWrapsToOne() {
    var subscription = Subscription(
      id: SID(high: 0, low: 0), service: PumpRig.service, subscriber: .v4(1), callbacks: [], interface: nil,
      expires: .distantFuture)
    #expect(subscription.takeSequence() == 0)
    #expect(subscription.takeSequence() == 1)
    subscription.sequence = .max
    #expect(subscription.takeSequence() == 4_294_967_295)
    #expect(subscription.takeSequence() == 1)
  }

  @Test(arguments: [
    (DeliveryOutcome.answered(200), true), (.answered(412), false), (.answered(500), true),
    (.answered(404), true),
    (.unreachable, true), (.timedOut, true), (.notSent, true),
  ])
  func outcomes(outcome: DeliveryOutcome, keeps: Bool) throws {
    var rig = PumpRig(moderation: .zero)
    let sid = try rig.settled()
    let delivery = try #require(rig.set("A", "2").send.first)
    let effects = rig.finish(delivery, outcome)
    #expect((rig.pump.table[sid] != nil) == keeps)
    #expect(effects.dropped.map(\.id) == (keeps ? [] : [sid]))
    #expect(effects.send.isEmpty, "a subscriber in trouble is left alone until the next change")
  }

  @Test func afterALossTheNextMessageTellsEverything() throws {
    var rig = PumpRig(moderation: .zero)
    _ = try rig.settled()
    _ = rig.finish(try #require(rig.set("A", "2").send.first), .answered(500))
    #expect(
      rig.set("A", "1").send.map(\.told) == ["2 A=1 B=x"], "going back must be told: 2 may have arrived")
  }

  @Test func aDeliveryIsGivenUpAtItsDeadline() throws {
    var rig = PumpRig()
    let sid = try rig.subscribe()
    let delivery = try #require(rig.answered(sid).send.first)
    #expect(rig.advance(milliseconds: 100).abort.isEmpty)
    #expect(rig.advance(milliseconds: 29_899).abort.isEmpty)
    #expect(rig.pump.nextWake == rig.now + .milliseconds(1))
    #expect(rig.advance(milliseconds: 1).abort == [delivery.token])
    #expect(rig.pump.nextWake == rig.now + .seconds(1), "then it is tried again")
    #expect(rig.finish(delivery, .answered(412)).dropped.isEmpty, "what comes later is of no interest")
    #expect(rig.pump.table[sid] != nil)
  }

  @Test func thoseThatDoNotAnswerHoldNobodyUp() throws {
    var limits = EventLimits()
    limits.parallelDeliveries = 4
    limits.stalledDeliveries = 6
    var rig = PumpRig(limits: limits, moderation: .zero)
    for _ in 0..<10 { _ = try rig.settled() }
    let first = rig.set("A", "2").send
    #expect(first.count == 4)
    let second = rig.advance(milliseconds: 100).send
    #expect(second.count == 4, "the stalled ones gave their places back")
    var pending = second
    while let delivery = pending.popLast() { pending += rig.finish(delivery).send }
    // The four that stalled have nothing new until they are over; the others are served at once.
    #expect(rig.set("A", "3").send.count == 4)
  }

  @Test func slowOnesGoLast() throws {
    var limits = EventLimits()
    limits.parallelDeliveries = 1
    var rig = PumpRig(limits: limits, moderation: .zero)
    let slow = try rig.settled()
    let quick = try rig.settled()
    let stalling = try #require(rig.set("A", "2").send.first)
    #expect(stalling.sid == slow)
    let other = try #require(rig.advance(milliseconds: 100).send.first)
    _ = rig.finish(other)
    _ = rig.finish(stalling)
    #expect(rig.set("A", "3").send.map(\.sid) == [quick])
  }

  @Test func stalledDeliveriesAreBounded() throws {
    var limits = EventLimits()
    limits.parallelDeliveries = 4
    limits.stalledDeliveries = 2
    var rig = PumpRig(limits: limits, moderation: .zero)
    for _ in 0..<10 { _ = try rig.settled() }
    let first = rig.set("A", "2").send
    #expect(first.count == 4)
    #expect(rig.advance(milliseconds: 100).send.count == 2)
    let crowded = rig.advance(milliseconds: 100)
    #expect(crowded.send.isEmpty)
    #expect(crowded.abort.isEmpty, "a receiver that is merely busy loses nothing")
    #expect(rig.pump.nextWake == rig.now + .milliseconds(1800))
    let relieved = rig.advance(milliseconds: 1800)
    #expect(relieved.abort == first.map(\.token))
    #expect(relieved.send.count == 4, "those that waited have their turn")
  }

  private static let longText = String(repeating: "<", count: 1000)

  private static func rigWithLargeMessages() -> PumpRig {
    var limits = EventLimits()
    limits.largeBytes = 2000
    limits.largeDeliveries = 4
    return PumpRig(limits: limits, moderation: .zero)
  }

  /// Megabytes for those who don't read must not be held many times over, nor for whom others wait.
  @Test func fewLargeMessagesAreOnTheirWay() throws {
    var rig = Self.rigWithLargeMessages()
    for _ in 0..<10 { _ = try rig.settled() }
    let others = try [2, 3, 3].map { try rig.settled(from: .v4($0)) }
    let first = rig.set("A", Self.longText).send
    #expect(first.map(\.sid.low) == [1, 2, 11, 12], "half of them at most for one address")
    #expect(rig.finish(first[3]).send.map(\.sid) == [others[2]], "those who read are served")
    let crowded = rig.advance(milliseconds: 1999)
    #expect(crowded.send.isEmpty && crowded.abort.isEmpty)
    #expect(rig.pump.nextWake == rig.now + .milliseconds(1))
    let relieved = rig.advance(milliseconds: 1)
    #expect(relieved.abort.prefix(2) == [first[0].token, first[1].token])
    #expect(relieved.send.map(\.sid.low) == [3, 4])
  }

  /// Who waits to be sent a large message has no old values kept for that, and is told everything.
  @Test func whoIsPutOffIsToldEverything() throws {
    var rig = Self.rigWithLargeMessages()
    for _ in 0..<3 { _ = try rig.settled() }
    let first = rig.set("A", Self.longText).send
    #expect(first.count == 2)
    let waiting = rig.pump.table[SID(high: 0, low: 3)]
    #expect(waiting?.phase == .queued && waiting?.known == nil)
    let next = try #require(rig.finish(first[0]).send.first)
    #expect(next.sid.low == 3 && next.told.contains("B=x"))
  }

  @Test func whatIsSmallAgainWaitsForNobody() throws {
    var rig = Self.rigWithLargeMessages()
    for _ in 0..<3 { _ = try rig.settled() }
    #expect(rig.set("A", Self.longText).send.count == 2)
    #expect(rig.set("A", "2").send.map(\.told) == ["1 A=2 B=x"])
  }

  @Test func whoLeavesWaitsNoMore() throws {
    var rig = Self.rigWithLargeMessages()
    let sids = try (0..<4).map { _ in try rig.settled() }
    let first = rig.set("A", Self.longText).send
    _ = rig.pump.unsubscribe(sids[2], of: PumpRig.service, now: rig.now)
    _ = rig.pump.unsubscribe(sids[3], of: PumpRig.service, now: rig.now)
    _ = rig.advance(milliseconds: 100)
    #expect(rig.pump.nextWake == rig.now + .milliseconds(29_900), "nobody is in anybody's way")
    #expect(rig.finish(first[0]).send.isEmpty)
  }

  /// The look at the values for a newcomer must not hide from the others what time alone has changed.
  @Test func whatTimeHasChangedIsToldToAllWhenSomebodyComes() throws {
    var rig = PumpRig(moderation: .zero)
    rig.nextChange = .seconds(1)
    let first = try rig.settled()
    rig.values[0].value = "2"
    rig.nextChange = nil
    rig.now = rig.now + .milliseconds(1001)
    let second = try rig.subscribe()
    let sent = rig.answered(second).send
    #expect(sent.map(\.told) == ["1 A=2", "0 A=2 B=x"] && sent.map(\.sid) == [first, second])
  }

  @Test func whatTimeHasChangedWaitsForTheWindow() throws {
    var rig = PumpRig(moderation: .milliseconds(200))
    let first = try rig.settled()
    rig.nextChange = .milliseconds(50)
    let start = rig.now
    _ = rig.finish(try #require(rig.set("A", "2").send.first))
    rig.values[0].value = "3"
    rig.nextChange = nil
    rig.now = start + .milliseconds(60)
    _ = rig.finish(try #require(rig.answered(try rig.subscribe()).send.first))
    #expect(rig.pump.nextWake == start + .milliseconds(200))
    let told = rig.advance(milliseconds: 140).send
    #expect(told.map(\.told) == ["2 A=3"] && told.map(\.sid) == [first])
  }

  @Test func servicesWithoutSubscribersAreNotLookedAt() throws {
    var rig = PumpRig()
    _ = rig.set("A", "2")
    #expect(rig.views == 0)
    let sid = try rig.settled()
    _ = rig.set("A", "3")
    #expect(rig.views == 1)
    let unsubscribed = rig.pump.unsubscribe(sid, of: PumpRig.service, now: rig.now)
    #expect(unsubscribed?.abort.count == 1)
    _ = rig.set("A", "4")
    #expect(rig.views == 1)
    _ = rig.advance(milliseconds: 1000)
    #expect(rig.pump.nextWake == nil)
  }

  @Test func whatChangesByItselfIsLookedAtAgain() throws {
    var rig = PumpRig(moderation: .zero)
    rig.nextChange = .seconds(1)
    _ = try rig.settled()
    #expect(rig.pump.nextWake == rig.now + .seconds(1))
    rig.values[0].value = "2"
    #expect(rig.advance(milliseconds: 999).send.isEmpty)
    #expect(rig.views == 0)
    let delivery = try #require(rig.advance(milliseconds: 1).send.first)
    #expect(delivery.told == "1 A=2")
    _ = rig.finish(delivery)
    // The same values again are no event, but are looked at as long as they are said to change.
    #expect(rig.advance(milliseconds: 1000).send.isEmpty)
    #expect(rig.views == 2)
    rig.nextChange = nil
    _ = rig.advance(milliseconds: 1000)
    #expect(rig.pump.nextWake == nil)
  }

  @Test func whatChangesByItselfWaitsForTheWindow() throws {
    var rig = PumpRig(moderation: .milliseconds(200))
    _ = try rig.settled()
    rig.nextChange = .milliseconds(50)
    let start = rig.now
    _ = rig.finish(try #require(rig.set("A", "2").send.first))
    #expect(rig.pump.nextWake == start + .milliseconds(50))
    rig.values[0].value = "3"
    #expect(rig.advance(milliseconds: 50).send.isEmpty)
    #expect(rig.pump.nextWake == start + .milliseconds(200))
    #expect(rig.advance(milliseconds: 150).send.map(\.told) == ["2 A=3"])
  }

  @Test func nothingTicksForNobody() throws {
    var rig = PumpRig(moderation: .zero)
    rig.nextChange = .zero
    let sid = try rig.settled()
    // However soon it is said to be, there is no busy loop.
    #expect(rig.pump.nextWake == rig.now + .milliseconds(1))
    _ = rig.pump.unsubscribe(sid, of: PumpRig.service, now: rig.now)
    let views = rig.views
    _ = rig.advance(milliseconds: 1)
    #expect(rig.views == views)
    #expect(rig.pump.nextWake == nil)
  }

  @Test func whatHasExpiredGetsNothing() throws {
    var rig = PumpRig(moderation: .zero)
    let sid = try rig.subscribe(seconds: 10)
    _ = rig.finish(try #require(rig.answered(sid).send.first))
    _ = rig.advance(milliseconds: 9_999)
    let delivery = try #require(rig.set("A", "2").send.first)
    #expect(rig.advance(milliseconds: 1).abort == [delivery.token])
    let later = rig.set("A", "3")
    #expect(later.send.isEmpty && later.abort.isEmpty)
    #expect(rig.pump.table.count == 0)
    let unsubscribed = rig.pump.unsubscribe(sid, of: PumpRig.service, now: rig.now)
    #expect(unsubscribed == nil)
  }

  /// It would keep the connection to somebody who is silent for another half minute.
  @Test func whoHasExpiredMeanwhileGetsNoSecondEvent() throws {
    var rig = PumpRig(moderation: .zero)
    let sid = try rig.subscribe(seconds: 10)
    let first = try #require(rig.answered(sid).send.first)
    #expect(rig.set("A", "2").send.isEmpty)
    let effects = rig.advance(milliseconds: 30_000)
    #expect(effects.send.isEmpty)
    #expect(effects.abort == [first.token])
    #expect(rig.pump.nextWake == nil)
  }

  /// Or its connection would stay open for ever.
  @Test func whoUnsubscribesTooLateIsForgottenWithItsDelivery() throws {
    var rig = PumpRig(moderation: .zero)
    let sid = try rig.subscribe(seconds: 10)
    let first = try #require(rig.answered(sid).send.first)
    rig.now = rig.now + .seconds(11)
    let refused = rig.pump.unsubscribe(sid, of: PumpRig.service, now: rig.now)
    #expect(refused == nil)
    #expect(rig.advance(milliseconds: 19_000).abort == [first.token])
    #expect(rig.pump.table.count == 0)
  }

  @Test func anAnswerThatComesAfterTheExpiryIsTheLast() throws {
    var rig = PumpRig(moderation: .zero)
    let sid = try rig.subscribe(seconds: 10)
    let first = try #require(rig.answered(sid).send.first)
    #expect(rig.set("A", "2").send.isEmpty)
    rig.now = rig.now + .seconds(11)
    #expect(rig.finish(first).send.isEmpty)
    #expect(rig.pump.table[sid] == nil)
  }

  @Test func differentServicesAreIndependent() throws {
    var pump = EventPump(limits: EventLimits())
    let other = ServiceKey(udn: "u", name: "Other")
    _ = pump.setServices([
      PumpRig.service: ServiceEventing(style: .properties, moderation: .milliseconds(200)),
      other: ServiceEventing(style: .properties),
    ])
    let now = NIODeadline.uptimeNanoseconds(1)
    for (number, service) in [PumpRig.service, other].enumerated() {
      let sid = SID(high: 1, low: UInt64(number))
      try pump.subscribe(
        Subscription(
          id: sid, service: service, subscriber: .v4(1), callbacks: [], interface: nil,
          expires: .distantFuture))
      let first = pump.answered(sid, now: now) { service, _ in
        ServiceReading(values: [EventedValue(name: "N", value: service.name)])
      }
      #expect(first.send.map(\.told) == ["0 N=\(service.name)"])
    }
    let changed = pump.stateChanged(now: now) { service, _ in
      ServiceReading(values: [EventedValue(name: "N", value: service == other ? "new" : service.name)])
    }
    #expect(changed.send.isEmpty, "its first event is still on its way")
    let gone = pump.setServices([other: ServiceEventing(style: .properties)])
    #expect(gone.abort.count == 1)
    #expect(pump.table.count == 1)
  }
}
