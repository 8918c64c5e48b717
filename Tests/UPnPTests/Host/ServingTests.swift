import NIOCore
import Testing

@testable import HTTP
@testable import UPnP

@Suite struct ServingTests {
  @Test func descriptionIsServedWithValidators() async throws {
    try await withHost { host in
      let first = try host.get("\(host.path)/device.xml", "Accept-Language: de\r\n")
      #expect(first.status == 200)
      #expect(first["content-type"] == "text/xml; charset=\"utf-8\"")
      #expect(first["content-language"] == "en")
      #expect(first["server"]?.contains(" UPnP/1.1 Vireo/") == true)
      #expect(first["date"]?.hasSuffix("GMT") == true)
      #expect(first.body.contains("<friendlyName>Living &lt;Room&gt; &amp; more</friendlyName>"))
      #expect(first.body.contains("<presentationURL>http://127.0.0.1:\(host.port)/</presentationURL>"))
      let configID = try await host.configID
      #expect((0...0xff_ffff).contains(configID))
      #expect(
        first.body.contains("<root xmlns=\"urn:schemas-upnp-org:device-1-0\" configId=\"\(configID)\">"))
      let tag = try #require(first["etag"])
      let again = try host.get("\(host.path)/device.xml", "If-None-Match: \"x\", \(tag)\r\n")
      #expect(again.status == 304)
      #expect(again.body.isEmpty)
      #expect(first["content-length"] == "\(first.body.utf8.count)")
    }
  }

  @Test func answersDontWaitForAnAcknowledgement() async throws {
    try await withHost { host in
      let socket = try host.connect()
      socket.send("GET \(host.path)/device.xml HTTP/1.1\r\nHost: localhost\r\n\r\n")
      _ = try #require(socket.message())
      let connection = try #require(await host.host.server.channels.values.first).channel
      #expect(try await connection.getOption(.tcpOption(.tcp_nodelay)).get() == 1)
      #expect(try await connection.getOption(.allowRemoteHalfClosure).get())
      #expect(try await connection.getOption(.maxMessagesPerRead).get() == 1)
    }
  }

  @Test func headHasTheLengthAndNoBody() async throws {
    try await withHost { host in
      let socket = try host.connect()
      let request = "HEAD \(host.path)/device.xml HTTP/1.1\r\nHost: localhost\r\n\r\n"
      socket.send(request + request)
      let first = try #require(socket.message(hasBody: false))
      #expect(first.status == 200)
      #expect(Int(first["content-length"] ?? "") ?? 0 > 500)
      #expect(
        socket.message(hasBody: false)?.status == 200, "a body after HEAD would be read as the next response")
    }
  }

  @Test func scpdIconsAndPagesAreServed() async throws {
    try await withHost { host in
      let scpd = try host.get("\(host.path)/RenderingControl/scpd.xml")
      let configID = try await host.configID
      #expect(
        scpd.body.hasSuffix("xmlns=\"urn:schemas-upnp-org:service-1-0\" configId=\"\(configID)\"></scpd>"))
      #expect(try host.get("\(host.path)/icon-48.png")["content-type"] == "image/png")
      #expect(try host.get("/?a=b").body == "<p>status</p>")
      #expect(try host.get("/nothing").status == 404)
    }
  }

  @Test func aRenameChangesTheConfigurationAndKeepsSubscriptions() async throws {
    try await withHost { host in
      let receiver = try EventReceiver()
      #expect(try host.subscribe(receiver.url()).status == 200)
      #expect(receiver.event()?["seq"] == "0")
      let before = try await host.configID
      await host.host.setDevices([.fake([host.service], name: "Kitchen")])
      #expect(try await host.configID != before)
      #expect(try host.get("\(host.path)/device.xml").body.contains("<friendlyName>Kitchen<"))
      await host.setVolume(31)
      #expect(receiver.event()?["seq"] == "1")
      await host.host.setDevices([])
      #expect(await host.host.statistics.subscriptions == 0)
    }
  }

  @Test func methodsThatDoNotFitAreRefused() async throws {
    try await withHost { host in
      let description = try host.get("\(host.path)/device.xml", method: "PUT", "Content-Length: 0\r\n")
      #expect(description.status == 405)
      #expect(description["allow"] == "GET, HEAD")
      let control = try host.get("\(host.path)/RenderingControl/control")
      #expect(control.status == 405)
      #expect(control["allow"] == "POST")
      #expect(try host.get("\(host.path)/RenderingControl/event")["allow"] == "SUBSCRIBE, UNSUBSCRIBE")
      #expect(try host.get("/", method: "BREW").status == 501)
    }
  }

  @Test func theDefaultPortGivesWay() async throws {
    try await withHost(configuration: .with { $0.port = HostConfiguration.defaultPort }) { first in
      try await withHost(configuration: .with { $0.port = HostConfiguration.defaultPort }) { second in
        #expect(first.port != second.port)
        let reply = try second.get("/")
        #expect(reply.status == 200)
      }
    }
  }

  @Test func theSameOnIPv6() async throws {
    try await withHost(configuration: .with { $0.ipv6 = true }) { host in
      let socket = try RawSocket(ipv6Port: host.port)
      socket.send("GET \(host.path)/device.xml HTTP/1.1\r\nHost: [::1]:\(host.port)\r\n\r\n")
      let reply = try #require(socket.message())
      #expect(reply.body.contains("<presentationURL>http://[::1]:\(host.port)/</presentationURL>"))
    }
  }
}
