import HTTP
import NIOCore
import Network

/// What a path serves.
enum Route: Sendable {
  case description(device: Int)
  case document(StaticDocument)
  case control(HostedService)
  case event(HostedService)

  /// The supported methods. M-POST isn't: control points send it only after a POST was answered with 405.
  var methods: [String] {
    switch self {
    case .description, .document: ["GET", "HEAD"]
    case .control: ["POST"]
    case .event: ["SUBSCRIBE", "UNSUBSCRIBE"]
    }
  }
}

/// The routes for a set of devices.
struct RouteTable: Sendable {
  /// The size of the cache, more than a host has addresses; when it is reached, the cache is cleared.
  private static let cachedDescriptions = 64

  let devices: [RootDevice]
  /// CONFIGID.UPNP.ORG of each root device.
  let configIDs: [Int]
  let services: [ServiceKey: HostedService]
  private let routes: [String: Route]
  /// Cached descriptions by device, and by the address and port that they were requested at.
  private var descriptions: [Origin: StaticDocument] = [:]

  private struct Origin: Hashable {
    var device: Int
    var address: IPAddress
    var port: Int
  }

  init(devices: [RootDevice]) {
    self.devices = devices
    configIDs = devices.map(\.configID)
    var services: [ServiceKey: HostedService] = [:]
    var routes: [String: Route] = [:]
    for (index, root) in devices.enumerated() {
      routes[root.descriptionPath] = .description(device: index)
      let configID = " configId=\"\(configIDs[index])\""
      for device in root.device.all {
        for icon in device.icons {
          routes[device.path(of: icon)] = .document(
            StaticDocument(contentType: icon.mimeType, body: ByteBuffer(bytes: icon.bytes)))
        }
        for provider in device.services {
          let service = HostedService(provider, of: device, sidFormat: root.sidFormat, habits: root.habits)
          let paths = device.paths(of: provider)
          services[service.key] = service
          routes[paths.scpd] = .document(
            StaticDocument(
              contentType: HTTPResponse.xmlType,
              body: ByteBuffer(string: "\(provider.scpd.head)\(configID)\(provider.scpd.tail)")))
          routes[paths.control] = .control(service)
          routes[paths.event] = .event(service)
        }
      }
    }
    self.services = services
    self.routes = routes
  }

  /// The event settings of each service.
  var eventing: [ServiceKey: ServiceEventing] {
    services.mapValues { ServiceEventing($0.provider) }
  }

  subscript(path: String) -> Route? { routes[path] }

  /// Returns the description of the device at `index`, as served at `address` and `port`.
  mutating func description(of index: Int, address: IPAddress, port: Int) -> StaticDocument {
    let origin = Origin(device: index, address: address, port: port)
    if let document = descriptions[origin] { return document }
    let document = StaticDocument(
      contentType: HTTPResponse.xmlType,
      body: DeviceDescriptionXML.document(
        devices[index].device, configID: configIDs[index], base: "http://\(address.urlHost):\(port)"))
    if descriptions.count >= Self.cachedDescriptions { descriptions.removeAll() }
    descriptions[origin] = document
    return document
  }

  /// Clears the cache, since addresses may be gone.
  mutating func forgetAddresses() { descriptions.removeAll() }
}
