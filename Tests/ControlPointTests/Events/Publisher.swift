import HTTP
import Logging
import NIOCore
import NIOPosix
import Network
import SCPD
import Synchronization
import UPnP

@testable import ControlPoint

/// A service with two variables.
final class PublishedService: ServiceProvider {
  private let values = Mutex(["Volume": "20", "Mute": "0"])
  let identity: ServiceIdentity
  let description = ServiceDescription(
    actions: [],
    variables: [
      StateVariable(name: "Volume", type: .ui2, sendsEvents: true),
      StateVariable(name: "Mute", type: .boolean, sendsEvents: true),
    ])
  let scpd = (head: "<scpd xmlns=\"urn:schemas-upnp-org:service-1-0\"", tail: "/>")
  let eventing: EventStyle

  init(_ name: String, _ eventing: EventStyle) {
    identity = ServiceIdentity(domain: "schemas-upnp-org", idDomain: "upnp-org", name: name, version: 1)
    self.eventing = eventing
  }

  func perform(_ call: inout ActionCall) throws(UPnPError) { throw .invalidAction }

  func set(_ name: String, _ value: String) { values.withLock { $0[name] = value } }

  func eventedValues() -> [EventedValue] {
    values.withLock { values in
      [
        EventedValue(
          name: "Volume", channel: eventing == .properties ? nil : "Master", value: values["Volume"] ?? ""),
        EventedValue(name: "Mute", value: values["Mute"] ?? ""),
      ]
    }
  }
}

/// Our own device server on loopback, and a control point's half beside it.
struct Publisher {
  static let udn = "4c414d50-0000-4000-8000-000000000002"
  let service: PublishedService
  let server: DeviceServer
  let port: Int
  let exchange: HTTPExchange
  let subscriptions: EventSubscriptions
  let receiver: HTTPServer
  let receiverPort: Int

  static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  var location: ServiceLocation {
    Self.location(port: port, target: "/\(Self.udn)/\(service.identity.name)/event")
  }

  static func location(port: Int, target: String?) -> ServiceLocation {
    let address = { ServiceAddress(address: .v4(0x7f00_0001), port: port, target: $0) }
    return ServiceLocation(
      udn: udn, type: "urn:schemas-upnp-org:service:RenderingControl:1",
      id: "urn:upnp-org:serviceId:RenderingControl", control: address("/control"), events: target.map(address)
    )
  }

  func set(_ name: String, _ value: String) {
    service.set(name, value)
    server.stateChanged()
  }

  static func serve(_ service: PublishedService, port: Int = 0) async throws -> (DeviceServer, port: Int) {
    var configuration = DeviceServerConfiguration()
    configuration.host.port = port
    configuration.host.ipv6 = false
    let device = Device(
      type: "MediaRenderer", version: 1, udn: udn, friendlyName: "Lamp", manufacturer: "Somebody",
      modelName: "Lamp", services: [service])
    let server = DeviceServer(
      eventLoop: MultiThreadedEventLoopGroup.singleton.next(), configuration: configuration,
      devices: [RootDevice(device)], bootID: 7, loggers: DeviceServerLoggers(quiet))
    return (server, try await server.listen().port)
  }

  static func with(
    _ eventing: EventStyle = .properties, limits: SubscriptionLimits = SubscriptionLimits(),
    _ body: (Publisher) async throws -> Void
  ) async throws {
    let service = PublishedService("RenderingControl", eventing)
    let (server, port) = try await serve(service)
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let exchange = HTTPExchange(eventLoop: loop, userAgent: "Linux UPnP/1.1 test/1")
    let subscriptions = EventSubscriptions(exchange: exchange, limits: limits, logger: quiet)
    var configuration = HTTPConfiguration()
    configuration.ipv6 = false
    configuration.limits.bodyBytes = 1024 * 1024
    configuration.limits.unfinishedBytes = 4 * 1024 * 1024
    let receiver = HTTPServer(eventLoop: loop, configuration: configuration, logger: quiet)
    let listening = try await receiver.start([subscriptions])
    await subscriptions.setListening(listening)
    let publisher = Publisher(
      service: service, server: server, port: port, exchange: exchange, subscriptions: subscriptions,
      receiver: receiver, receiverPort: listening.port)
    let result: Result<Void, any Error>
    do { result = .success(try await body(publisher)) } catch { result = .failure(error) }
    await subscriptions.stop()
    await receiver.shutdown()
    await server.stop()
    await exchange.closeKept()
    try result.get()
  }
}
