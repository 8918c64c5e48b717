import ControlPoint
import HTTP
import Logging
import NIOCore
import Network
import UPnP

/// Subscribes to a device's services, and writes down its event messages as they are.
final class RecordedEvents: Responder {
  private static let prefix = "/record/"

  private let recorder: Recorder
  private let services: [ServiceLocation]
  private let own: IPAddress
  private let interfaces: [NetworkInterface]
  private let senders: EventSenders

  /// - Parameters:
  ///   - interface: the index of the interface that leads to the device, for a link-local address.
  ///   - interfaces: this host's.
  init(
    _ services: [ServiceLocation], of device: IPAddress, interface: Int?,
    _ interfaces: [NetworkInterface],
    _ recorder: Recorder
  ) throws {
    self.services = services.filter { $0.events != nil }
    do { own = try OwnAddress.reaching(device, interface: interface) } catch {
      throw Failure(.unreachable, "\(device) can't be reached: \(error)")
    }
    self.interfaces = interfaces
    senders = EventSenders(device, own: own, interfaces: interfaces)
    self.recorder = recorder
  }

  /// Subscribes, takes events until the time is over or the task is cancelled, and unsubscribes.
  func record(for time: Duration) async throws {
    let server = HTTPServer(
      eventLoop: recorder.exchange.eventLoop, configuration: HTTPConfiguration(),
      logger: Logger(label: "record") { _ in SwiftLogNoOpLogHandler() })
    let listening: HTTPServer.Listening
    do { listening = try await server.start([self]) } catch {
      throw Failure(.software, "no events can be received: \(error)")
    }
    await server.setInterfaces(interfaces)
    var subscriptions: [(ServiceAddress, String)] = []
    for (index, service) in services.enumerated() {
      guard let events = service.events, !Task.isCancelled else { continue }
      let callback = "<http://\(own.urlHost):\(listening.port)\(Self.prefix)\(index)>"
      let request = ExchangeRequest(
        "SUBSCRIBE",
        fields: [
          HTTPField("CALLBACK", callback), HTTPField("NT", "upnp:event"), HTTPField("TIMEOUT", "Second-1800"),
        ])
      // Ctrl-C doesn't end it: what the device grants has to be given back.
      let response = await Task { [recorder] in
        await recorder.send(request, to: events, limit: 64 * 1024)
      }.value
      if response?.status == 200, let sid = response?.fields.first("sid") {
        subscriptions.append((events, sid))
      }
    }
    if !subscriptions.isEmpty { try? await Task.sleep(for: time) }
    let farewells = subscriptions
    // Also after Ctrl-C.
    await Task { [recorder] in
      for (events, sid) in farewells {
        let request = ExchangeRequest("UNSUBSCRIBE", fields: [HTTPField("SID", sid)])
        await recorder.send(request, to: events, deadline: .seconds(1), limit: 64 * 1024)
      }
    }.value
    await server.shutdown()
  }

  // MARK: - Responder

  func methods(at path: String) -> [String]? { service(at: path) == nil ? nil : ["NOTIFY"] }

  func respond(to request: HTTPRequest, from peer: Peer, id: RequestID) -> Answer? {
    guard serves(request.head) else { return nil }
    guard let events = service(at: request.head.path)?.events, senders.contains(peer) else {
      return .complete(.refusal(.preconditionFailed))
    }
    var entry = Recording.Entry(time: recorder.now, method: "NOTIFY", url: events.url)
    for name in ["nt", "nts", "sid", "seq", "content-type"] {
      if let value = request.head.fields.first(name) {
        entry.request.fields.append(.init(name: name, value: value))
      }
    }
    entry.request.body = Array(request.body.readableBytesView)
    recorder.add(entry)
    return .complete(HTTPResponse(.ok))
  }

  private func service(at path: String) -> ServiceLocation? {
    guard path.hasPrefix(Self.prefix), let index = Int(path.dropFirst(Self.prefix.count)),
      services.indices.contains(index)
    else { return nil }
    return services[index]
  }
}
