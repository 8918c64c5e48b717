import NIOCore
import Testing

@testable import UPnP

@Suite struct KeptConnectionsTests {
  final class Connection {}

  static let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
  static let one = SubscriberEndpoint(address: .v4(1), port: 80, interface: nil)
  static let other = SubscriberEndpoint(address: .v4(1), port: 81, interface: nil)

  @Test func theLastUsedComesFirst() {
    var kept = KeptConnections<Connection>(limit: 8, time: .seconds(3))
    let (first, second) = (Connection(), Connection())
    #expect(kept.keep(first, to: Self.one, now: Self.start))
    #expect(kept.keep(second, to: Self.one, now: Self.start))
    #expect(kept.take(Self.other) == nil)
    #expect(kept.take(Self.one) === second)
    #expect(kept.take(Self.one) === first)
    #expect(kept.take(Self.one) == nil)
    #expect(kept.count == 0)
  }

  @Test func theirNumberIsBounded() {
    var kept = KeptConnections<Connection>(limit: 1, time: .seconds(3))
    #expect(kept.keep(Connection(), to: Self.one, now: Self.start))
    #expect(!kept.keep(Connection(), to: Self.other, now: Self.start))
    #expect(kept.count == 1)
    #expect(!KeptConnections<Connection>(limit: 0, time: .seconds(3)).mayKeep(Self.one))
  }

  @Test func theirTimeIsBounded() {
    var kept = KeptConnections<Connection>(limit: 8, time: .seconds(3))
    let (old, new) = (Connection(), Connection())
    _ = kept.keep(old, to: Self.one, now: Self.start)
    _ = kept.keep(new, to: Self.one, now: Self.start + .seconds(2))
    #expect(kept.expire(now: Self.start + .milliseconds(2999)).isEmpty)
    #expect(kept.expire(now: Self.start + .seconds(3)).map(ObjectIdentifier.init) == [ObjectIdentifier(old)])
    #expect(kept.count == 1)
    #expect(kept.take(Self.one) === new)
  }

  @Test func oneThatEndsIsForgotten() {
    var kept = KeptConnections<Connection>(limit: 8, time: .seconds(3))
    let connection = Connection()
    _ = kept.keep(connection, to: Self.one, now: Self.start)
    kept.remove(connection, to: Self.other)
    #expect(kept.count == 1)
    kept.remove(connection, to: Self.one)
    kept.remove(connection, to: Self.one)
    #expect(kept.count == 0 && kept.take(Self.one) == nil)
  }

  @Test func theDistrustedKeepNone() {
    var kept = KeptConnections<Connection>(limit: 8, time: .seconds(3))
    _ = kept.keep(Connection(), to: Self.one, now: Self.start)
    _ = kept.keep(Connection(), to: Self.other, now: Self.start)
    #expect(kept.distrust(Self.one).count == 1)
    #expect(!kept.mayKeep(Self.one) && kept.mayKeep(Self.other))
    #expect(!kept.keep(Connection(), to: Self.one, now: Self.start))
    #expect(kept.removeAll().count == 1)
    #expect(kept.count == 0)
  }
}
