import Network
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

  /// A kept connection may have an address that is gone: the next event on it would be lost.
  @Test func keptConnectionsEndWhenTheNetworkChanges() async throws {
    try await withHost(configuration: .with { $0.events.keptSeconds = 60 }) { host in
      let receiver = try EventReceiver()
      _ = try host.subscribe(receiver.url())
      let connection = try #require(receiver.accept())
      #expect(connection.message()?["seq"] == "0")
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      let network = NetworkInterface(
        index: 2, name: "eth0", addresses: [.init(address: .v4(0xc000_0201), prefixLength: 24)],
        isRunning: true,
        isLoopback: false)
      // It is kept once the host has read the answer.
      for round in 0..<1000 {
        await host.host.setInterfaces(round.isMultiple(of: 2) ? [network] : [])
        if connection.hasSomething { break }
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(connection.hasSomething && connection.endsInTime())
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
      let closed = try (0..<2).map { _ in try ClosedPort() }
      let good = try EventReceiver()
      let urls = closed.map { "<http://127.0.0.1:\($0.number)/x>" }.joined() + good.url()
      #expect(try host.subscribe(urls).status == 200)
      #expect(good.event()?["seq"] == "0")
      #expect(await host.host.statistics.subscriptions == 1)
    }
  }

  /// It has arrived, though nobody says so: not at another URL with the same SEQ, and not again and again.
  @Test func whatWasTakenWithoutAWordIsNotSentAgain() async throws {
    try await withHost(service: FakeService(moderation: .zero)) { host in
      let wordless = try EventReceiver()
      let other = try EventReceiver()
      #expect(try host.subscribe(wordless.url() + other.url()).status == 200)
      do {
        let connection = try #require(wordless.accept())
        #expect(connection.message()?["seq"] == "0")
      }
      try await waitUntil { await host.host.statistics.eventsFailed == 1 }
      #expect(await host.host.statistics.eventsFailed == 1)
      #expect(await host.host.pump.nextWake == nil, "nothing is tried again")
      await host.setVolume(50)
      let next = try #require(wordless.event())
      #expect(next["seq"] == "1" && next.body.contains("Title"), "the next change tells everything")
      #expect(other.accept(within: 50) == nil)
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
    // The subscriber may be found to be out of reach in between.
    #expect(
      eventLog.all.filter { !$0.contains("can't be reached") } == [
        "debug subscribed", "warning \(RefusalReason.callback.advice)",
      ])
    #expect(log.all == ["info listening", "warning \(RefusalReason.notFound.advice)"])
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

  /// So long as no test is to wait.
  private static let patient = HostConfiguration.with {
    $0.events.responseHoldMilliseconds = 60_000
    $0.events.stallMilliseconds = 60_000
  }

  private static let setVolume =
    "<InstanceID>0</InstanceID><Channel>Master</Channel><DesiredVolume>33</DesiredVolume>"

  /// A control point goes by what it was told as soon as it has an answer.
  @Test func anAnswerComesBehindTheEventToItsCaller() async throws {
    let service = FakeService(leading: LeadingVariable(name: "Volume", passing: [:]))
    try await withHost(service: service, configuration: Self.patient) { host in
      let receiver = try EventReceiver()
      _ = try host.subscribe(receiver.url())
      #expect(receiver.event()?["seq"] == "0")
      let socket = try host.connect()
      // Two in one go: the second has its turn behind the first.
      socket.send(host.soap("SetVolume", Self.setVolume) + host.soap("GetVolume", Self.getVolume))
      let connection = try #require(receiver.accept())
      #expect(connection.message()?["seq"] == "1")
      socket.setTimeout(seconds: 1)
      #expect(socket.message() == nil, "not before the event was read")
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
      socket.setTimeout(seconds: 10)
      #expect(socket.message()?.status == 200)
      #expect(socket.message()?.body.contains("33") == true)
      #expect(try host.exchange(host.soap("GetVolume", Self.getVolume)).status == 200)
    }
  }

  private static let getVolume = "<InstanceID>0</InstanceID><Channel>Master</Channel>"

  @Test func anAnswerWaitsForNoSilentSubscriber() async throws {
    let service = FakeService(leading: LeadingVariable(name: "Volume", passing: [:]))
    let configuration = HostConfiguration.with { $0.events.responseHoldMilliseconds = 60_000 }
    try await withHost(service: service, configuration: configuration) { host in
      let receiver = try EventReceiver()
      _ = try host.subscribe(receiver.url())
      #expect(receiver.event()?["seq"] == "0")
      // Nobody takes the event, which stalls long before the answer's own minute is over.
      #expect(try host.exchange(host.soap("SetVolume", Self.setVolume)).status == 200)
      let second = try host.exchange(
        host.soap("SetVolume", Self.setVolume.replacing("33", with: "34")))
      #expect(second.status == 200)
      #expect(await !host.host.isHoldingAnswers)
    }
  }

  /// Nobody is told of its end.
  @Test func anAnswerIsForgottenWithItsConnection() async throws {
    let service = FakeService(leading: LeadingVariable(name: "Volume", passing: [:]))
    try await withHost(service: service, configuration: Self.patient) { host in
      let receiver = try EventReceiver()
      _ = try host.subscribe(receiver.url())
      #expect(receiver.event()?["seq"] == "0")
      do {
        let socket = try host.connect()
        socket.send(host.soap("SetVolume", Self.setVolume))
        try await waitUntil { await host.host.isHoldingAnswers }
        #expect(await host.host.isHoldingAnswers)
        socket.resetsWhenClosed()
      }
      try await waitUntil { await !host.host.isHoldingAnswers }
      #expect(await !host.host.isHoldingAnswers)
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
