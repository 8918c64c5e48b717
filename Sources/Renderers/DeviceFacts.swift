import ControlPoint
import Network
import Text
import UPnP

/// What people tell devices apart by.
package struct DeviceFacts: Sendable, Hashable {
  package enum Kind: String, Sendable, Hashable {
    case renderer, server, other
  }

  package var udn: String
  package var name: String
  package var kind: Kind
  /// True if it speaks OpenHome.
  package var isOpenHome = false
  /// True if it has an AVTransport.
  package var isAV = false
  /// Where it is: an address, and the port of its description.
  package var address: IPAddress
  package var port: Int
  /// All its addresses.
  package var addresses: [IPAddress]
  /// The URL of its description.
  package var url: String
  package var model = ""
  /// The address of its page for people.
  package var page: String?

  package init(
    udn: String, name: String, kind: Kind, isOpenHome: Bool = false, isAV: Bool = false, address: IPAddress,
    port: Int, addresses: [IPAddress], url: String, model: String = ""
  ) {
    self.udn = udn
    self.name = name
    self.kind = kind
    self.isOpenHome = isOpenHome
    self.isAV = isAV
    self.address = address
    self.port = port
    self.addresses = addresses
    self.url = url
    self.model = model
  }

  /// For a list to choose from.
  package var line: String { "\(name)  \(address)  \(udn)" }
}

extension FoundDevice {
  /// The address of its page for people, if a browser can open it.
  package var page: String? {
    presentationURL.flatMap { address in
      ["http://", "https://"].contains { address.lowercased().hasPrefix($0) } ? address : nil
    }
  }
}

extension DeviceFacts {
  /// The longest name of a maker that stands in front of the model.
  private static let longestMaker = 24

  /// The model with its maker in front, unless one is named in the other, or the maker's name is a long one.
  package static func model(_ maker: String, _ model: String) -> String {
    guard !model.isEmpty, !maker.isEmpty else { return model.isEmpty ? maker : model }
    let (one, other) = (maker.lowercased(), model.lowercased())
    let isTold = one.includes(other) || other.includes(one) || maker.count > longestMaker
    return isTold ? model : "\(maker) \(model)"
  }

  package init(_ device: FoundDevice) {
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
    model = Self.model(device.manufacturer, device.modelName)
    page = device.page
  }
}
