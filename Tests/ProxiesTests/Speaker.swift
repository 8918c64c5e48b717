import ControlPoint
import HTTP
import Logging
import NIOPosix
import Player
import Services
import UPnP

/// A player without sound behind our services.
struct Speaker {
  let services: [any ServiceProvider]

  init() {
    let player = PlayerCore(
      executor: InlineExecutor(), configuration: PlayerConfiguration(), output: Silence(),
      clock: { PlayerInstant(nanoseconds: 0) }, edge: { _, _ in })
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let configuration = OpenHomeConfiguration(
      room: "Kitchen", productName: "Vireo", manufacturer: .init(name: "M"), model: .init(name: "M"))
    services =
      [
        AVTransport(player: player, logger: logger), RenderingControl(player: player),
        ConnectionManager(player: player),
      ]
      + OpenHomeDevice.services(
        player: player, settings: OpenHomeSettings(configuration) { "http://192.0.2.7:49494" }, logger: logger
      )
  }

  /// The service of a file in ServiceXML: `Volume4`.
  func service(_ name: String) -> (any ServiceProvider)? {
    services.first { "\($0.identity.name)\($0.identity.version)" == name }
  }

  private struct Silence: AudioOutput {
    func submit(_ request: OutputRequest) {}
  }

  /// Everything happens where it is called; nothing is called in two places.
  private final class InlineExecutor: SerialExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
      UnownedJob(job).runSynchronously(on: asUnownedSerialExecutor())
    }
    func checkIsolated() {}
  }
}

/// Serves `services` on 127.0.0.1 for the time of a test, and gives the way to each.
func withDevice(
  of services: [any ServiceProvider],
  _ body: (_ remote: (any ServiceProvider) -> RemoteService) async throws -> Void
) async throws {
  let udn = "4c414d50-0000-4000-8000-000000000001"
  let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
  var configuration = HostConfiguration()
  configuration.port = 0
  configuration.ipv6 = false
  let device = Device(
    type: "MediaRenderer", version: 1, udn: udn, friendlyName: "x", manufacturer: "x", modelName: "x",
    services: services)
  let host = DeviceHost(
    eventLoop: group.next(), configuration: configuration, devices: [RootDevice(device)],
    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  let port = try await host.start().port
  let exchange = HTTPExchange(eventLoop: group.next(), userAgent: "Linux UPnP/1.1 test/1")
  func address(_ target: String) -> ServiceAddress {
    ServiceAddress(address: .v4(0x7f00_0001), port: port, target: target)
  }
  let result: Result<Void, any Error>
  do {
    try await body { service in
      let path = "/\(udn)/\(service.identity.name)"
      return RemoteService(
        ServiceLocation(
          udn: udn, type: service.identity.type, id: service.identity.id, control: address("\(path)/control"),
          description: address("\(path)/scpd.xml")), through: exchange)
    }
    result = .success(())
  } catch { result = .failure(error) }
  await exchange.closeKept()
  await host.shutdown()
  try await group.shutdownGracefully()
  try result.get()
}
