import HTTP
import NIOCore
import UPnP
import XML

/// The results of an action, by their names; their order and surplus ones don't matter.
public struct ActionResults: Sendable, Hashable {
  public let arguments: [SOAPArgument]

  public init(_ arguments: [SOAPArgument]) { self.arguments = arguments }

  /// The first result called `name`; nil when there is none.
  public subscript(name: String) -> String? { arguments.first { $0.name == name }?.text }

  /// The string called `name`; empty when there is none, since some devices leave out what is empty.
  public func text(_ name: String) -> String { self[name] ?? "" }

  /// The value called `name`.
  ///
  /// - Throws: ``ActionFailure/malformed`` when there is none, or when it isn't such a value.
  public func value<Value: WireValue>(_ name: String) throws(ActionFailure) -> Value {
    guard let text = self[name], let value = Value(wire: text) else { throw .malformed }
    return value
  }

  /// Reads the response to a call.
  ///
  /// - Throws: the fault in it; 401 (Invalid Action) for a status of 404 or 405 without one.
  init(_ response: ClientResponse) throws(ActionFailure) {
    let status = response.status
    if (200..<300).contains(status) {
      switch try Self.reply(response.body) {
      case .results(let arguments): self.arguments = arguments
      case .fault(let error): throw .fault(error)
      }
      return
    }
    let meansNoAction = [404, 405].contains(status)
    // A fault without a code reads as 501, which says less than the status.
    if case .fault(let error)? = try? SOAPReply.read(response.body), !meansNoAction || error.code != 501 {
      throw .fault(error)
    }
    throw meansNoAction ? .fault(.invalidAction) : .status(status)
  }

  private static func reply(_ body: ByteBuffer) throws(ActionFailure) -> SOAPReply {
    do throws(XMLError) {
      return try SOAPReply.read(body)
    } catch {
      // Some servers pass on control characters from tags.
      guard error == .malformed, let cleaned = withoutControlCharacters(body),
        let reply = try? SOAPReply.read(cleaned)
      else { throw ActionFailure(error) }
      return reply
    }
  }

  /// Returns nil when there are none.
  private static func withoutControlCharacters(_ body: ByteBuffer) -> ByteBuffer? {
    let isControl: (UInt8) -> Bool = { $0 < 0x20 && $0 != 0x09 && $0 != 0x0a && $0 != 0x0d }
    guard body.readableBytesView.contains(where: isControl) else { return nil }
    return ByteBuffer(bytes: body.readableBytesView.lazy.map { isControl($0) ? 0x20 : $0 })
  }
}

extension ActionFailure {
  init(_ error: XMLError) {
    switch error {
    case .malformed: self = .malformed
    case .tooLarge: self = .tooLarge
    }
  }
}
