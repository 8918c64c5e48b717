import ControlPoint
import Network
import UPnP

/// What people tell devices apart by.
struct DeviceFacts: Sendable, Hashable {
  enum Kind: String, Sendable, Hashable {
    case renderer, server, other
  }

  var udn: String
  var name: String
  var kind: Kind
  /// True if it speaks OpenHome.
  var isOpenHome = false
  /// True if it has an AVTransport.
  var isAV = false
  /// Where it is: an address, and the port of its description.
  var address: IPAddress
  var port: Int
  /// All its addresses.
  var addresses: [IPAddress]
  /// The URL of its description.
  var url: String
  var model = ""

  /// For a list to choose from.
  var line: String { "\(name)  \(address)  \(udn)" }
}

extension DeviceFacts {
  init(_ device: FoundDevice) {
    udn = device.udn
    name = device.friendlyName
    isOpenHome = DeviceKind.openHomeProduct.matches(device)
    isAV = device.service(RendererService.avTransport.rawValue) != nil
    if isOpenHome || DeviceKind.mediaRenderer.matches(device) {
      kind = .renderer
    } else {
      kind = DeviceKind.mediaServer.matches(device) ? .server : .other
    }
    let location = device.locations.first { !$0.address.address.isIPv6 } ?? device.locations.first
    address = location?.address.address ?? .v4(0)
    port = location?.address.port ?? 0
    addresses = device.locations.map(\.address.address)
    url = location?.url ?? ""
    model = [device.manufacturer, device.modelName].filter { !$0.isEmpty }.joined(separator: " ")
  }
}
