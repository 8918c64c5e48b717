import Testing

@testable import UPnP

@Suite struct EventingTests {
  @Test func subscribeFirstEventChangeRenewUnsubscribe() async throws {
    try await withHost { host in
      let receiver = try EventReceiver()
      let reply = try host.subscribe(receiver.url("/a?b"))
      #expect(reply.status == 200)
      #expect(reply["timeout"] == "Second-300")
      #expect(reply["content-length"] == "0")
      let sid = try #require(reply["sid"])
      let first = try #require(receiver.event())
      #expect(first.line == "NOTIFY /a?b HTTP/1.1")
      #expect(first["host"] == "127.0.0.1:\(receiver.port)")
      #expect(first["content-type"] == "text/xml; charset=\"utf-8\"")
      #expect(first["nt"] == "upnp:event")
      #expect(first["nts"] == "upnp:propchange")
      #expect(first["sid"] == sid)
      #expect(first["seq"] == "0")
      #expect(first.body.contains("&lt;Volume channel=\"Master\" val=\"20\"/&gt;&lt;Title val=\"none\"/&gt;"))
      let set = try host.exchange(
        host.soap(
          "SetVolume", "<InstanceID>0</InstanceID><Channel>Master</Channel><DesiredVolume>33</DesiredVolume>")
      )
      #expect(set.status == 200)
      let second = try #require(receiver.event())
      #expect(second["seq"] == "1")
      #expect(second.body.contains("val=\"33\""))
      #expect(!second.body.contains("Title"))
      let renewed = try host.gena("SUBSCRIBE", "SID: \(sid)\r\nTIMEOUT: Second-infinite\r\n")
      #expect(renewed.status == 200)
      #expect(renewed["sid"] == sid)
      #expect(renewed["timeout"] == "Second-1800")
      #expect(try host.gena("UNSUBSCRIBE", "SID: \(sid)\r\n").status == 200)
      #expect(try host.gena("UNSUBSCRIBE", "SID: \(sid)\r\n").status == 412)
      #expect(try host.gena("SUBSCRIBE", "SID: \(sid)\r\n").status == 412)
      await host.setVolume(1)
      #expect(await host.host.statistics.subscriptions == 0)
      #expect(receiver.accept(within: 50) == nil)
    }
  }

  @Test func theFirstEventComesBehindTheResponse() async throws {
    try await withHost { host in
      let receiver = try EventReceiver()
      let socket = try host.connect()
      socket.send(
        "SUBSCRIBE \(host.path)/RenderingControl/event HTTP/1.1\r\nHost: localhost\r\nCALLBACK: \(receiver.url())\r\n"
          + "NT: upnp:event\r\n\r\n")
      let connection = try #require(receiver.accept())
      let event = try #require(connection.message())
      // The event is here, so the response must be as well, without waiting.
      socket.setTimeout(seconds: 1)
      #expect(socket.message()?["sid"] == event["sid"])
    }
  }

  @Test func severalURLsAreTriedInOrder() async throws {
    try await withHost { host in
      let closed = try ClosedPort()
      let breaking = try EventReceiver()
      let good = try EventReceiver()
      let reply = try host.subscribe("<http://127.0.0.1:\(closed.number)/x>\(breaking.url())\(good.url())")
      #expect(reply.status == 200)
      _ = try #require(breaking.accept()).message()
      #expect(good.event()?["seq"] == "0")
      #expect(await host.host.statistics.subscriptions == 1)
    }
  }

  @Test(arguments: [
    "<http://127.0.0.1:0/>", "<http://192.0.2.1:80/>", "<http://localhost:80/>", "<http://0.0.0.0:80/>",
    "<http://239.255.255.250:80/>", "<http://[::1]:80/x", "<https://127.0.0.1/>", "http://127.0.0.1:80/",
  ])
  func callbacksThatLeadElsewhereAreRefused(callback: String) async throws {
    try await withHost { host in
      let reply = try host.subscribe(callback)
      #expect(reply.status == 412)
      #expect(await host.host.statistics.refusals[.callback] == 1)
    }
  }

