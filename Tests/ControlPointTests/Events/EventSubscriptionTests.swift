import NIOCore
import Testing
import UPnP

@testable import ControlPoint

@Suite struct EventSubscriptionTests {
  @Test func theFirstReaderSubscribesAndTheLastUnsubscribes() {
    var rig = SubscriptionRig()
    #expect(rig.machine.isOver && rig.machine.nextWake == nil)
    rig.join()
    rig.join()
    #expect(rig.news() == ["subscribe"])
    rig.grant("a")
    rig.notify("a", 0, "A=1,B=2")
    rig.notify("a", 1, "B=3")
    #expect(rig.news() == ["all A=1,B=2", "changed B=3"])
    rig.leave()
    #expect(rig.news() == [])
    rig.leave()
    #expect(rig.news() == ["unsubscribe a"])
    #expect(rig.machine.isOver && rig.machine.nextWake == nil)
    #expect(rig.notify("a", 2) == .unknown)
  }

  @Test(
    arguments: [(1800, 1800), (300, 300), (20, 20), (nil, 1800), (86400, 1800), (0, 10), (5, 10)]
      as [(Int?, Int)])
  func itRenewsAtHalfToThreeQuartersOfWhatWasGranted(granted: Int?, counts: Int) {
    var times: [Double] = []
    for _ in 0..<50 {
      var rig = SubscriptionRig.subscribed(seconds: granted)
      times.append(rig.wait() ?? 0)
      #expect(rig.news() == ["renew a"])
      #expect(rig.machine.nextWake == nil)
      rig.grant("a", seconds: granted)
      times.append(rig.wait() ?? 0)
    }
    let whole = Double(counts)
    #expect(times.allSatisfy { (whole * 0.5...whole * 0.75).contains($0) })
    #expect((times.max() ?? 0) - (times.min() ?? 0) > whole * 0.1, "at random")
  }

  @Test func afterAFailedRenewalItAsksAnewLessAndLessOften() {
    var rig = SubscriptionRig.subscribed()
    rig.wait()
    #expect(rig.news() == ["renew a"])
    rig.fail()
    #expect(rig.news() == ["interrupted"])
    var pauses: [Double] = []
    for _ in 0..<9 {
      pauses.append(rig.wait() ?? 0)
      #expect(rig.news() == ["subscribe"], "and the readers are told only once")
      rig.fail()
    }
    #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    // It still lives for the device, until there is a new one.
    #expect(rig.notify("a", 1, "A=2") == .taken)
    #expect(rig.news() == ["changed A=2"])
    #expect(rig.wait() == 1, "a sign of life")
    rig.grant("b")
    #expect(rig.news() == ["subscribe", "unsubscribe a"])
    rig.notify("b", 0)
    #expect(rig.news() == ["all A=1"])
    #expect(rig.notify("a", 2) == .unknown)
  }

  @Test func aRefusedRenewalIsFollowedByANewSubscriptionAtOnce() {
    for (status, requests) in [(412, ["subscribe"]), (500, ["unsubscribe a", "subscribe"])] {
      var rig = SubscriptionRig.subscribed()
      rig.wait()
      _ = rig.news()
      rig.fail(status)
      #expect(rig.news() == requests)
    }
  }

  @Test func aGapLeadsToANewSubscription() {
    var rig = SubscriptionRig.subscribed()
    #expect(rig.notify("a", 2, "A=3") == .taken)
    #expect(rig.news() == ["changed A=3", "unsubscribe a", "subscribe"])
    #expect(rig.notify("a", 1, "A=2") == .unknown, "it was overtaken")
    rig.grant("b")
    rig.notify("b", 0, "A=3")
    #expect(rig.news() == ["all A=3"])
    // Once more, soon after: not at once.
    rig.notify("b", 5, "A=4")
    #expect(rig.news() == ["changed A=4", "interrupted", "unsubscribe b"])
    #expect(rig.wait() == 1)
    rig.grant("c")
    rig.notify("c", 0)
    rig.notify("c", 2)
    #expect(rig.wait() == 2)
    rig.grant("d")
    rig.notify("d", 0)
    _ = rig.news()
    rig.pass(seconds: 61)
    rig.notify("d", 2)
    #expect(rig.news() == ["changed A=1", "unsubscribe d", "subscribe"], "it had lasted")
  }

  @Test func messagesThatComeTwiceAreTakenOnce() {
    var rig = SubscriptionRig.subscribed()
    #expect(rig.notify("a", 0) == .taken)
    rig.notify("a", 1, "A=2")
    #expect(rig.notify("a", 1, "A=2") == .taken)
    #expect(rig.news() == ["changed A=2"])
    rig.notify("a", 1, "A=3")
    #expect(rig.news() == ["unsubscribe a", "subscribe"], "not the same message")
  }

