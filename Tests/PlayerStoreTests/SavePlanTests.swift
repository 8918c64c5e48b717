import Player
import Testing

@testable import PlayerStore

@Suite struct SavePlanTests {
  private let start = ContinuousClock.now

  private func wanted(_ bootID: UInt32) -> SavePlan.Wanted { .init(identity: StoreIdentity(bootID: bootID)) }

  @Test func manyChangesAreOneWrite() {
    var plan = SavePlan()
    #expect(plan.record(wanted(1), now: start) == SavePlan.delay)
    for number in 2..<40 { #expect(plan.record(wanted(UInt32(number)), now: start) == nil) }
    #expect(plan.take() == wanted(39))
    #expect(plan.take().isEmpty)
    #expect(plan.record(wanted(40), now: start) == SavePlan.delay)
  }

  @Test func urgentThingsDontWait() {
    var plan = SavePlan()
    #expect(plan.record(wanted(1), now: start) == SavePlan.delay)
    #expect(plan.record(wanted(2), isUrgent: true, now: start) == .zero)
  }

  @Test func nothingIsNoChange() {
    var plan = SavePlan()
    #expect(plan.record(.init(), now: start) == nil)
  }

  @Test func whatFailedIsTriedAgainWithTheNextChange() {
    var plan = SavePlan()
    _ = plan.record(.init(identity: StoreIdentity(bootID: 1), player: .fresh), now: start)
    let first = plan.take()
    // Something newer came while the disk was busy failing.
    _ = plan.record(wanted(2), now: start)
    plan.failed(first, now: start)
    #expect(plan.take() == .init(identity: StoreIdentity(bootID: 2), player: .fresh))
  }

  @Test func aDiskThatRefusesIsAskedLessAndLess() {
    var plan = SavePlan()
    var delays: [Duration] = []
    for number in 0..<8 {
      _ = plan.record(wanted(UInt32(number)), now: start)
      plan.failed(plan.take(), now: start)
      // Even what is urgent waits now.
      delays.append(plan.record(wanted(99), isUrgent: true, now: start) ?? .zero)
      _ = plan.take()
    }
    #expect(delays == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
    _ = plan.record(wanted(1), now: start)
    _ = plan.take()
    plan.succeeded()
    #expect(plan.record(wanted(2), now: start) == SavePlan.delay)
  }

  @Test func nothingIsTakenAfterTheEnd() {
    var plan = SavePlan()
    _ = plan.record(wanted(1), now: start)
    plan.close()
    #expect(plan.record(wanted(2), now: start) == nil)
    #expect(plan.take() == wanted(1))
  }
}
