import Testing

@testable import HTTP
@testable import UPnP

/// The services of embedded devices have the same limits as all others.
@Suite struct EmbeddedDeviceTests {
  private let speaker = Speaker()

  private func subscribe(_ path: String, _ callback: String, at host: RunningHost) throws -> Message {
    try host.exchange(
      "SUBSCRIBE \(path) HTTP/1.1\r\nHost: localhost\r\nCALLBACK: \(callback)\r\nNT: upnp:event\r\n\r\n")
  }

  @Test func subscriptionsAreBoundedOverAllDevices() async throws {
    try await withHost(
      devices: [speaker.root()], configuration: .with { $0.events.subscriptionsPerAddress = 2 }
    ) { host in
      let receiver = try EventReceiver()
      #expect(try subscribe("/DeviceProperties/Event", receiver.url(), at: host).status == 200)
      #expect(receiver.event() != nil)
      #expect(try subscribe("/MediaServer/ContentDirectory/Event", receiver.url(), at: host).status == 200)
      #expect(receiver.event() != nil)
      #expect(try subscribe("/MediaRenderer/RenderingControl/Event", receiver.url(), at: host).status == 503)
      #expect(await host.host.statistics.refusals[.subscriptionsPerAddress] == 1)
    }
  }

  @Test func eventsGoOnlyWhereTheyMay() async throws {
    try await withHost(devices: [speaker.root()]) { host async throws in
      let path = "/MediaRenderer/RenderingControl/Event"
      #expect(try subscribe(path, "<http://192.0.2.50:4004/evt>", at: host).status == 412)
      #expect(try host.exchange("SUBSCRIBE \(path) HTTP/1.1\r\nHost: evil.example\r\n\r\n").status == 400)
      #expect(try host.get(path).status == 405)
    }
  }

  /// Two embedded devices have a ConnectionManager each.
  @Test func servicesOfOneNameAreApart() async throws {
    try await withHost(devices: [speaker.root()]) { host in
      let receiver = try EventReceiver()
      let (one, other) = ("/MediaServer/ConnectionManager/Event", "/MediaRenderer/ConnectionManager/Event")
      let sid = try #require(try subscribe(one, receiver.url(), at: host)["sid"])
      let renewal = "HTTP/1.1\r\nHost: localhost\r\nSID: \(sid)\r\n\r\n"
      #expect(try host.exchange("SUBSCRIBE \(other) \(renewal)").status == 412)
      #expect(try host.exchange("UNSUBSCRIBE \(one) \(renewal)").status == 200)
    }
  }
}
