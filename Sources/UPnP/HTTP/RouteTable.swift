import NIOCore
import Network

/// What a path serves.
enum Route: Sendable {
  case description(device: Int)
  case document(StaticDocument)
  case control(HostedService)
  case event(HostedService)
  case page(@Sendable () -> HTTPPage)

  /// The supported methods. M-POST isn't: control points send it only after a POST was answered with 405.
  var methods: [String] {
    switch self {
    case .description, .document, .page: ["GET", "HEAD"]
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
  /// Identifies this combination of descriptions and SCPDs, 0…16777215.
  let configID: Int
  let services: [ServiceKey: HostedService]
  private let routes: [String: Route]
  /// Cached descriptions by device, and by the address and port that they were requested at.
  private var descriptions: [Origin: StaticDocument] = [:]

  private struct Origin: Hashable {
    var device: Int
    var address: IPAddress
    var port: Int
  }

  init(devices: [RootDevice], pages: [String: @Sendable () -> HTTPPage]) {
    self.devices = devices
    let configID = Self.configID(of: devices)
    self.configID = configID
    var services: [ServiceKey: HostedService] = [:]
    var routes: [String: Route] = pages.mapValues { .page($0) }
    for (index, device) in devices.enumerated() {
      routes[device.descriptionPath] = .description(device: index)
      for icon in device.icons {
        routes[device.path(of: icon)] = .document(
          StaticDocument(contentType: icon.mimeType, body: ByteBuffer(bytes: icon.bytes)))
      }
      for provider in device.services {
        let service = HostedService(provider, of: device)
        services[service.key] = service
        routes[device.path(of: provider, "scpd.xml")] = .document(
          StaticDocument(
            contentType: HTTPResponse.xmlType,
            body: ByteBuffer(string: "\(provider.scpd.head) configId=\"\(configID)\"\(provider.scpd.tail)")))
        routes[device.path(of: provider, "control")] = .control(service)
        routes[device.path(of: provider, "event")] = .event(service)
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
        devices[index], configID: configID, base: "http://\(address.urlHost):\(port)"))
    if descriptions.count >= Self.cachedDescriptions { descriptions.removeAll() }
    descriptions[origin] = document
    return document
  }

  /// Clears the cache, since addresses may be gone.
  mutating func forgetAddresses() { descriptions.removeAll() }

  private static func configID(of devices: [RootDevice]) -> Int {
    var fingerprint = Fingerprint([])
    for device in devices {
      fingerprint.add(DeviceDescriptionXML.document(device, configID: nil, base: "").readableBytesView)
      for service in device.services {
        fingerprint.add(service.scpd.head.utf8)
        fingerprint.add(service.scpd.tail.utf8)
      }
    }
    return Int((fingerprint.value ^ fingerprint.value >> 24 ^ fingerprint.value >> 48) & 0xff_ffff)
  }
}
