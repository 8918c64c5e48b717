import Logging
import NIOPosix
import SCPD
import Synchronization
import UPnP

/// A lamp that control points find, switch and watch.
final class Lamp: ServiceProvider {
  private let isOn = Mutex(false)
  private let server = Mutex<DeviceServer?>(nil)
  let identity = ServiceIdentity(
    domain: "schemas-upnp-org", idDomain: "upnp-org", name: "SwitchPower", version: 1)
  let description = ServiceDescription(
    actions: [.init(name: "SetTarget", inputs: [.init(name: "newTargetValue", variable: 0)], outputs: [])],
    variables: [
      StateVariable(name: "Target", type: .boolean, sendsEvents: false),
      StateVariable(name: "Status", type: .boolean, sendsEvents: true),
    ])
  let scpd = (
    head: #"<scpd xmlns="urn:schemas-upnp-org:service-1-0""#, tail: "><!-- the same as XML --></scpd>"
  )
  let eventing = EventStyle.properties
  let moderation = Duration.milliseconds(200)

  func perform(_ call: inout ActionCall) throws(UPnPError) {
    let target: Bool = try call.input(0)
    isOn.withLock { $0 = target }
    server.withLock { $0 }?.stateChanged()
  }

  func eventedValues() -> [EventedValue] { [.init(name: "Status", value: isOn.withLock { $0 } ? "1" : "0")] }

  func start(_ configuration: DeviceServerConfiguration, bootID: Int) async throws -> DeviceServer {
    let device = Device(
      type: "BinaryLight", version: 1, udn: "4c414d50-0000-4000-8000-000000000001", friendlyName: "Lamp",
      manufacturer: "Somebody", modelName: "Lamp", services: [self])
    let server = DeviceServer(
      eventLoop: MultiThreadedEventLoopGroup.singleton.next(), configuration: configuration,
      devices: [RootDevice(device)], bootID: bootID, loggers: DeviceServerLoggers(Logger(label: "lamp")))
    self.server.withLock { $0 = server }
    try await server.start()
    return server
  }
}