  @Test func theCounterWraps() {
    for last in [UInt32.max, UInt32(Int32.max)] {
      var rig = SubscriptionRig.subscribed()
      rig.machine.grant?.last = (last, 0)
      rig.notify("a", 1)
      #expect(rig.news() == ["changed A=1"])
    }
    var rig = SubscriptionRig.subscribed()
    rig.machine.grant?.last = (UInt32(Int32.max), 0)
    rig.notify("a", UInt32(Int32.max) + 1)
    #expect(rig.news() == ["changed A=1"])
  }

  @Test func devicesThatDoNotCount() {
    var rig = SubscriptionRig()
    rig.join()
    rig.grant("a")
    rig.notify("a", nil, "A=1")
    rig.notify("a", nil, "A=2")
    rig.notify("a", nil, "A=2")
    #expect(rig.news() == ["subscribe", "all A=1", "changed A=2", "changed A=2"])
  }

  @Test func anEventThatCannotBeReadCounts() {
    var rig = SubscriptionRig.subscribed()
    #expect(rig.notify("a", 1, nil) == .taken)
    rig.notify("a", 2, "A=3")
    #expect(rig.news() == ["changed A=3"])
  }

  @Test func eventsBeforeTheAnswerAreKept() {
    var rig = SubscriptionRig()
    rig.join()
    #expect(rig.notify("other", 0, "A=9") == .taken)
    #expect(rig.notify("a", 1, "A=2") == .taken, "it has overtaken the first")
    #expect(rig.notify("a", 0, "A=1") == .taken)
    #expect(rig.news() == ["subscribe"])
    rig.pass(seconds: 5)
    rig.grant("a")
    #expect(rig.news() == ["all A=1", "changed A=2"])
    #expect(rig.notify("other", 1) == .unknown)
    #expect(rig.machine.early.isEmpty)
  }

