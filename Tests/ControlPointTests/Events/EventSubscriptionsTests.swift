import Foundation
import NIOCore
import NIOPosix
import Network
import Synchronization
import Testing
import UPnP

@testable import ControlPoint
@testable import HTTP

/// Our own device server publishes, and our control point reads, over loopback.
@Suite(.timeLimit(.minutes(2))) struct EventSubscriptionsTests {
  private static let lastChange = EventStyle.lastChange(namespace: "urn:schemas-upnp-org:metadata-1-0/RCS/")

  private func subscribers(_ publisher: Publisher, become count: Int) async throws {
    for _ in 0..<400 {
      if await publisher.server.statistics.subscriptions == count { return }
      try await Task.sleep(for: .milliseconds(25))
    }
    Issue.record("\(await publisher.server.statistics.subscriptions) subscriptions, not \(count)")
  }

  @Test(arguments: [false, true]) func changesArrive(isLastChange: Bool) async throws {
    let variable = { (name: String) in
      ServiceValue.Variable(
        name, channel: isLastChange && name == "Volume" ? "Master" : nil, instance: isLastChange ? 0 : nil)
    }
    try await Publisher.with(isLastChange ? Self.lastChange : .properties) { publisher in
      do {
        var changes = publisher.subscriptions.changes(of: publisher.location).makeAsyncIterator()
        #expect(await publisher.subscriptions.followed.isEmpty, "nobody has read yet")
        #expect(
          try await changes.next()
            == .all([ServiceValue(variable("Volume"), "20"), ServiceValue(variable("Mute"), "0")]))
        publisher.set("Volume", "21 & more")
        #expect(try await changes.next() == .changed([ServiceValue(variable("Volume"), "21 & more")]))
        var second = publisher.subscriptions.changes(of: publisher.location).makeAsyncIterator()
        #expect(
          try await second.next()
            == .all([
              ServiceValue(variable("Volume"), "21 & more"), ServiceValue(variable("Mute"), "0"),
            ]))
        #expect(await publisher.server.statistics.subscriptions == 1)
        publisher.set("Mute", "1")
        #expect(try await changes.next() == .changed([ServiceValue(variable("Mute"), "1")]))
        #expect(try await second.next() == .changed([ServiceValue(variable("Mute"), "1")]))
      }
      // Both iterators are gone.
      try await subscribers(publisher, become: 0)
      for _ in 0..<200 where await !publisher.subscriptions.followed.isEmpty {
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(await publisher.subscriptions.followed.isEmpty)
    }
  }

  @Test func aSlowReaderGetsTheLatest() async throws {
    try await Publisher.with { publisher in
      var changes = publisher.subscriptions.changes(of: publisher.location).makeAsyncIterator()
      _ = try await changes.next()
      var quick = publisher.subscriptions.changes(of: publisher.location).makeAsyncIterator()
      _ = try await quick.next()
      for number in 1...20 {
        publisher.set("Volume", "\(number)")
        #expect(try await quick.next() == .changed([ServiceValue(.init("Volume"), "\(number)")]))
      }
      let volume = { (number: Int) in ServiceChange.changed([ServiceValue(.init("Volume"), "\(number)")]) }
      var latest = try await changes.next()
      // The quick one may have been told first.
      if latest == volume(19) { latest = try await changes.next() }
      #expect(latest == volume(20))
    }
  }

  private struct Level: Sendable, Equatable {
    var volume: UInt16?
    var isMute: Bool?
  }

  @Test(arguments: [false, true]) func valuesAreTyped(isLastChange: Bool) async throws {
    try await Publisher.with(isLastChange ? Self.lastChange : .properties) { publisher in
      let changes = publisher.subscriptions.changes(of: publisher.location) { values in
        Level(volume: values["Volume"], isMute: values["Mute"])
      }
      var iterator = changes.makeAsyncIterator()
      let first = try await iterator.next()
      #expect(first == .all(Level(volume: 20, isMute: false)))
      publisher.set("Mute", "1")
      let second = try await iterator.next()
      #expect(second == .changed(Level(volume: nil, isMute: true)))
    }
  }

  @Test func aDeviceIsTheSameInUpperAndLowerCase() async throws {
    try await Publisher.with { publisher in
      var changes = publisher.subscriptions.changes(of: publisher.location).makeAsyncIterator()
      _ = try await changes.next()
      var location = publisher.location
      location.udn = location.udn.uppercased()
      #expect(location.udn != publisher.location.udn)
      var second = publisher.subscriptions.changes(of: location).makeAsyncIterator()
      _ = try await second.next()
      #expect(await publisher.subscriptions.followed.count == 1)
      await publisher.subscriptions.deviceGone(location.udn)
      await #expect(throws: ChangesEnd.deviceGone) { try await changes.next() }
    }
  }

  @Test func aTaskThatIsCancelledLeaves() async throws {
    try await Publisher.with { publisher in
      let count = Mutex(0)
      let task = Task {
        for try await _ in publisher.subscriptions.changes(of: publisher.location) {
          count.withLock { $0 += 1 }
        }
      }
      try await subscribers(publisher, become: 1)
      while count.withLock({ $0 }) == 0 { try await Task.sleep(for: .milliseconds(10)) }
      task.cancel()
      try await task.value
      try await subscribers(publisher, become: 0)
    }
  }

  /// Its restart is announced, or it is found with another BOOTID, or one of the two isn't known.
  @Test(arguments: [nil, (7, 8), (7, nil), (nil, 8)] as [(before: Int?, after: Int?)?])
  func aDeviceThatStartsAgainIsSubscribedToAgain(bootIDs: (before: Int?, after: Int?)?) async throws {
    // Somebody else may take its port meanwhile.
    while try await !startsAgain(bootIDs) {}
  }

  /// False if the device couldn't have its port again.
  private func startsAgain(_ bootIDs: (before: Int?, after: Int?)?) async throws -> Bool {
    let hasItsPort = Mutex(true)
    try await Publisher.with { publisher in
      var location = publisher.location
      location.bootID = bootIDs?.before
      var changes = publisher.subscriptions.changes(of: location).makeAsyncIterator()
      _ = try await changes.next()
      await publisher.server.stop()
      publisher.service.set("Volume", "33")
      guard let (server, _) = try? await Publisher.serve(publisher.service, port: publisher.port) else {
        return hasItsPort.withLock { $0 = false }
      }
      if let bootIDs {
        location.bootID = bootIDs.after
        await publisher.subscriptions.deviceFound([location])
      } else {
        await publisher.subscriptions.deviceRestarted(Publisher.udn)
      }
      var change = try await changes.next()
      // The first try may have met a closing connection.
      if change == .interrupted { change = try await changes.next() }
      #expect(
        change
          == .all([ServiceValue(.init("Volume"), "33"), ServiceValue(.init("Mute"), "0")]))
      await server.stop()
    }
    return hasItsPort.withLock(\.self)
  }

  @Test func everyEndHasItsReason() async throws {
    try await Publisher.with { publisher in
      let subscriptions = publisher.subscriptions
      func end(_ location: ServiceLocation) async -> ChangesEnd? {
        var changes = subscriptions.changes(of: location).makeAsyncIterator()
        do throws(ChangesEnd) {
          while (try await changes.next()) != nil {}
          return nil
        } catch {
          let more = (try? await changes.next()) ?? nil
          #expect(more == nil, "and then nothing")
          return error
        }
      }
      #expect(await end(Publisher.location(port: publisher.port, target: nil)) == .noEvents)
      #expect(await end(Publisher.location(port: publisher.port, target: "/none")) == .refused(404))

      var changes = subscriptions.changes(of: publisher.location).makeAsyncIterator()
      _ = try await changes.next()
      await subscriptions.deviceGone(Publisher.udn)
      await #expect(throws: ChangesEnd.deviceGone) { try await changes.next() }
      #expect(await subscriptions.followed.isEmpty)

      var others = subscriptions.changes(of: publisher.location).makeAsyncIterator()
      _ = try await others.next()
      await subscriptions.stop()
      await #expect(throws: ChangesEnd.stopped) { try await others.next() }
      #expect(await end(publisher.location) == .stopped)
    }
  }

  /// Neither the farewells nor what is under way end by themselves.
  @Test func stoppingHasOneDeadline() async throws {
    var limits = SubscriptionLimits()
    limits.unsubscribeTime = .milliseconds(100)
    let scripted = ScriptedDevice { call, address throws(ActionFailure) in
      if case .subscribe = call, address.port == 80 { return ScriptedDevice.granted("uuid:1") }
      try? await Task.sleep(for: .seconds(3600))
      throw .cancelled
    }
    let subscriptions = scripted.subscriptions(limits: limits)
    await subscriptions.setListening(.init(port: 4004, ipv6: true))
    var other = Publisher.location(port: 81, target: "/event")
    other.id = "other"
    let inboxes = [
      await subscriptions.join(Publisher.location(port: 80, target: "/event")),
      await subscriptions.join(other),
    ]
    while await !subscriptions.followed.values.contains(where: { $0.machine.grant != nil }) {
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(try await scripted.calls(become: 2).count == 2)
    await subscriptions.stop()
    #expect(scripted.calls.contains(.unsubscribe(sid: "uuid:1")))
    withExtendedLifetime(inboxes) {}
  }

  @Test func noTimerRunsForNobody() async throws {
    let scripted = ScriptedDevice()
    let subscriptions = scripted.subscriptions()
    await subscriptions.setListening(.init(port: 4004, ipv6: true))
    let inbox = await subscriptions.join(Publisher.location(port: 80, target: "/event"))
    while await !subscriptions.hasTimer { try await Task.sleep(for: .milliseconds(5)) }
    subscriptions.leave(inbox)
    while await !subscriptions.isIdle { try await Task.sleep(for: .milliseconds(5)) }
    #expect(await !subscriptions.hasTimer)
    #expect(scripted.calls.contains(.unsubscribe(sid: "uuid:1")))
  }

  @Test func theCaseOfAUDNDoesNotMatter() async throws {
    let scripted = ScriptedDevice()
    let subscriptions = scripted.subscriptions()
    await subscriptions.setListening(.init(port: 4004, ipv6: true))
    let location = Publisher.location(port: 80, target: "/event")
    let inbox = await subscriptions.join(location)
    var moved = location
    moved.udn = location.udn.uppercased()
    moved.events?.port = 81
    await subscriptions.deviceMoved([moved])
    #expect(await subscriptions.followed.values.first?.location.events?.port == 81)
    await subscriptions.deviceGone(location.udn.uppercased())
    #expect(await subscriptions.followed.values.allSatisfy { $0.readers.isEmpty })
    await subscriptions.stop()
    withExtendedLifetime(inbox) {}
  }

  @Test func stoppingUnsubscribes() async throws {
    try await Publisher.with { publisher in
      var changes = publisher.subscriptions.changes(of: publisher.location).makeAsyncIterator()
      _ = try await changes.next()
      #expect(await publisher.server.statistics.subscriptions == 1)
      await publisher.subscriptions.stop()
      #expect(await publisher.server.statistics.subscriptions == 0)
    }
  }

  @Test func aDeviceThatMovesIsFollowed() async throws {
    try await Publisher.with { publisher in
      var changes = publisher.subscriptions.changes(of: publisher.location).makeAsyncIterator()
      _ = try await changes.next()
      let (server, port) = try await Publisher.serve(publisher.service)
      publisher.service.set("Mute", "1")
      var moved = publisher.location
      moved.events?.port = port
      await publisher.subscriptions.deviceMoved([moved])
      #expect(
        try await changes.next()
          == .all([ServiceValue(.init("Volume"), "20"), ServiceValue(.init("Mute"), "1")]))
      #expect(await server.statistics.subscriptions == 1)
      await server.stop()
    }
  }

  // MARK: - Hostile messages

  private func notify(
    _ publisher: Publisher, _ path: String, _ fields: [String: String], _ body: String
  ) async throws -> Int {
    let request = ExchangeRequest(
      "NOTIFY", fields: fields.sorted { $0.key < $1.key }.map { HTTPField($0.key, $0.value) },
      body: ByteBuffer(string: body))
    let address = ServiceAddress(address: .v4(0x7f00_0001), port: publisher.receiverPort, target: path)
    return try await publisher.exchange.exchange(
      request, to: address, deadline: .seconds(10), limit: 1000
    ).status
  }

  @Test func hostileMessages() async throws {
    try await Publisher.with { publisher in
      let subscriptions = publisher.subscriptions
      var changes = subscriptions.changes(of: publisher.location).makeAsyncIterator()
      _ = try await changes.next()
      let (token, service) = try #require(await subscriptions.followed.first)
      let sid = try #require(service.machine.grant?.sid)
      let path = "/gena/\(token)"
      let good = ["NT": "upnp:event", "NTS": "upnp:propchange", "SID": sid, "SEQ": "1"]
      let body = "<propertyset><property><Volume>66</Volume></property></propertyset>"

      for (name, value, status) in [
        ("NT", "upnp:other", 412), ("NTS", "x", 412), ("SID", "uuid:\(UUID())", 412), ("SID", "", 412),
        ("SEQ", "x", 400),
      ] {
        #expect(
          try await notify(publisher, path, good.merging([name: value]) { $1 }, body) == status, "\(name)")
      }
      for name in ["NT", "NTS"] {
        #expect(try await notify(publisher, path, good.filter { $0.key != name }, body) == 400)
      }
      #expect(try await notify(publisher, path, good.filter { $0.key != "SID" }, body) == 412)
      for other in ["/gena/", "/gena/x", "\(path)x", "/gena/\(token.uppercased())/"] {
        #expect(try await notify(publisher, other, good, body) == 412)
      }
      #expect(try await notify(publisher, "/", good, body) == 404)
      let long = body + String(repeating: " ", count: 256 * 1024)
      #expect(try await notify(publisher, path, good, long) == 413)
      let after = await subscriptions.followed[token]
      #expect(after?.machine.grant?.last?.sequence == 0, "none of them was taken")

      // What the device itself sends may be nonsense, too.
      let bodies = [
        "", "x", "<propertyset>", "<propertyset/>",
        "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
        "<propertyset>" + String(repeating: "<property>", count: 20000),
        "<propertyset><property><LastChange>&lt;Event&gt;&lt;InstanceID val='0'&gt;&lt;A val='1'/&gt;",
        "<propertyset><property>" + (0..<8000).map { "<V\($0)>x</V\($0)>" }.joined()
          + "</property></propertyset>",
      ]
      for (index, body) in bodies.enumerated() {
        let status = try await notify(publisher, path, good.merging(["SEQ": "\(index + 1)"]) { $1 }, body)
        #expect(status == 200, "\(index)")
      }
      let last = good.merging(["SEQ": "\(bodies.count + 1)"]) { $1 }
      #expect(try await notify(publisher, path, last, body) == 200)
      var known = ValueTable()
      while known.values.last(where: { $0.variable.name == "Volume" })?.value != "66" {
        guard case .changed(let values) = try await changes.next() else { break }
        known.set(values)
      }
      #expect(known.values.contains(ServiceValue(.init("Volume"), "66")))
      // The real device goes on counting where it was: a gap, so it is asked anew.
      publisher.set("Volume", "55")
      while known.values != [ServiceValue(.init("Volume"), "55"), ServiceValue(.init("Mute"), "0")] {
        switch try await changes.next() {
        case .all(let values): known = ValueTable(values)
        case .changed(let values): known.set(values)
        case .interrupted, nil: break
        }
      }
    }
  }

  /// It may have several addresses on a link, by cable and by Wi-Fi: which one it sends from is its system's choice.
  @Test func onlyTheLinkOfTheDeviceMaySendEvents() async throws {
    let subscriptions = EventSubscriptions(
      eventLoop: MultiThreadedEventLoopGroup.singleton.next(), logger: Publisher.quiet
    ) { _, _, _ throws(ActionFailure) in
      var fields = HeaderFields()
      fields.append(name: "sid", value: "uuid:a")
      return (200, fields)
    }
    for (device, sender, isTaken) in [
      ("192.0.2.9", "192.0.2.9", true), ("192.0.2.9", "::ffff:192.0.2.9", true),
      ("192.0.2.9", "192.0.2.10", true), ("192.0.2.9", "198.51.100.9", false),
      ("192.0.2.9", "192.0.2.255", false), ("192.0.2.9", "2001:db8::9", false),
      ("192.0.2.9", "127.0.0.1", false), ("127.0.0.1", "127.0.0.1", true),
      ("127.0.0.1", "192.0.2.9", false),
      ("2001:db8::9", "2001:db8::aaaa", true),
      ("2001:db8::9", "2001:db8:1::9", false),
      ("fe80::1", "fe80::1", true), ("fe80::1", "192.0.2.9", false),
    ] {
      let address = try #require(IPAddress(device))
      var location = Publisher.location(port: 80, target: "/event")
      location.events?.address = address
      location.udn = device + sender
      await subscriptions.setListening(.init(port: 4004, ipv6: true))
      await subscriptions.setInterfaces([Self.interface])
      let inbox = await subscriptions.join(location)
      while await subscriptions.followed.values.first(where: { $0.location == location })?.machine.grant
        == nil
      {
        try await Task.sleep(for: .milliseconds(5))
      }
      let token = await subscriptions.followed.first { $0.value.location == location }?.key ?? ""
      var fields = HeaderFields()
      for (name, value) in [
        ("nt", "upnp:event"), ("nts", "upnp:propchange"), ("sid", "uuid:a"), ("seq", "0"),
      ] {
        fields.append(name: name, value: value)
      }
      let peer = Peer(remote: try #require(IPAddress(sender)), local: .v4(0xc000_0207), localPort: 4004)
      let path = "/gena/\(token)"
      let refusal = try await subscriptions.eventLoop.submit { [fields] in
        subscriptions.refusal(of: .notify(path, fields), from: peer)?.status
      }.get()
      #expect(refusal == (isTaken ? nil : .preconditionFailed), "\(device) \(sender)")
      subscriptions.leave(inbox)
    }
    await subscriptions.stop()
  }

  private static let interface = NetworkInterface(
    index: 2, name: "eth0",
    addresses: [
      InterfaceAddress(address: .v4(0xc000_0207), prefixLength: 24),
      InterfaceAddress(address: .v6(0x2001_0db8_0000_0000, 7), prefixLength: 64),
      InterfaceAddress(address: .v6(0xfe80_0000_0000_0000, 7), prefixLength: 64),
    ], isRunning: true, isLoopback: false)
}