  @Test func eventsHaveALogOfTheirOwn() async throws {
    let (log, eventLog) = (LogLines(), LogLines())
    try await withHost(log: log, eventLog: eventLog) { host in
      let receiver = try EventReceiver()
      #expect(try host.subscribe(receiver.url()).status == 200)
      #expect(try host.subscribe("<http://192.0.2.1:80/>").status == 412)
      #expect(try host.get("/nothing").status == 404)
    }
    // The subscriber may be found gone in between.
    #expect(
      eventLog.all.filter { !$0.hasPrefix("info") } == [
        "debug subscribed", "warning \(Refusal.callback.advice)",
      ])
    #expect(log.all == ["info listening", "warning \(Refusal.notFound.advice)"])
  }

  @Test func aSubscriberThatSaysItDoesNotKnowUsIsDropped() async throws {
    try await withHost(service: FakeService(moderation: .zero)) { host in
      let receiver = try EventReceiver()
      let other = try EventReceiver()
      _ = try host.subscribe(receiver.url())
      _ = try host.subscribe(other.url())
      #expect(receiver.event(status: "412 Precondition Failed") != nil)
      #expect(other.event() != nil)
      await host.setVolume(50)
      #expect(other.event()?["seq"] == "1")
      #expect(await host.host.statistics.subscriptions == 1)
      #expect(await host.host.statistics.subscriptionsDropped == 1)
    }
  }

  @Test func redirectsAreNotFollowed() async throws {
    try await withHost(service: FakeService(moderation: .zero)) { host in
      let receiver = try EventReceiver()
      let target = try EventReceiver()
      _ = try host.subscribe(receiver.url())
      #expect(receiver.event(status: "302 Found\r\nLocation: http://127.0.0.1:\(target.port)/") != nil)
      await host.setVolume(50)
      #expect(receiver.event()?["seq"] == "1")
      #expect(target.accept(within: 50) == nil)
    }
  }

  @Test func aDeadSubscriberDelaysNobody() async throws {
    try await withHost(
      service: FakeService(moderation: .zero), configuration: .with { $0.events.deliverySeconds = 20 }
    ) { host in
      let dead = try EventReceiver()
      let alive = try EventReceiver()
      for _ in 0..<100 { _ = try host.subscribe(dead.url()) }
      _ = try host.subscribe(alive.url())
      // None of the hundred is answered, and this one comes nevertheless.
      #expect(alive.event(within: 8000)?["seq"] == "0")
      let start = ContinuousClock.now
      await host.setVolume(50)
      #expect(alive.event()?["seq"] == "1")
      #expect(ContinuousClock.now - start < .seconds(8))
    }
  }

  @Test func subscriptionLimitsHold() async throws {
    try await withHost(configuration: .with { $0.events.subscriptionsPerAddress = 2 }) { host in
      let receiver = try EventReceiver()
      #expect(try host.subscribe(receiver.url()).status == 200)
      #expect(try host.subscribe(receiver.url()).status == 200)
      #expect(try host.subscribe(receiver.url()).status == 503)
      #expect(await host.host.statistics.refusals[.subscriptionsPerAddress] == 1)
    }
    try await withHost(configuration: .with { $0.events.subscriptions = 1 }) { host in
      let receiver = try EventReceiver()
      #expect(try host.subscribe(receiver.url()).status == 200)
      #expect(try host.subscribe(receiver.url()).status == 503)
      #expect(await host.host.statistics.refusals[.subscriptions] == 1)
    }
  }

  @Test(arguments: [
    ("SUBSCRIBE", "NT: upnp:event\r\n", 412), ("SUBSCRIBE", "CALLBACK: <http://127.0.0.1:1/>\r\n", 412),
    ("SUBSCRIBE", "CALLBACK: <http://127.0.0.1:1/>\r\nNT: upnp:x\r\n", 412),
    ("SUBSCRIBE", "SID: uuid:x\r\nNT: upnp:event\r\n", 400), ("SUBSCRIBE", "SID: uuid:x\r\n", 412),
    ("UNSUBSCRIBE", "SID: uuid:x\r\nNT: upnp:event\r\n", 400), ("UNSUBSCRIBE", "", 412),
  ])
  func statuses(method: String, fields: String, status: Int) async throws {
    try await withHost { host in
      let reply = try host.gena(method, fields)
      #expect(reply.status == status)
    }
  }

  @Test func anUnknownEventPathIs404() async throws {
    try await withHost { host in
      let reply = try host.get("\(host.path)/Nothing/event", method: "SUBSCRIBE")
      #expect(reply.status == 404)
    }
  }

  @Test func manySubscribersAllGetEverything() async throws {
    try await withHost { host in
      let receiver = try EventReceiver()
      for _ in 0..<300 {
        #expect(try host.subscribe(receiver.url()).status == 200)
        #expect(receiver.event()?["seq"] == "0")
      }
      await host.setVolume(77)
      var told: Set<String> = []
      for _ in 0..<300 {
        let event = try #require(receiver.event())
        #expect(event["seq"] == "1")
        told.insert(event["sid"] ?? "")
      }
      #expect(told.count == 300)
    }
  }
}
