import HTTP
import NIOCore
import SCPD
import UPnP

/// A service of another device, and the way to it: calls its actions by name. The generated proxies call them by type.
public struct RemoteService: Sendable {
  public let location: ServiceLocation
  package let exchange: HTTPExchange
  private let subscriptions: EventSubscriptions?
  /// The time for one call, with opening a connection. Calls that the service description marks as slow get more
  /// (Browse and Search 15 seconds).
  public var timeout = Duration.seconds(5)

  /// Makes the way to a service; ``ControlPoint/service(_:)`` does.
  ///
  /// - Parameter subscriptions: nil for one whose changes nobody reads.
  public init(
    _ location: ServiceLocation, through exchange: HTTPExchange, subscriptions: EventSubscriptions? = nil
  ) {
    self.location = location
    self.exchange = exchange
    self.subscriptions = subscriptions
  }

  /// The changes of all evented variables, as on the wire; the service isn't subscribed to until somebody reads.
  public func changes() -> ChangeSequence {
    ChangeSequence(subscriptions: subscriptions, location: location)
  }

  /// Calls `action`, and returns its results.
  ///
  /// - Parameters:
  ///   - arguments: in the order of the service's description, since some devices read them by position.
  ///   - isRepeatable: true for a getter: the call may be sent twice when a connection breaks off.
  ///   - seconds: the least time for the call, for one that is slow.
  /// - Throws: ``ActionFailure``. Cancelling the task closes the connection; the device may have done what it was asked to.
  public func call(
    _ action: String, _ arguments: [SOAPArgument] = [], isRepeatable: Bool = false, seconds: Int = 0
  ) async throws(ActionFailure) -> ActionResults {
    guard action.isWireName else { throw .fault(.invalidAction) }
    for argument in arguments where !argument.name.isWireName {
      throw .fault(.invalidArgs("\(argument.name) is no name"))
    }
    let call = SOAPCall(serviceType: location.type, action: action, arguments: arguments)
    guard call.header.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else { throw .malformed }
    let request = ExchangeRequest(
      "POST",
      fields: [
        HTTPField("CONTENT-TYPE", "text/xml; charset=\"utf-8\""), HTTPField("SOAPACTION", call.header),
      ], body: call.body, isRepeatable: isRepeatable)
    let response = try await exchange.exchange(
      request, to: location.control, deadline: max(timeout, .seconds(seconds)),
      limit: SOAPReply.maximumLength)
    return try ActionResults(response)
  }

  /// Fetches and reads the service's description: what it really has, and the bounds of its values.
  ///
  /// - Throws: ``ActionFailure``; `status` 404 when the device names no description.
  public func description() async throws(ActionFailure) -> ServiceDescription {
    guard let address = location.description else { throw .status(404) }
    let response = try await exchange.exchange(
      ExchangeRequest("GET"), to: address, deadline: timeout, limit: ServiceDescription.limits.bytes)
    guard response.status == 200 else { throw .status(response.status) }
    do {
      return try ServiceDescription.read(response.body)
    } catch {
      throw ActionFailure(error)
    }
  }
}

extension String {
  /// True for a name that can be written into a request as it is.
  var isWireName: Bool {
    guard let first = utf8.first, first.isLetter || first == 0x5f, utf8.count <= 128 else { return false }
    return utf8.allSatisfy { $0.isLetter || (0x30...0x39).contains($0) || [0x2d, 0x2e, 0x5f].contains($0) }
  }
}

extension UInt8 {
  fileprivate var isLetter: Bool { (0x41...0x5a).contains(self) || (0x61...0x7a).contains(self) }
}
