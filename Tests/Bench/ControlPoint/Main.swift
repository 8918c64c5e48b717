import ControlPoint
import Glibc
import HTTP
import Logging
import NIOCore
import NIOPosix
import Network
import Proxies
import SCPD
import UPnP

/// What `Tests/Bench/control-point` runs: `find COUNT`, `browse URL CONTAINER PAGE pages|whole`, `call COUNT URL` or `serve`.
/// Prints one line of JSON.
@main struct Main {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
    switch arguments.first {
    case "find": try await find(count: Int(arguments.dropFirst().first ?? "") ?? 1)
    case "browse":
      let rest = Array(arguments.dropFirst())
      try await browse(rest[0], container: rest[1], page: Int(rest[2]) ?? 200, isKept: rest[3] == "whole")
    case "call":
      let rest = Array(arguments.dropFirst())
      try await call(count: Int(rest[0]) ?? 1, url: rest[1])
    default: try await serve()
    }
    exit(0)
  }

  private static func configuration() -> ControlPointConfiguration {
    var configuration = ControlPointConfiguration()
    configuration.interfaces = ["lo"]
    configuration.maximumDevices = 1000
    configuration.mx = 1
    return configuration
  }

  /// Time to the first and to the last of `count` devices, CPU time and memory.
  private static func find(count: Int) async throws {
    let clock = ContinuousClock()
    let before = Usage.now()
    let start = clock.now
    let controlPoint = ControlPoint(configuration: configuration())
    var found: Set<String> = []
    var first: Duration?
    for await change in await controlPoint.devices([.mediaServer]) {
      guard case .appeared(let device) = change else { continue }
      first = first ?? clock.now - start
      found.insert(device.udn)
      if found.count == count { break }
    }
    let all = clock.now - start
    report(before, first: first, all: all, count: found.count)
  }

  /// Time to the first page and to the last of a container, CPU time and memory.
  ///
  /// - Parameter isKept: whether all objects are held at the end, or one page at a time.
  private static func browse(_ url: String, container: String, page: Int, isKept: Bool) async throws {
    let controlPoint = ControlPoint(configuration: configuration())
    guard let device = try await controlPoint.devices(at: url).first,
      let library = MediaLibrary(device, through: controlPoint)
    else { throw ActionFailure.unreachable }
    var limits = ListingLimits()
    limits.page = page
    let clock = ContinuousClock()
    let before = Usage.now()
    let start = clock.now
    var first: Duration?
    var count = 0
    var kept: [MediaObject] = []
    var pages = library.pages(of: container, limits: limits).makeAsyncIterator()
    while let page = try await pages.next() {
      first = first ?? clock.now - start
      count += page.count
      if isKept { kept += page }
    }
    report(before, first: first, all: clock.now - start, count: count)
    withExtendedLifetime(kept) {}
  }

  private static func report(_ before: Usage, first: Duration?, all: Duration, count: Int) {
    let after = Usage.now()
    print(
      """
      {"first": \(first?.milliseconds ?? 0), "all": \(all.milliseconds), "cpu": \(after.cpu - before.cpu), \
      "count": \(count), "peak": \(after.peakKiB), "dirty": \(after.dirtyKiB), \
      "grown": \(after.dirtyKiB - before.dirtyKiB)}
      """)
  }

  /// The time of a typed call, and of the same exchange on a plain socket.
  private static func call(count: Int, url: String) async throws {
    let controlPoint = ControlPoint(configuration: configuration())
    guard let device = try await controlPoint.devices(at: url).first,
      let volume = RenderingControl1.Proxy(device, through: controlPoint),
      let plain = PlainExchange(volume.service.location)
    else { throw ActionFailure.unreachable }
    let clock = ContinuousClock()
    var (typed, bare): ([Double], [Double]) = ([], [])
    for round in 0..<(count + 50) {
      let start = clock.now
      _ = try await volume.getVolume()
      let middle = clock.now
      guard plain.exchange() else { throw ActionFailure.malformed }
      guard round >= 50 else { continue }
      typed.append((middle - start).milliseconds)
      bare.append((clock.now - middle).milliseconds)
    }
    typed.sort()
    bare.sort()
    print(
      """
      {"typed": \(typed[count / 2]), "typed99": \(typed[count * 99 / 100]), \
      "bare": \(bare[count / 2]), "bare99": \(bare[count * 99 / 100])}
      """)
  }

  /// A renderer with one service, until the input ends.
  private static func serve() async throws {
    var settings = HostConfiguration()
    settings.port = 0
    settings.ipv6 = false
    let device = Device(
      type: "MediaRenderer", version: 1, udn: "bench", friendlyName: "bench", manufacturer: "M",
      modelName: "M", services: [Level()])
    let host = DeviceHost(
      eventLoop: MultiThreadedEventLoopGroup.singleton.next(), configuration: settings,
      devices: [RootDevice(device)], logger: Logger(label: "bench"))
    let url = "http://127.0.0.1:\(try await host.start().port)/bench/device.xml"
    print(url)
    fflush(nil)
    while readLine() != nil {}
  }
}

/// RenderingControl with one action.
private struct Level: ServiceProvider {
  let identity = RenderingControl1.Proxy.identity
  let description = ServiceDescription(
    actions: [
      .init(
        name: "GetVolume",
        inputs: [.init(name: "InstanceID", variable: 0), .init(name: "Channel", variable: 1)],
        outputs: [.init(name: "CurrentVolume", variable: 2)])
    ],
    variables: [
      StateVariable(name: "A_ARG_TYPE_InstanceID", type: .ui4, sendsEvents: false),
      StateVariable(name: "A_ARG_TYPE_Channel", type: .string, sendsEvents: false),
      StateVariable(name: "Volume", type: .ui2, sendsEvents: false),
    ])
  let scpd = (head: #"<scpd xmlns="urn:schemas-upnp-org:service-1-0""#, tail: "></scpd>")
  let eventing = EventStyle.properties

  func perform(_ call: inout ActionCall) throws(UPnPError) { call.output("20") }
  func eventedValues() -> [EventedValue] { [] }
}
