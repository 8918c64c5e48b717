import HTTP

@testable import UPnP

/// A device of a vendor who does everything in a way of its own: port, paths, SERVER, further fields, SIDs, and two embedded
/// devices.
struct Speaker {
  static let serverToken = "Linux UPnP/1.0 Speaker/85.0-64200 (ZPS18)"
  static let household = HTTPField("HOUSEHOLD.SMARTSPEAKER.AUDIO", "Speaker_abcdefghijklmnopqrstuvwxyz")

  let udn: String
  let zone = FakeService(name: "DeviceProperties")
  let content = FakeService(name: "ContentDirectory", eventing: .properties)
  let control = FakeService()

  init(udn: String = "RINCON_0123456789AB01400") { self.udn = udn }

  /// - Parameter port: nil for the server's.
  func root(port: Int? = 1400) -> RootDevice {
    var device = Device(
      type: "ZonePlayer", version: 1, udn: udn, friendlyName: "Kitchen & more", manufacturer: "Vendor",
      modelName: "S18", icons: [icon], services: [zone],
      devices: [
        embedded("MediaServer", "_MS", [content, FakeService(name: "ConnectionManager")]),
        embedded("MediaRenderer", "_MR", [control, FakeService(name: "ConnectionManager")]),
      ])
    device.servicePaths = ServicePaths(scpd: "/xml/*1.xml", control: "/*/Control", event: "/*/Event")
    var root = RootDevice(device)
    root.descriptionPath = "/xml/device_description.xml"
    root.port = port
    root.serverToken = Self.serverToken
    root.httpFields = [HTTPField("X-SPEAKER-MODEL", "S18")]
    root.ssdpFields = [Self.household, HTTPField("X-RINCON-BOOTSEQ", "3")]
    root.sidFormat = .numbered(prefix: "uuid:\(udn)_sub")
    return root
  }

  private var icon: DeviceIcon {
    DeviceIcon(mimeType: "image/png", width: 48, height: 48, depth: 24, bytes: [1], path: "/img/icon-S18.png")
  }

  private func embedded(_ type: String, _ suffix: String, _ services: [any ServiceProvider]) -> Device {
    var device = Device(
      type: type, version: 1, udn: udn + suffix, friendlyName: "Kitchen - \(type)", manufacturer: "Vendor",
      modelName: "S18", services: services)
    device.servicePaths = ServicePaths(
      scpd: "/xml/*1.xml", control: "/\(type)/*/Control", event: "/\(type)/*/Event")
    return device
  }
}