  @Test func keptEventsAreBounded() {
    var rig = SubscriptionRig()
    rig.join()
    for number in 0..<16 { #expect(rig.notify("a", UInt32(number)) == .taken) }
    #expect(rig.notify("a", 16) == .busy)
    rig.fail()
    #expect(rig.machine.early.isEmpty)
    rig.wait()
    #expect(rig.notify("b", 0, bytes: 200_000) == .taken)
    #expect(rig.notify("c", 0, bytes: 100_000) == .busy)
    rig.pass(seconds: 6)
    _ = rig.news()
    rig.grant("b")
    #expect(rig.news() == [], "too old")
  }

  @Test func theFirstEventMustCome() {
    var rig = SubscriptionRig()
    rig.join()
    rig.grant("a")
    #expect(rig.wait() == 30)
    #expect(rig.news() == ["subscribe", "unsubscribe a", "subscribe"])
    rig.grant("b")
    rig.notify("b", 1, "A=2")
    #expect(rig.news() == ["changed A=2", "interrupted", "unsubscribe b"], "it isn't the first")
  }

  @Test func aNewIdentifierAtRenewalIsTaken() {
    var rig = SubscriptionRig.subscribed()
    rig.wait()
    #expect(rig.notify("b", 1, "A=2") == .taken, "before the answer")
    rig.grant("b")
    #expect(rig.news() == ["renew a", "changed A=2"])
    #expect(rig.notify("a", 1) == .unknown)
    rig.wait()
    rig.grant("c")
    rig.notify("c", 0, "A=5")
    #expect(rig.news() == ["renew b", "all A=5"], "it counts anew")
    rig.wait()
    rig.grant(nil)
    #expect(rig.notify("c", 1, "A=6") == .taken, "no identifier in the answer is the old one")
    rig.leave()
    #expect(rig.news() == ["renew c", "changed A=6", "unsubscribe c"])
  }

  @Test func anAnswerWithoutIdentifierIsAFailure() {
    var rig = SubscriptionRig()
    rig.join()
    rig.grant(nil)
    #expect(rig.news() == ["subscribe", "interrupted"])
    #expect(rig.wait() == 1)
  }

  @Test func whatIsGrantedTooLateIsGivenBack() {
    var rig = SubscriptionRig()
    rig.join()
    rig.leave()
    #expect(!rig.machine.isOver, "the answer says what to unsubscribe")
    #expect(rig.notify("a", 0) == .unknown, "nobody reads")
    rig.grant("a")
    #expect(rig.news() == ["subscribe", "unsubscribe a"])
    #expect(rig.machine.isOver)

    rig.join()
    rig.leave()
    rig.join()
    rig.grant("b")
    rig.notify("b", 0)
    #expect(rig.news() == ["subscribe", "all A=1"], "the same request serves the next reader")

    let renewal = rig.token
    rig.run(rig.machine.pathChanged(now: rig.now))
    rig.grant("c", token: renewal)
    #expect(rig.news() == ["unsubscribe b", "subscribe", "unsubscribe c"])
  }

  @Test(arguments: [404, 405, 501]) func aDeviceWithoutEventsSaysSoAtFirst(status: Int) {
    var rig = SubscriptionRig()
    rig.join()
    rig.fail(status)
    #expect(rig.news() == ["subscribe", "end refused(\(status))"])
    #expect(rig.machine.isOver)
    rig = .subscribed()
    rig.notify("a", 2)
    _ = rig.news()
    rig.fail(status)
    #expect(rig.news() == ["interrupted"], "it had events; it may just be starting")
    rig = SubscriptionRig()
    rig.join()
    rig.fail(503)
    #expect(rig.news() == ["subscribe", "interrupted"])
  }

  @Test func aDeviceThatStartsAgainHasForgottenAll() {
    var rig = SubscriptionRig.subscribed()
    rig.run(rig.machine.deviceRestarted(now: rig.now))
    #expect(rig.news() == ["subscribe"])
    rig.run(rig.machine.deviceRestarted(now: rig.now))
    #expect(rig.news() == [])
    rig.fail()
    _ = rig.news()
    rig.run(rig.machine.deviceRestarted(now: rig.now))
    #expect(rig.wait() == 1)
    rig.grant("b")
    // Somebody sends false announcements.
    var requests = 0
    for second in 0..<600 {
      rig.run(rig.machine.deviceRestarted(now: rig.now))
      if rig.machine.nextWake ?? .distantFuture <= rig.now { rig.wait() }
      if case .asking = rig.machine.phase { rig.grant("c\(second)") }
      rig.pass(seconds: 1)
      requests += rig.news().count { $0 == "subscribe" }
    }
    #expect(requests <= 600, "\(requests)")
  }

  @Test func anAnswerWithoutSIDThatNobodyWaitsForEndsIt() {
    var rig = SubscriptionRig()
    rig.join()
    rig.leave()
    rig.grant(nil)
    #expect(rig.news() == ["subscribe"])
    #expect(rig.machine.isOver && rig.machine.nextWake == nil)
  }

  /// Nobody heard whether it did.
  @Test func aDeviceThatMayHaveStartedAgainIsAskedToRenew() {
    var rig = SubscriptionRig.subscribed()
    rig.machine.doubt(now: rig.now)
    #expect(rig.wait() == 0)
    #expect(rig.news() == ["renew a"])
    // The answer may be one that it sent before.
    rig.machine.doubt(now: rig.now)
    rig.grant("a")
    #expect(rig.wait() == 0)
    #expect(rig.news() == ["renew a"])
    rig.fail(412)
    #expect(rig.news() == ["subscribe"])
    rig.grant("b")
    rig.notify("b", 0)
    #expect(rig.wait() ?? 0 > 100, "and no more")
  }

  @Test(arguments: [false, true]) func aDeviceThatStartsAgainWhileItIsAsked(isCertain: Bool) {
    var rig = SubscriptionRig()
    rig.join()
    #expect(rig.news() == ["subscribe"])
    if isCertain {
      rig.run(rig.machine.deviceRestarted(now: rig.now))
    } else {
      rig.machine.doubt(now: rig.now)
    }
    rig.grant("a")
    #expect(rig.wait() == 0)
    #expect(rig.news() == ["renew a"])
  }

  @Test func aDeviceThatLeavesEndsTheReaders() {
    var rig = SubscriptionRig.subscribed()
    rig.run(rig.machine.end(.deviceGone, isReachable: false))
    #expect(rig.news() == ["end deviceGone"])
    #expect(rig.machine.isOver && rig.machine.nextWake == nil)
    rig = .subscribed()
    rig.run(rig.machine.end(.stopped, isReachable: true))
    #expect(rig.news() == ["end stopped", "unsubscribe a"])
  }

  @Test func anotherPathNeedsAnotherSubscription() {
    var rig = SubscriptionRig.subscribed()
    rig.run(rig.machine.pathChanged(now: rig.now))
    #expect(rig.news() == ["unsubscribe a", "subscribe"])
    let first = rig.token
    rig.run(rig.machine.pathChanged(now: rig.now))
    #expect(rig.news() == ["interrupted"], "often: not at once")
    rig.grant("b", token: first)
    #expect(rig.news() == ["unsubscribe b"], "its events would go to the old address")
    rig.run(rig.machine.pathChanged(now: rig.now))
    #expect(rig.wait() == 1)
    #expect(rig.news() == ["subscribe"])
  }
}
