import ControlPoint
import HTTP
import NIOCore
import SCPD
import Synchronization
import UPnP

/// Talks to a device and writes down every word.
final class Recorder: Sendable {
  /// Bytes of all bodies; what comes after them isn't written down.
  static let maximumBytes = Recording.maximumBytes / 2

  private struct State {
    var entries: [Recording.Entry] = []
    var bytes = 0
    var isFull = false
  }

  let exchange: HTTPExchange
  private let start = ContinuousClock.now
  private let state = Mutex(State())

  init(_ exchange: HTTPExchange) { self.exchange = exchange }

  var entries: [Recording.Entry] { state.withLock(\.entries) }
  var isFull: Bool { state.withLock(\.isFull) }
  var now: Int { Int((ContinuousClock.now - start) / .milliseconds(1)) }

  func add(_ entry: Recording.Entry) {
    var bytes = entry.request.body.count
    if case .answered(_, let message) = entry.outcome { bytes += message.body.count }
    state.withLock { state in
      guard state.bytes + bytes <= Self.maximumBytes, state.entries.count < Recording.maximumEntries else {
        state.isFull = true
        return
      }
      state.bytes += bytes
      state.entries.append(entry)
    }
  }

  /// Sends a request, and writes it down with what came of it.
  @discardableResult
  func send(
    _ request: ExchangeRequest, to address: ServiceAddress, deadline: Duration = .seconds(5), limit: Int
  ) async -> ClientResponse? {
    var entry = Recording.Entry(time: now, method: request.method, url: address.url)
    entry.request.fields = request.fields.map { .init(name: $0.name.lowercased(), value: $0.value) }
    entry.request.body = request.body.map { Array($0.readableBytesView) } ?? []
    var response: ClientResponse?
    do throws(ActionFailure) {
      let answer = try await exchange.exchange(request, to: address, deadline: deadline, limit: limit)
      response = answer
      entry.outcome = .answered(
        status: min(max(answer.status, 100), 999),
        .init(
          fields: answer.fields.list.map { .init(name: $0.name, value: $0.value) },
          body: Array(answer.body.readableBytesView)))
    } catch {
      // Ctrl-C says nothing of the device.
      guard error != .cancelled else { return nil }
      entry.outcome = .failed("\(error)")
    }
    add(entry)
    return response
  }

  /// Fetches the description of a device and those of its services; returns what the latter say.
  func describe(
    _ location: ServiceAddress, _ services: [ServiceLocation]
  ) async -> [(ServiceLocation, ServiceDescription)] {
    await send(ExchangeRequest("GET"), to: location, limit: RootDescription.limits.bytes)
    var read: [(ServiceLocation, ServiceDescription)] = []
    for service in services {
      guard let address = service.description, !Task.isCancelled,
        let response = await send(
          ExchangeRequest("GET"), to: address, limit: ServiceDescription.limits.bytes),
        let description = try? ServiceDescription.read(response.body)
      else { continue }
      read.append((service, description))
    }
    return read
  }

  /// Calls the actions of a service that only ask something.
  func ask(_ service: ServiceLocation, _ description: ServiceDescription) async {
    for call in RecordedCalls.calls(of: description, type: service.type) {
      guard !Task.isCancelled else { return }
      let request = ExchangeRequest(
        "POST",
        fields: [
          HTTPField("CONTENT-TYPE", "text/xml; charset=\"utf-8\""), HTTPField("SOAPACTION", call.header),
        ], body: call.body, isRepeatable: true)
      await send(request, to: service.control, deadline: .seconds(10), limit: SOAPReply.maximumLength)
    }
  }
}

/// Which actions a recording may call: those that change nothing.
enum RecordedCalls {
  static func calls(of service: ServiceDescription, type: String) -> [SOAPCall] {
    let isOpenHome = type.hasPrefix("urn:av-openhome-org:service:")
    return service.actions.compactMap { action in
      if action.name == "Browse", type.contains(":service:ContentDirectory:") {
        return SOAPCall(serviceType: type, action: "Browse", arguments: root)
      }
      // OpenHome's getters are called like what they get, and take nothing.
      let isGetter =
        action.name.hasPrefix("Get") || action.name.hasPrefix("X_Get")
        || (isOpenHome && action.inputs.isEmpty)
      guard isGetter, !action.outputs.isEmpty else { return nil }
      var arguments: [SOAPArgument] = []
      for input in action.inputs {
        switch input.name {
        case "InstanceID": arguments.append(.init(name: input.name, text: "0"))
        case "Channel": arguments.append(.init(name: input.name, text: "Master"))
        case "ConnectionID": arguments.append(.init(name: input.name, text: "0"))
        default: return nil
        }
      }
      return SOAPCall(serviceType: type, action: action.name, arguments: arguments)
    }
  }

  private static let root = [
    SOAPArgument(name: "ObjectID", text: "0"), SOAPArgument(name: "BrowseFlag", text: "BrowseDirectChildren"),
    SOAPArgument(name: "Filter", text: "*"), SOAPArgument(name: "StartingIndex", text: "0"),
    SOAPArgument(name: "RequestedCount", text: "25"), SOAPArgument(name: "SortCriteria", text: ""),
  ]
}
