import HTTP
import Logging
import NIOCore
import Network
import SCPD
import UPnP

@testable import ControlPoint

/// A service with nothing in it.
struct QuietService: ServiceProvider {
  let identity = ServiceIdentity(
    domain: "schemas-upnp-org", idDomain: "upnp-org", name: "ContentDirectory", version: 1)
  let description = ServiceDescription(
    actions: [], variables: [StateVariable(name: "SystemUpdateID", type: .ui4, sendsEvents: true)])
  let scpd = (head: #"<scpd xmlns="urn:schemas-upnp-org:service-1-0""#, tail: "></scpd>")
  let eventing = EventStyle.properties
  let moderation = Duration.milliseconds(200)

  func perform(_ call: inout ActionCall) throws(UPnPError) { throw .invalidAction }
  func eventedValues() -> [EventedValue] { [.init(name: "SystemUpdateID", value: "0")] }
}

enum Finding {
  static func device(_ udn: String, name: String = "A", type: String = "MediaServer") -> RootDevice {
    RootDevice(
      Device(
        type: type, version: 1, udn: udn, friendlyName: name, manufacturer: "M", modelName: "N",
        services: [QuietService()]))
  }

  /// A server of devices on a loop; it isn't started.
  static func server(
    _ devices: [RootDevice], on loop: any EventLoop, interfaces: [String] = [], port: Int = 0,
    bootID: Int = 1
  ) -> DeviceServer {
    var configuration = DeviceServerConfiguration()
    configuration.host.port = port
    configuration.interfaces = interfaces
    return DeviceServer(
      eventLoop: loop, configuration: configuration, devices: devices, bootID: bootID,
      loggers: DeviceServerLoggers(Logger(label: "device")))
  }

  static func controlPoint(
    on loop: any EventLoop, interfaces: [String] = [], mx: Int = 1, maximum: Int = 64,
    ages: ClosedRange<Int> = 60...1800
  ) -> ControlPoint {
    var configuration = ControlPointConfiguration()
    configuration.interfaces = interfaces
    configuration.mx = mx
    configuration.maximumDevices = maximum
    configuration.ages = ages
    return ControlPoint(eventLoop: loop, configuration: configuration, logger: Logger(label: "control point"))
  }
}

extension AsyncStream<DeviceChange> {
  /// The next change that `isWanted`; nil at the end, or after a minute, which ends the stream.
  func next(where isWanted: @escaping @Sendable (DeviceChange) -> Bool = { _ in true }) async -> DeviceChange?
  {
    let reading = Task { () -> DeviceChange? in
      for await change in self where isWanted(change) { return change }
      return nil
    }
    let deadline = Task {
      try await Task.sleep(for: .seconds(60))
      reading.cancel()
    }
    defer { deadline.cancel() }
    return await reading.value
  }
}
