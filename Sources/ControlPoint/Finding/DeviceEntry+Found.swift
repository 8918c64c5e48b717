import Network

extension DeviceEntry {
  /// What readers are to know; nil while a description is missing or out of date.
  func found(interfaces: [Int: NetworkInterface]) -> FoundDevice? {
    guard !isStale, let description, let current, let interface = interfaces[current.interface] else {
      return nil
    }
    var device = FoundDevice(
      description.device, of: description.root, at: current, on: interface, lastSeen: lastSeen)
    // Some devices write it in another case in their announcements.
    device.udn = udn
    for index in device.services.indices {
      device.services[index].udn = udn
      device.services[index].bootID = bootID
    }
    device.server = server
    device.locations += otherLinks
    device.bootID = bootID
    device.configID = configID
    return device
  }
}
