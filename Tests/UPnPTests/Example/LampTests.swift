import Foundation
import NIOPosix
import Testing

@testable import UPnP

/// The example in `Sources/README.md`: a device in a few lines, on loopback.
@Suite struct LampTests {
  @Test func theREADMEShowsThisFile() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "Lamp.swift")
    let tests = file.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let readme = tests.deletingLastPathComponent().appendingPathComponent("Sources/README.md")
    let example = try String(contentsOf: file, encoding: .utf8)
    #expect(example.split(separator: "\n", omittingEmptySubsequences: false).count <= 50)
    #expect(try String(contentsOf: readme, encoding: .utf8).contains("\n```swift\n\(example)```\n"))
  }

  @Test(.timeLimit(.minutes(1))) func itIsFoundAndSwitched() async throws {
    let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
    let controlPoint = try await LoopbackControlPoint(eventLoop: eventLoop)
    let lamp = Lamp()
    var configuration = DeviceServerConfiguration()
    configuration.host.port = 0
    configuration.host.ipv6 = false
    configuration.interfaces = ["lo"]
    let server = try await lamp.start(configuration, bootID: 7)
    let udn = "4c414d50-0000-4000-8000-000000000001"
    let alive = try #require(
      await controlPoint.next { $0["USN"]?.contains(udn) == true && $0["NTS"] == "ssdp:alive" })
    #expect(alive["BOOTID.UPNP.ORG"] == "7")
    let location = try #require(alive["LOCATION"].flatMap { URL(string: $0) })
    let socket = try RawSocket(port: try #require(location.port))
    socket.send("GET \(location.path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(socket.message()?.body.contains("<friendlyName>Lamp</friendlyName>") == true)
    #expect(lamp.eventedValues().first?.value == "0")
    socket.send(Self.setTarget(udn))
    #expect(socket.message()?.status == 200)
    #expect(lamp.eventedValues().first?.value == "1")
    await server.stop()
    let goodbye = await controlPoint.next { $0["USN"]?.contains(udn) == true && $0["NTS"] == "ssdp:byebye" }
    #expect(goodbye != nil)
    try await controlPoint.close()
  }

  private static func setTarget(_ udn: String) -> String {
    let type = "urn:schemas-upnp-org:service:SwitchPower:1"
    let body = """
      <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><u:SetTarget xmlns:u="\(type)">\
      <newTargetValue>1</newTargetValue></u:SetTarget></s:Body></s:Envelope>
      """
    return
      "POST /\(udn)/SwitchPower/control HTTP/1.1\r\nHost: localhost\r\nSOAPACTION: \"\(type)#SetTarget\"\r\n"
      + "Content-Type: text/xml\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }
}
