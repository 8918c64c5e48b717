import NIOCore
import Network
import UPnP
import XML

extension FoundDevice {
  /// Makes the device `description` of a document that was read from `location`.
  ///
  /// Addresses that lead anywhere but to the link of the location (without `interface`: to its host) are left out, with the
  /// services that have no other.
  init(
    _ description: DeviceDescription, of root: RootDescription, at location: DeviceLocation,
    on interface: NetworkInterface?, lastSeen: NIODeadline
  ) {
    let isOfLoopback = location.address.address.isLoopback
    func absolute(_ url: String) -> String? { root.resolved(url, location: location.url) }
    func usable(_ url: String) -> ServiceAddress? {
      guard let interface else { return ServiceAddress(url: url, atHostOf: location.address) }
      return ServiceAddress(url: url, on: interface, isOfLoopback: isOfLoopback)
    }
    // A URLBase that leads elsewhere is wrong.
    func address(_ url: String) -> ServiceAddress? {
      absolute(url).flatMap(usable) ?? URIReference.resolved(url, against: location.url).flatMap(usable)
    }
    udn = description.udn
    type = description.deviceType
    friendlyName = description.friendlyName
    manufacturer = description.manufacturer
    modelName = description.modelName
    modelNumber = description.modelNumber
    serialNumber = description.serialNumber
    server = ""
    presentationURL = description.presentationURL.flatMap(absolute)
    icons = description.icons.compactMap { icon in
      address(icon.url).map {
        Icon(mimeType: icon.mimeType, width: icon.width, height: icon.height, address: $0)
      }
    }
    services = description.services.compactMap { service in
      guard let control = address(service.controlURL) else { return nil }
      return ServiceLocation(
        udn: description.udn, type: service.type, id: service.id, control: control,
        events: service.eventURL.flatMap(address), description: service.scpdURL.flatMap(address))
    }
    locations = [location]
    self.lastSeen = lastSeen
  }
}

extension RootDescription {
  /// The device with this UDN: the root device or an embedded one.
  func device(udn: String) -> DeviceDescription? {
    var devices = [device]
    while let device = devices.popLast() {
      if device.udn.lowercased() == udn.lowercased() { return device }
      devices += device.devices
    }
    return nil
  }
}
