import Dispatch
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import HTTP
@testable import UPnP

/// A host that really listens on 127.0.0.1, for the time of a test.
struct RunningHost {
  let host: DeviceHost
  let port: Int
  let service: FakeService
  let path = Device.fakePath

  /// CONFIGID.UPNP.ORG of the device.
  var configID: Int { get async throws { try #require(await host.routes.configIDs.first) } }

  func connect(from source: String? = nil) throws -> RawSocket { try RawSocket(port: port, from: source) }

  /// Keeps the event loop from looking at anything until the result is signalled.
  func holdLoop() async -> DispatchSemaphore {
    let hold = DispatchSemaphore(value: 0)
    let loop = host.eventLoop
    await withCheckedContinuation { isHeld in
      loop.execute {
        isHeld.resume()
        hold.wait()
      }
    }
    return hold
  }

  /// Sends `text` on a fresh connection and returns the response.
  func exchange(_ text: String, hasBody: Bool = true) throws -> Message {
    let socket = try connect()
    socket.send(text)
    return try #require(socket.message(hasBody: hasBody))
  }

  func get(_ path: String, method: String = "GET", _ fields: String = "") throws -> Message {
    try exchange(
      "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(fields)\r\n", hasBody: method != "HEAD")
  }

  func soap(
    _ action: String, _ arguments: String, version: Int = 1, method: String = "POST", _ fields: String = ""
  )
    -> String
  {
    let type = "urn:schemas-upnp-org:service:\(service.identity.name):\(version)"
    let body = """
      <?xml version="1.0" encoding="utf-8"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" \
      s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><s:Body><u:\(action) xmlns:u="\(type)">\
      \(arguments)</u:\(action)></s:Body></s:Envelope>
      """
    return "\(method) \(path)/\(service.identity.name)/control HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
      + "Content-Type: text/xml; charset=\"utf-8\"\r\nContent-Length: \(body.utf8.count)\r\n"
      + "SOAPACTION: \"\(type)#\(action)\"\r\n\(fields)\r\n\(body)"
  }

  func subscribe(_ callback: String, timeout: String = "Second-300", _ fields: String = "") throws -> Message
  {
    try exchange(
      "SUBSCRIBE \(path)/\(service.identity.name)/event HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
        + "CALLBACK: \(callback)\r\nNT: upnp:event\r\nTIMEOUT: \(timeout)\r\n\(fields)\r\n")
  }

  func gena(_ method: String, _ fields: String) throws -> Message {
    try exchange(
      "\(method) \(path)/\(service.identity.name)/event HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(fields)\r\n")
  }

  /// Changes the volume as a provider would: first the state, then the host is told.
  func setVolume(_ volume: Int) async {
    service.setVolume(volume)
    await host.stateChanged()
  }
}

/// Looks again and again until `condition` holds; ends the test as failed when it doesn't within half a minute.
func waitUntil(
  at place: SourceLocation = #_sourceLocation, _ condition: () async -> Bool
) async throws {
  for _ in 0..<600 {
    if await condition() { return }
    try await Task.sleep(for: .milliseconds(50))
  }
  try #require(await condition(), "waited half a minute for it", sourceLocation: place)
}

extension HostConfiguration {
  /// Any free port, IPv4 only, and what a test changes.
  static func with(_ change: (inout HostConfiguration) -> Void) -> HostConfiguration {
    var configuration = HostConfiguration()
    configuration.port = 0
    configuration.ipv6 = false
    change(&configuration)
    return configuration
  }
}

func withHost(
  service: FakeService = FakeService(), devices: [RootDevice]? = nil,
  configuration: HostConfiguration = .with { _ in },
  pages: [String: @Sendable () -> HTTPPage] = [
    "/": { HTTPPage(contentType: "text/html", body: "<p>status</p>") }
  ],
  responders: [any Responder] = [], log: LogLines? = nil, eventLog: LogLines? = nil,
  _ body: (RunningHost) async throws -> Void
) async throws {
  let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  let host = DeviceHost(
    eventLoop: group.next(), configuration: configuration, devices: devices ?? [.fake([service])],
    responders: responders + [Pages(pages)],
    logger: LogLines.logger(log), eventLogger: LogLines.logger(eventLog))
  let port = try await host.start().port
  service.onPerform.withLock { hook in
    hook = { [weak host] in
      guard let host, group.next().inEventLoop else { return }
      host.assumeIsolated { $0.stateChanged() }
    }
  }
  do {
    // Sockets of tests block, which must not take the threads that other tests run on.
    try await withTaskExecutorPreference(BlockingExecutor()) {
      try await body(RunningHost(host: host, port: port, service: service))
    }
  } catch {
    await host.shutdown()
    try await group.shutdownGracefully()
    throw error
  }
  await host.shutdown()
  try await group.shutdownGracefully()
}

/// Runs a test on a thread of its own.
final class BlockingExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "test")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
