import NIOCore
import Testing

@testable import HTTP

@Suite struct KeptConnectionsTests {
  final class Connection {}

  static let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
  static let one = HTTPEndpoint(address: .v4(1), port: 80, interface: nil)
  static let other = HTTPEndpoint(address: .v4(1), port: 81, interface: nil)

  @Test func theLastUsedComesFirst() {
    var kept = IdleConnections<Connection>(limit: 8, time: .seconds(3))
    let (first, second) = (Connection(), Connection())
    let areKept = [first, second].map { kept.keep($0, to: Self.one, now: Self.start) }
    #expect(areKept == [true, true])
    let none = kept.take(Self.other)
    #expect(none == nil)
    let taken = [kept.take(Self.one), kept.take(Self.one), kept.take(Self.one)]
    #expect(taken[0] === second)
    #expect(taken[1] === first)
    #expect(taken[2] == nil)
    #expect(kept.count == 0)
  }

  @Test func theirNumberIsBounded() {
    var kept = IdleConnections<Connection>(limit: 1, time: .seconds(3))
    let areKept = [Self.one, Self.other].map { kept.keep(Connection(), to: $0, now: Self.start) }
    #expect(areKept == [true, false])
    #expect(kept.count == 1)
    #expect(!IdleConnections<Connection>(limit: 0, time: .seconds(3)).mayKeep(Self.one))
    #expect(!IdleConnections<Connection>(limit: 8, time: .zero).mayKeep(Self.one))
  }

  @Test func theirTimeIsBounded() {
    var kept = IdleConnections<Connection>(limit: 8, time: .seconds(3))
    let (old, new) = (Connection(), Connection())
    _ = kept.keep(old, to: Self.one, now: Self.start)
    _ = kept.keep(new, to: Self.one, now: Self.start + .seconds(2))
    let early = kept.expire(now: Self.start + .milliseconds(2999))
    #expect(early.isEmpty)
    let expired = kept.expire(now: Self.start + .seconds(3))
    #expect(expired.count == 1 && expired.first === old)
    #expect(kept.count == 1)
    let rest = kept.take(Self.one)
    #expect(rest === new)
  }

  @Test func oneThatEndsIsForgotten() {
    var kept = IdleConnections<Connection>(limit: 8, time: .seconds(3))
    let connection = Connection()
    _ = kept.keep(connection, to: Self.one, now: Self.start)
    kept.remove(connection, to: Self.other)
    #expect(kept.count == 1)
    kept.remove(connection, to: Self.one)
    kept.remove(connection, to: Self.one)
    #expect(kept.count == 0)
  }

  @Test func theDistrustedKeepNone() {
    var kept = IdleConnections<Connection>(limit: 8, time: .seconds(3))
    _ = kept.keep(Connection(), to: Self.one, now: Self.start)
    _ = kept.keep(Connection(), to: Self.other, now: Self.start)
    let dropped = kept.distrust(Self.one)
    #expect(dropped.count == 1)
    #expect(!kept.mayKeep(Self.one) && kept.mayKeep(Self.other))
    let isKept = kept.keep(Connection(), to: Self.one, now: Self.start)
    #expect(!isKept)
    let all = kept.removeAll()
    #expect(all.count == 1 && kept.count == 0)
  }
}
