import Player
import Testing

@testable import PlayerStore

@Suite struct SavePlanTests {
  private let start = ContinuousClock.now

  private func wanted(_ bootID: UInt32) -> SavePlan.Wanted { .init(host: HostState(bootID: bootID)) }

  private func change(_ plan: inout SavePlan, _ bootID: UInt32) -> Duration? {
    plan.changeHost({ $0.bootID = bootID }, now: start)
  }

  @Test func manyChangesAreOneWrite() {
    var plan = SavePlan()
    #expect(change(&plan, 1) == SavePlan.delay)
    for number in 2..<40 { #expect(change(&plan, UInt32(number)) == nil) }
    #expect(plan.record(.fresh, now: start) == nil)
    #expect(plan.take() == .init(host: HostState(bootID: 39), player: .fresh))
    #expect(plan.take().isEmpty)
    #expect(change(&plan, 40) == SavePlan.delay)
  }

  @Test func whatTheHostDoesntChangeStays() {
    var plan = SavePlan(host: HostState(bootID: 3, installationID: "x"))
    _ = change(&plan, 4)
    #expect(plan.take().host == HostState(bootID: 4, installationID: "x"))
  }

  @Test func whatFailedIsTriedAgainWithWhatCameMeanwhile() {
    var plan = SavePlan()
    _ = change(&plan, 1)
    _ = plan.record(.fresh, now: start)
    let first = plan.take()
    // Something newer came while the disk was busy failing.
    _ = change(&plan, 2)
    #expect(plan.failed(first, now: start) == .seconds(1))
    #expect(change(&plan, 2) == nil, "the next attempt is under way")
    #expect(plan.take() == .init(host: HostState(bootID: 2), player: .fresh))
  }

  @Test func aDiskThatRefusesIsAskedLessAndLess() {
    var plan = SavePlan()
    var delays: [Duration] = []
    _ = change(&plan, 1)
    for _ in 0..<8 { delays.append(plan.failed(plan.take(), now: start) ?? .zero) }
    #expect(delays == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
    _ = plan.take()
    plan.succeeded(wanted(1))
    #expect(change(&plan, 2) == SavePlan.delay)
  }

  private func list(lastID: UInt32) -> PlayerSnapshot {
    var snapshot = PlayerSnapshot.fresh
    snapshot.append(lastID)
    return snapshot
  }

  @Test func anIdIsSavedBeforeItIsToldWhenALaterStartWouldGiveItAgain() {
    var plan = SavePlan()
    #expect(plan.mustWait(for: list(lastID: 1)), "nothing was ever saved")
    #expect(!plan.mustWait(for: .fresh))
    plan.loaded(list(lastID: 10))
    #expect(!plan.mustWait(for: list(lastID: 65546)))
    #expect(plan.mustWait(for: list(lastID: 65547)), "the first of the next run")
    _ = plan.record(list(lastID: 65547), now: start)
    plan.succeeded(plan.take())
    #expect(!plan.mustWait(for: list(lastID: 65548)))
    #expect(!plan.mustWait(for: list(lastID: 131083)) && plan.mustWait(for: list(lastID: 131084)))
    plan.loaded(list(lastID: .max - 1))
    #expect(!plan.mustWait(for: list(lastID: .max)))
  }

  @Test func nobodyWaitsForADiskThatRefuses() {
    var plan = SavePlan()
    let first = list(lastID: 1)
    _ = plan.record(first, now: start)
    _ = plan.failed(plan.take(), now: start)
    #expect(!plan.mustWait(for: first))
    plan.succeeded(wanted(1))
    #expect(plan.mustWait(for: first))
    plan.gaveUpWaiting()
    #expect(!plan.mustWait(for: first))
    plan.succeeded(wanted(2))
    #expect(plan.mustWait(for: first))
    plan.close()
    #expect(!plan.mustWait(for: first))
  }

  @Test func nothingIsTakenAfterTheEnd() {
    var plan = SavePlan()
    _ = change(&plan, 1)
    plan.close()
    #expect(change(&plan, 2) == nil)
    #expect(plan.record(.fresh, now: start) == nil)
    let last = plan.take()
    #expect(last == wanted(1))
    #expect(plan.failed(last, now: start) == nil)
  }
}
