import Player
import Testing

@testable import GStreamerOutput

/// What is due when, on a fake clock.
@Suite struct EnginePlanTests {
  private static func at(_ milliseconds: Int) -> MonotonicTime {
    MonotonicTime(nanoseconds: 1_000_000_000) + .milliseconds(milliseconds)
  }

  private func track(_ id: UInt64) -> NextTrack {
    NextTrack(id: PlayID(id), media: Media(uri: "http://host/\(id)"))
  }

  private func plan() -> EnginePlan {
    EnginePlan(devicePatience: .seconds(60), networkTimeout: .seconds(10))
  }

  // MARK: Fading out

  @Test func aFadeEndsWhenItHasBeenHeard() {
    var fade = FadeOut()
    let begins = fade.begin(.pause, at: Self.at(0))
    #expect(begins)
    #expect(fade.deadline == Self.at(1000))
    fade.isInDevice(for: .milliseconds(200), at: Self.at(20))
    #expect(fade.deadline == Self.at(220))
    // The device's clock is a little late.
    let found = fade.end(rest: .nanoseconds(1), at: Self.at(220))
    #expect(found == nil)
    #expect(fade.deadline == Self.at(222))
    let found2 = fade.end(rest: .zero, at: Self.at(222))
    #expect(found2 == .pause)
    #expect(fade == FadeOut())
    let found3 = fade.end(rest: nil, at: Self.at(223))
    #expect(found3 == nil)
  }

  @Test func aFadeThatTakesTooLongIsCutShort() {
    var fade = FadeOut()
    _ = fade.begin(.pause, at: Self.at(0))
    fade.isInDevice(for: .seconds(5), at: Self.at(900))
    #expect(fade.deadline == Self.at(1000))
    let found = fade.end(rest: .seconds(4), at: Self.at(1000))
    #expect(found == .pause)
    // Not even all of it came into the device.
    _ = fade.begin(.end(releasing: false), at: Self.at(2000))
    let found2 = fade.end(rest: nil, at: Self.at(3000))
    #expect(found2 == .end(releasing: false))
  }

  @Test func whatFollowsAFadeMayChange() {
    var fade = FadeOut()
    _ = fade.begin(.pause, at: Self.at(0))
    fade.release()
    #expect(fade.purpose == .pause, "the device is still wanted")
    let beginsAgain = fade.begin(.end(releasing: false), at: Self.at(500))
    #expect(!beginsAgain, "it has begun already")
    #expect(fade.isToEnd)
    fade.release()
    let found = fade.end(rest: .milliseconds(1), at: Self.at(1000))
    #expect(found == .end(releasing: true))
  }

  // MARK: The next track

