import NIOCore
import Network
import SCPD

@testable import HTTP
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

  static let advertisements = AdvertisementSet(
    devices.map {
      ServedDevice(device: $0, port: 80, serverToken: "a/1 UPnP/1.1 b/1", configID: 1)
    }, maxAge: 1800)

  private static let devices = [
    device(
      "11111111-2222-3333-4444-555555555555", domain: "schemas-upnp-org", type: "MediaRenderer", version: 1,
      services: ["AVTransport", "RenderingControl", "ConnectionManager"].map {
        ServiceIdentity(domain: "schemas-upnp-org", idDomain: "upnp-org", name: $0, version: 1)
      }),
    device(
      "66666666-2222-3333-4444-555555555555", domain: "av-openhome-org", type: "Source", version: 3,
      services: [
        ServiceIdentity(domain: "av-openhome-org", idDomain: "av-openhome-org", name: "Volume", version: 4)
      ]),
  ]

  private static func device(
    _ udn: String, domain: String, type: String, version: Int, services: [ServiceIdentity]
  ) -> RootDevice {
    RootDevice(
      Device(
        domain: domain, type: type, version: version, udn: udn, friendlyName: "", manufacturer: "",
        modelName: "", services: services.map(NamedService.init)))
  }
}

/// A service that has nothing but its name.
private struct NamedService: ServiceProvider {
  let identity: ServiceIdentity
  let description = ServiceDescription(actions: [], variables: [])
  let scpd = (head: "", tail: "")
  let eventing = EventStyle.properties
  let moderation = Duration.zero

  func perform(_ call: inout ActionCall) throws(UPnPError) { throw .invalidAction }
  func eventedValues() -> [EventedValue] { [] }
}
