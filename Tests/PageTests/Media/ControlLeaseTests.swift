import NIOCore
import Testing

@testable import Page

/// When the page's control point runs, on a clock of the test's own.
@Suite struct ControlLeaseTests {
  private func minute(_ minutes: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .minutes(1000 + minutes) }

  @Test func itRunsFromTheFirstRequestUntilFiveMinutesAfterTheLast() {
    var lease = ControlLease()
    #expect(!lease.isRunning && lease.deadline == nil && !lease.isOver(now: minute(0)))
    #expect(lease.use(now: minute(0)) && lease.isRunning)
    #expect(lease.use(now: minute(3)) == false)
    #expect(lease.deadline == minute(8))
    #expect(!lease.isOver(now: minute(7)) && lease.isOver(now: minute(8)))
    #expect(!lease.isRunning && lease.deadline == nil)
    #expect(lease.use(now: minute(20)) == true)
  }

  @Test func whoeverFollowsHoldsIt() {
    var lease = ControlLease()
    #expect(lease.hold(now: minute(0)) && !lease.hold(now: minute(1)))
    #expect(lease.deadline == nil && !lease.isOver(now: minute(600)))
    lease.release(now: minute(601))
    #expect(lease.deadline == nil)
    lease.release(now: minute(602))
    #expect(lease.deadline == minute(607))
    // Once too often.
    lease.release(now: minute(603))
    #expect(lease.deadline == minute(607) && lease.holders == 0)
    #expect(lease.hold(now: minute(605)) == false)
    #expect(lease.isOver(now: minute(700)) == false)
  }

  @Test func itStopsWhoeverHoldsIt() {
    var lease = ControlLease()
    _ = lease.hold(now: minute(0))
    lease.stop()
    #expect(!lease.isRunning && lease.holders == 0)
    lease.release(now: minute(1))
    #expect(!lease.isRunning && lease.deadline == nil)
  }
}
