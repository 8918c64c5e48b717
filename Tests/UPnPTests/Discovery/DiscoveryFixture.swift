import NIOCore
import Network

@testable import UPnP

enum DiscoveryFixture {
  static let renderer = device(
    "X-MediaRenderer", domain: "schemas-upnp-org", type: "MediaRenderer",
    services: ["AVTransport", "RenderingControl", "ConnectionManager"].map { FakeService(name: $0) })

  static let source = device(
    "X", domain: "av-openhome-org", type: "Source",
    services: [("Product", 4), ("Volume", 4), ("Playlist", 1)].map {
      FakeService(name: $0.0, version: $0.1, domain: "av-openhome-org", idDomain: "av-openhome-org")
    })

  private static func device(
    _ udn: String, domain: String, type: String, services: [any ServiceProvider]
  ) -> RootDevice {
    RootDevice(
      Device(
        domain: domain, type: type, version: 1, udn: udn, friendlyName: "", manufacturer: "", modelName: "",
        services: services))
  }

  static func served(_ device: RootDevice, port: Int = 49494, configID: Int = 1) -> ServedDevice {
    ServedDevice(device: device, port: port, serverToken: "Linux/6.1 UPnP/1.1 Vireo/1.0", configID: configID)
  }

  static let eth0 = SSDPEndpoint(interfaceIndex: 2, address: .v4(0xc0a8_0114), group: .ipv4)
  static let eth0IPv6 = SSDPEndpoint(
    interfaceIndex: 2, address: .v6(0xfe80_0000_0000_0000, 2), group: .ipv6LinkLocal)
  static let wlan0 = SSDPEndpoint(interfaceIndex: 3, address: .v4(0x0a00_0001), group: .ipv4)

  /// What `eth0`, `eth0IPv6` and `wlan0` are endpoints of.
  static let interfaces = [
    NetworkInterface(
      index: 2, name: "eth0",
      addresses: [
        InterfaceAddress(address: eth0.address, prefixLength: 24),
        InterfaceAddress(address: eth0IPv6.address, prefixLength: 64),
      ], isRunning: true, isLoopback: false),
    NetworkInterface(
      index: 3, name: "wlan0", addresses: [InterfaceAddress(address: wlan0.address, prefixLength: 8)],
      isRunning: true, isLoopback: false),
  ]

  static func time(milliseconds: Int) -> NIODeadline {
    .uptimeNanoseconds(0) + .milliseconds(Int64(milliseconds))
  }
}

extension AdvertisementSet {
  init(_ devices: [RootDevice], configID: Int = 1) {
    self.init(devices.map { DiscoveryFixture.served($0, configID: configID) }, maxAge: 1800)
  }
}

extension SSDPMessage {
  var configID: Int { advertisement.constants.configID }
}
