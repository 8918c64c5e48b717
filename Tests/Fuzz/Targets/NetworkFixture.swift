import NIOCore
import Network

@testable import UPnP

/// A host with a few addresses and one device, as the targets see it.
enum NetworkFixture {
  static let interfaces = [
    NetworkInterface(
      index: 2, name: "eth0",
      addresses: [
        InterfaceAddress(address: .v4(0xc000_0207), prefixLength: 24),
        InterfaceAddress(address: .v6(0xfe80_0000_0000_0000, 7), prefixLength: 64),
      ], isRunning: true, isLoopback: false)
  ]

  static let policy: AccessPolicy = {
    var policy = AccessPolicy(allow: [IPNetwork(.v4(0x0a00_0000), prefixLength: 8)], names: ["kitchen"])
    policy.interfaces = interfaces
    return policy
  }()

  static let advertisements = AdvertisementSet([
    AdvertisedDevice(
      udn: "11111111-2222-3333-4444-555555555555", domain: "schemas-upnp-org", type: "MediaRenderer",
      version: 1,
      services: ["AVTransport", "RenderingControl", "ConnectionManager"].map {
        ServiceIdentity(domain: "schemas-upnp-org", idDomain: "upnp-org", name: $0, version: 1)
      }, descriptionPath: "/description.xml"),
    AdvertisedDevice(
      udn: "66666666-2222-3333-4444-555555555555", domain: "av-openhome-org", type: "Source", version: 3,
      services: [
        ServiceIdentity(domain: "av-openhome-org", idDomain: "av-openhome-org", name: "Volume", version: 4)
      ],
      descriptionPath: "/source.xml"),
  ])
}
