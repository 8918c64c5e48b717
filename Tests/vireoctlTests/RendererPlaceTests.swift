import ControlPoint
import DIDLLite
import Network
import Renderers
import Testing

@testable import vireoctl

@Suite struct RendererPlaceTests {
  private static func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

  private static func interface(_ index: Int, _ name: String, _ address: String, _ length: Int) throws
    -> NetworkInterface
  {
    NetworkInterface(
      index: index, name: name,
      addresses: [
        InterfaceAddress(address: try Self.address(address), prefixLength: length),
        InterfaceAddress(address: try Self.address("fe80::\(index)"), prefixLength: 64),
      ], isRunning: true, isLoopback: name == "lo")
  }

  /// The address that a renderer is given, of those that a server offers.
  private func chosen(
    _ offered: [String], renderer: String, link: Int, server: [String]
  ) throws -> String? {
    let interfaces = [
      try Self.interface(1, "lo", "127.0.0.1", 8), try Self.interface(2, "eth0", "192.168.1.2", 24),
      try Self.interface(3, "docker0", "172.17.0.1", 16),
    ]
    let own = Set(interfaces.flatMap(\.addresses).map(\.address))
    let place = RendererPlace(
      [try Self.address(renderer)], links: [link], interfaces: interfaces, own: own)
    var object = MediaObject(
      id: "1", isContainer: false, title: "", mediaClass: MediaClass("object.item.audioItem"))
    object.resources = offered.map { MediaResource(address: "http://\($0)/a.flac", protocolInfo: nil) }
    let reach = place.reach(SinkFormats(""), of: Set(try server.map(Self.address)))
    return try? object.resource(for: reach).address.split(separator: "/")[1].description
  }

  @Test func theAddressOnTheRenderersLinkIsChosen() throws {
    let offered = ["172.17.0.1", "10.0.0.9", "192.168.1.9"]
    #expect(try chosen(offered, renderer: "192.168.1.7", link: 2, server: ["192.168.1.9"]) == "192.168.1.9")
    // This machine's renderer, by its address in the network or by the loopback.
    #expect(try chosen(offered, renderer: "192.168.1.2", link: 2, server: ["192.168.1.9"]) == "192.168.1.9")
    #expect(try chosen(offered, renderer: "127.0.0.1", link: 1, server: ["192.168.1.9"]) == "192.168.1.9")
    // Behind a router, where the server was found is the best guess.
    #expect(try chosen(offered, renderer: "203.0.113.7", link: 0, server: ["10.0.0.9"]) == "10.0.0.9")
  }

  @Test func loopbackIsForThisMachineAlone() throws {
    let local = ["127.0.0.1:8200"]
    // A file of this machine, or an address that the user named.
    #expect(try chosen(local, renderer: "127.0.0.1", link: 1, server: []) == "127.0.0.1:8200")
    #expect(try chosen(local, renderer: "192.168.1.2", link: 2, server: []) == "127.0.0.1:8200")
    #expect(try chosen(local, renderer: "192.168.1.7", link: 2, server: []) == nil)
    // A server's own, and another's.
    #expect(try chosen(local, renderer: "192.168.1.9", link: 2, server: ["192.168.1.9"]) == "127.0.0.1:8200")
    #expect(try chosen(local, renderer: "127.0.0.1", link: 1, server: ["192.168.1.2"]) == "127.0.0.1:8200")
    #expect(try chosen(local, renderer: "127.0.0.1", link: 1, server: ["192.168.1.9"]) == nil)
  }
}
