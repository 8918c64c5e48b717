import NIOCore
import Network

@testable import ControlPoint

/// Devices for tests.
enum Devices {
  static func device(
    _ udn: String, _ name: String, type: String = "MediaServer", services: [String],
    host: String = "192.0.2.7",
    port: Int = 8200
  ) -> FoundDevice {
    let address = ServiceAddress(address: IPAddress(host) ?? .v4(0), port: port, target: "/d.xml")
    let interface = NetworkInterface(
      index: 2, name: "eth0",
      addresses: [.init(address: IPAddress("192.0.2.1") ?? .v4(0), prefixLength: 24)], isRunning: true,
      isLoopback: false)
    let location = DeviceLocation(
      "http://\(host):\(port)/d.xml", sender: address.address, interface: interface)
    return FoundDevice(
      udn: udn, type: "urn:schemas-upnp-org:device:\(type):1", friendlyName: name, manufacturer: "Maker",
      modelName: "Model", modelNumber: "", serialNumber: "", server: "", base: "http://\(host):\(port)/d.xml",
      presentationURL: nil, icons: [],
      services: services.map { type in
        ServiceLocation(udn: udn, type: "\(type):1", id: type, control: address)
      }, locations: [location].compactMap(\.self), bootID: nil, configID: nil,
      lastSeen: .uptimeNanoseconds(0))
  }

  static func server(_ udn: String, _ name: String) -> FoundDevice {
    device(udn, name, services: ["urn:schemas-upnp-org:service:ContentDirectory"])
  }

  static func openHome(_ udn: String, _ name: String, host: String = "192.0.2.8") -> FoundDevice {
    device(
      udn, name, type: "Source",
      services: ["urn:av-openhome-org:service:Product", "urn:av-openhome-org:service:Playlist"], host: host,
      port: 49494)
  }

  static func av(_ udn: String, _ name: String, host: String = "192.0.2.8") -> FoundDevice {
    device(
      udn, name, type: "MediaRenderer",
      services: [
        "urn:schemas-upnp-org:service:AVTransport", "urn:schemas-upnp-org:service:RenderingControl",
      ], host: host, port: 49494)
  }
}
