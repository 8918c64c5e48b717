import NIOCore
import Network
import Testing

@testable import HTTP

@Suite struct ConnectionTableTests {
  static let limits: HTTPLimits = {
    var limits = HTTPLimits()
    limits.connections = 4
    limits.connectionsPerAddress = 3
    limits.unfinishedBytes = 100
    limits.unsentResponseBytes = 1000
    return limits
  }()
  let a = IPAddress.v4(1)
  let b = IPAddress.v4(2)

  func id(_ admission: ConnectionTable.Admission) throws -> Int {
    guard case .accepted(let id, _) = admission else { throw HTTPError(status: .serviceUnavailable) }
    return id
  }

  @Test func theOldestHalfOpenOneMakesRoom() throws {
    var table = ConnectionTable(limits: Self.limits)
    let served = try id(table.admit(a))
    table.enter(.idle, served)
    let first = try id(table.admit(a))
    let second = try id(table.admit(a))
    #expect(table.admit(a) == .accepted(id: 4, evicting: first))
    #expect(table.admit(a) == .accepted(id: 5, evicting: second))
    #expect(table.count == 3)
  }

  @Test func idleComesBeforeReceivingAndAnsweringLast() throws {
    var table = ConnectionTable(limits: Self.limits)
    let answering = try id(table.admit(a))
    let receiving = try id(table.admit(a))
    let idle = try id(table.admit(b))
    let busy = try id(table.admit(b))
    table.enter(.answering, answering)
    table.enter(.receiving, receiving)
    table.enter(.idle, idle)
    table.enter(.answering, busy)
    #expect(table.admit(.v4(3)) == .accepted(id: 5, evicting: idle))
    table.enter(.answering, 5)
    #expect(table.admit(.v4(3)) == .accepted(id: 6, evicting: receiving))
    table.enter(.answering, 6)
    // Nobody takes his response: the longest of those whose address has most.
    #expect(table.admit(.v4(3)) == .accepted(id: 7, evicting: 5))
    table.enter(.answering, 7)
    table.enter(.answering, answering)
    #expect(table.admit(b) == .accepted(id: 8, evicting: 6))
  }

  @Test func aRequestThatWaitsForItsTurnIsNoReasonToGo() throws {
    var table = ConnectionTable(limits: Self.limits)
    table.enter(.waiting, try id(table.admit(a)))
    let receiving = try id(table.admit(a))
    table.enter(.receiving, receiving)
    table.enter(.waiting, try id(table.admit(a)))
    #expect(table.admit(a) == .accepted(id: 4, evicting: receiving))
  }

  @Test func anAddressCompetesWithItselfFirst() throws {
    var table = ConnectionTable(limits: Self.limits)
    let other = try id(table.admit(b))
    for _ in 0..<3 { table.enter(.answering, try id(table.admit(a))) }
    #expect(table.admit(a) == .refused(.connectionsPerAddress))
    #expect(table.admit(b) == .accepted(id: 5, evicting: other))
  }

  @Test func whoeverHoldsMostGoes() throws {
    var table = ConnectionTable(limits: Self.limits)
    let large = try id(table.admit(a))
    let small = try id(table.admit(a))
    #expect(table.noteUnfinished(90, large) == nil)
    #expect(table.noteUnfinished(20, small) == large)
    table.remove(large)
    #expect(table.unfinishedBytes == 20)
    #expect(table.noteUnfinished(101, small) == small)
    #expect(table.noteUnfinished(0, small) == nil)
    #expect(table.unfinishedBytes == 0)
  }

  @Test func whoLetsMostWaitGoes() throws {
    var table = ConnectionTable(limits: Self.limits)
    let large = try id(table.admit(a))
    let small = try id(table.admit(b))
    #expect(table.noteUnsent(900, large) == nil)
    #expect(table.noteUnsent(101, small) == large)
    table.remove(large)
    #expect(table.unsentBytes == 101)
    #expect(table.noteUnsent(1001, small) == small)
    #expect(table.noteUnsent(0, small) == nil)
    #expect(table.unsentBytes == 0)
  }

  @Test func aReasonIsLoggedOnceAMinute() {
    var log = LimitLog<RefusalReason>()
    let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
    #expect(log.shouldLog(.malformed, now: start) == (0, true))
    #expect(log.shouldLog(.timeout, now: start) == (0, true))
    #expect(log.shouldLog(.malformed, now: start + .seconds(59)) == (0, false))
    #expect(log.shouldLog(.malformed, now: start + .seconds(59)) == (0, false))
    #expect(log.shouldLog(.malformed, now: start + .seconds(60)) == (2, true))
  }
}
