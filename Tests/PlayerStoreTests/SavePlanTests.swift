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
    plan.succeeded()
    #expect(change(&plan, 2) == SavePlan.delay)
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