  @Test func theNextTrackIsOpenedShortlyBeforeItIsDue() {
    var next = NextTrackPlan()
    next.want(track(2))
    let opensNow = next.schedule(after: .seconds(5), isPlaying: true, at: Self.at(0))
    #expect(!opensNow)
    #expect(next.deadline == Self.at(5000))
    let opensInSilence = next.schedule(after: .seconds(5), isPlaying: false, at: Self.at(0))
    #expect(!opensInSilence)
    #expect(next.deadline == nil, "resuming schedules it")
    let opensAtOnce = next.schedule(after: nil, isPlaying: false, at: Self.at(0))
    #expect(opensAtOnce)
    let found = next.open()
    #expect(found?.id == PlayID(2))
    #expect(
      NextTrackPlan.opening(duration: .seconds(100), position: .seconds(30), isComplete: false)
        == .seconds(40))
    #expect(NextTrackPlan.opening(duration: .seconds(100), position: .seconds(70), isComplete: false) == nil)
    #expect(NextTrackPlan.opening(duration: .seconds(100), position: .zero, isComplete: true) == nil)
    #expect(NextTrackPlan.opening(duration: nil, position: .zero, isComplete: false) == nil)
  }

  @Test func aNextTrackIsTriedAgainUntilItIsDue() {
    var next = NextTrackPlan()
    next.want(track(2))
    for (failure, pause) in [1, 2, 4, 8, 10, 10].enumerated() {
      #expect(next.failures == failure)
      let found = next.failed(PlayID(2), mayPass: true, isDue: false, at: Self.at(0))
      #expect(found == .seconds(pause))
      #expect(next.deadline == Self.at(pause * 1000))
      next.want(track(2))
    }
    #expect(!next.isUntried)
    next.want(track(3))
    #expect(next.isUntried, "it is another one")
    let found2 = next.failed(PlayID(2), mayPass: true, isDue: false, at: Self.at(0))
    #expect(found2 == nil)
    for (mayPass, isDue) in [(true, true), (false, false)] {
      next.want(track(4))
      let found3 = next.failed(PlayID(4), mayPass: mayPass, isDue: isDue, at: Self.at(0))
      #expect(found3 == nil)
      #expect(next.wanted == nil && next.deadline == nil)
    }
  }

  // MARK: Servers

  private func situation(
    isLoading: Bool = true, isPaused: Bool = false, hasSound: Bool = false, isFinished: Bool = false
  ) -> ServerWatch.Situation {
    .init(isLoading: isLoading, isPaused: isPaused, hasSound: hasSound, isFinished: isFinished)
  }

  @Test func aSilentServerIsGivenUpAndASlowOneIsNot() {
    var (watch, seen) = (ServerWatch(patience: .seconds(10)), ServerWatch.Seen())
    watch.begin(at: Self.at(0))
    #expect(watch.deadline == Self.at(700))
    let found = watch.check(&seen, bytes: 0, situation(), at: Self.at(700))
    #expect(found == (isNewWait: true, fault: nil))
    let found2 = watch.check(&seen, bytes: 1, situation(), at: Self.at(9000))
    #expect(found2 == (isNewWait: false, fault: nil))
    #expect(watch.deadline == Self.at(9250))
    #expect(!watch.isSilent(at: Self.at(14_000)))
    #expect(watch.isSilent(at: Self.at(14_001)))
    let found3 = watch.check(&seen, bytes: 1, situation(), at: Self.at(19_000))
    #expect(found3.fault == nil)
    let late = watch.check(&seen, bytes: 1, situation(), at: Self.at(19_001))
    #expect(late.fault == .serverSilent)
    #expect(watch.deadline == nil)
    watch.tryAgain(at: Self.at(19_001))
    let found4 = watch.check(&seen, bytes: 1, situation(), at: Self.at(29_001))
    #expect(found4.fault == nil)
    let found5 = watch.check(&seen, bytes: 1, situation(isFinished: true), at: Self.at(40_000))
    #expect(found5.fault == nil)
  }

  @Test func eachWaitIsToldOnce() {
    var (watch, seen) = (ServerWatch(patience: .seconds(10)), ServerWatch.Seen())
    var told: [Bool] = []
    func check(_ milliseconds: Int, isPaused: Bool = false) {
      told.append(
        watch.check(&seen, bytes: 0, situation(isPaused: isPaused), at: Self.at(milliseconds)).isNewWait)
    }
    watch.begin(at: Self.at(0))
    check(700)
    check(950)
    watch.tryAgain(at: Self.at(1000))
    check(1250)
    #expect(told == [true, false, false], "another variant is part of the same wait")
    // It was heard, and is sought.
    watch.end()
    watch.begin(at: Self.at(5000))
    check(5700, isPaused: true)
    check(5950)
    check(6200)
    #expect(told[3...] == [false, true, false])
    // It went on after a pause.
    watch.begin(at: Self.at(7000))
    check(7700)
    #expect(told.last == true)
  }

  /// An answer that refuses a part is an answer, and doesn't wait for a longer patience.
  @Test func aRefusedPartIsNoSilence() {
    var (watch, seen) = (ServerWatch(patience: .seconds(30)), ServerWatch.Seen())
    watch.begin(at: Self.at(0))
    seen.partAnswered(status: 404, bytes: 500)
    let soon = watch.check(&seen, bytes: 500, situation(), at: Self.at(700))
    #expect(soon.fault == nil)
    let late = watch.check(&seen, bytes: 500, situation(), at: Self.at(10_701))
    #expect(late.fault == .serverRefuses(status: 404))
    // Something has come since: then it is a silence like any other.
    watch.begin(at: Self.at(20_000))
    _ = watch.check(&seen, bytes: 501, situation(), at: Self.at(20_700))
    let silent = watch.check(&seen, bytes: 501, situation(), at: Self.at(50_000))
    #expect(silent.fault == nil)
    let given = watch.check(&seen, bytes: 501, situation(), at: Self.at(50_701))
    #expect(given.fault == .serverSilent)
    // The next part was there.
    seen.partAnswered(status: 404, bytes: 501)
    seen.partAnswered(status: 206, bytes: 501)
    watch.begin(at: Self.at(60_000))
    let outage = watch.check(&seen, bytes: 501, situation(), at: Self.at(90_001))
    #expect(outage.fault == .serverSilent)
  }

  @Test func withEnoughToHearTheDeviceIsToBlame() {
    var (watch, seen) = (ServerWatch(patience: .seconds(10)), ServerWatch.Seen())
    watch.begin(at: Self.at(0))
    let hasSound = situation(isPaused: true, hasSound: true)
    let found = watch.check(&seen, bytes: 0, hasSound, at: Self.at(5000))
    #expect(found == (isNewWait: false, fault: nil))
    let found2 = watch.check(&seen, bytes: 0, hasSound, at: Self.at(5001))
    #expect(found2.fault == .deviceStuck)
    // A device that is paused until enough has come isn't.
    watch.starved(at: Self.at(6000))
    #expect(watch.deadline == Self.at(6250))
    let starved = situation(isLoading: false, hasSound: true)
    let found3 = watch.check(&seen, bytes: 0, starved, at: Self.at(16_000))
    #expect(found3 == (isNewWait: false, fault: nil))
    let found4 = watch.check(&seen, bytes: 0, starved, at: Self.at(16_001))
    #expect(found4.fault == .serverSilent)
  }

  // MARK: Preparation

  @Test func ofManyPreparedTracksOnlySomeAreRead() {
    var plan = PreparationPlan()
    let isFirstRead = plan.mayRead(at: Self.at(0))
    #expect(isFirstRead)
    let isSecondRead = plan.mayRead(at: Self.at(199))
    #expect(!isSecondRead)
    let isLaterRead = plan.mayRead(at: Self.at(200))
    #expect(isLaterRead)
    let isFourthRead = plan.mayRead(at: Self.at(300))
    #expect(!isFourthRead)
    plan.keep(at: Self.at(300))
    #expect(plan.expiry == Self.at(10_300))
  }

  // MARK: The device

  @Test func aDeviceIsTriedAndThenAwaited() {
    var wait = DeviceWait(patience: .seconds(60))
    wait.begin()
    wait.ran(at: Self.at(0))
    var now = Self.at(10_000)
    for _ in DeviceRecovery.backOff {
      let found = wait.failed(.absent, isPaused: false, mayStandIn: true, at: now)
      #expect(found == .wait)
      #expect(wait.isWaiting && wait.patience == nil)
      now = wait.retry ?? now
    }
    let found2 = wait.failed(.absent, isPaused: false, mayStandIn: true, at: now)
    #expect(found2 == .wait)
    #expect(!wait.isWaiting)
    #expect(wait.patience == Self.at(70_000))
    wait.retryUnwatched(at: now)
    #expect(wait.retry == now + .seconds(30))
    wait.cameBack(at: now)
    #expect(wait.retry == now + .milliseconds(200))
    wait.pause()
    #expect(wait.patience == nil)
    wait.resume(at: now)
    #expect(wait.retry == now)
    wait.end()
    #expect(!wait.isWaiting && !wait.hasRefused)
  }

  @Test func aDeviceThatHasNeverPlayedIsNotAwaited() {
    for (fault, mayStandIn, step) in [
      (DeviceRecovery.Fault.absent, true, DeviceWait.Step.standIn), (.absent, false, .giveUp),
      (.unusable, true, .giveUp),
    ] {
      var wait = DeviceWait(patience: .seconds(60))
      for _ in DeviceRecovery.backOff {
        _ = wait.failed(fault, isPaused: false, mayStandIn: mayStandIn, at: Self.at(0))
      }
      let found = wait.failed(fault, isPaused: false, mayStandIn: mayStandIn, at: Self.at(0))
      #expect(found == step)
      #expect(!wait.isWaiting && wait.patience == nil)
    }
  }

  @Test func anAwaitedDeviceThatIsInUseIsRetried() {
    var wait = DeviceWait(patience: .seconds(60))
    wait.ran(at: Self.at(0))
    for _ in 0...DeviceRecovery.backOff.count {
      _ = wait.failed(.absent, isPaused: true, mayStandIn: false, at: Self.at(10_000))
    }
    #expect(!wait.isWaiting)
    let found = wait.failed(.unusable, isPaused: true, mayStandIn: false, at: Self.at(20_000))
    #expect(found == .wait)
    #expect(wait.retry == Self.at(25_000))
    #expect(wait.patience == nil, "a paused track waits without limit")
  }

  // MARK: All of it

  @Test func whatIsDueIsDoneOnceAndInOrder() {
    var plan = plan()
    plan.device.refused(at: Self.at(0))
    plan.scheduleJoint(after: .milliseconds(100), at: Self.at(0))
    plan.scheduleRelease(after: .seconds(10), at: Self.at(0))
    #expect(plan.earliest == Self.at(100))
    #expect(EnginePlan.Due.allCases.allSatisfy { !plan.take($0, at: Self.at(99)) })
    let due = EnginePlan.Due.allCases.filter { plan.take($0, at: Self.at(100)) }
    #expect(due == [.joint, .refusal])
    #expect(EnginePlan.Due.allCases.allSatisfy { !plan.take($0, at: Self.at(100)) })
    #expect(plan.earliest == Self.at(10_000))
    plan.scheduleJoint(after: .zero, isRepeated: true, at: Self.at(100))
    #expect(plan.joint == Self.at(102))
  }

  /// After any requests, nothing is left but what outlives the tracks; and nothing is due twice at one time for ever.
  @Test(arguments: 0..<100)
  func anySchedule(_ seed: UInt64) {
    var random = seed &* 6_364_136_223_846_793_005 &+ 1
    func roll(_ sides: Int) -> Int {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(random >> 33) % sides
    }
    var plan = plan()
    var seen = ServerWatch.Seen()
    var now = Self.at(0)
    for _ in 0..<400 {
      let flag = roll(2) == 0
      switch roll(20) {
      case 0: plan.scheduleJoint(after: .milliseconds(roll(3000)), isRepeated: flag, at: now)
      case 1: plan.runsDry(at: now)
      case 2: plan.isFed()
      case 3: plan.scheduleRelease(after: .milliseconds(roll(10_000)), at: now)
      case 4: plan.cancelRelease()
      case 5: plan.soundStops()
      case 6: _ = plan.fade.begin(flag ? .pause : .end(releasing: false), at: now)
      case 7: plan.fade.isInDevice(for: .milliseconds(roll(2000)), at: now)
      case 8: plan.next.want(flag ? track(UInt64(roll(3))) : nil)
      case 9: _ = plan.next.schedule(after: flag ? .seconds(roll(60)) : nil, isPlaying: roll(2) == 0, at: now)
      case 10: _ = plan.next.failed(PlayID(UInt64(roll(3))), mayPass: flag, isDue: roll(4) == 0, at: now)
      case 11: plan.server.begin(at: now)
      case 12: plan.server.end()
      case 13: plan.preparation.keep(at: now)
      case 14: plan.preparation.scheduleSpare(at: now)
      case 15: plan.device.refused(at: now)
      case 16:
        _ = plan.device.failed(flag ? .absent : .unusable, isPaused: roll(2) == 0, mayStandIn: true, at: now)
      case 17: plan.device.cameBack(at: now)
      case 18:
        plan.deviceLost()
        #expect(plan.earliest == nil)
      default:
        let fades = flag && plan.fade.purpose != nil
        plan.tracksDropped(fades: fades)
        #expect(plan.next.wanted == nil)
        let rest = EnginePlan.Due.allCases.filter { plan[$0] != nil }
        #expect(Set(rest).isSubset(of: [.silence, .release, .expiry, .spare]))
        #expect(fades || !rest.contains(.silence))
      }
      // A fade always ends by itself.
      if plan.fade.purpose != nil { #expect(plan.fade.deadline.map { $0 <= now + .seconds(1) } == true) }
      guard let next = plan.earliest, roll(2) == 0 else { continue }
      now = max(now, next)
      for due in EnginePlan.Due.allCases where plan.take(due, at: now) {
        switch due {
        case .silence: _ = plan.fade.end(rest: flag ? .milliseconds(roll(100)) : nil, at: now)
        case .watch: _ = plan.server.check(&seen, bytes: roll(2), situation(isLoading: flag), at: now)
        case .opening: _ = plan.next.open()
        default: break
        }
      }
      if let later = plan.earliest { #expect(later > now) }
    }
  }
}
