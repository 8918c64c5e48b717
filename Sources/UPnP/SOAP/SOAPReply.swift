import NIOCore
import Text
import XML

/// The answer to an action of somebody else's service. ``SOAPResponse`` writes the same.
public enum SOAPReply: Sendable, Hashable {
  case results([SOAPArgument])
  /// The UPnPError of the fault; 501 for a fault that doesn't contain one.
  case fault(UPnPError)

  /// The longest body that is read, in bytes; MiniDLNA cuts its own at 2 MB.
  public static let maximumLength = 4 * 1024 * 1024

  /// Reads the body of a response, by local names: whatever the element inside `Body` is called, its children are the
  /// results, unless it is a fault.
  ///
  /// - Throws: ``XMLError/malformed`` also for a body without such an element.
  public static func read(_ body: ByteBuffer) throws(XMLError) -> SOAPReply {
    guard body.readableBytes <= maximumLength else { throw .tooLarge }
    let parsed: SOAPBody
    do throws(SOAPParserError) {
      parsed = try SOAPParser.parse(body)
    } catch {
      throw error == .tooLarge ? .tooLarge : .malformed
    }
    guard parsed.action == "Fault" else {
      return .results(parsed.arguments.map { SOAPArgument(name: $0.name, text: $0.text) })
    }
    return .fault(parsed.fault ?? UPnPError(code: 501, description: parsed.faultString))
  }

  /// The first result called `name`; nil when there is none.
  public subscript(name: String) -> String? {
    guard case .results(let results) = self else { return nil }
    return results.first { $0.name == name }?.text
  }
}

extension SOAPBody {
  fileprivate var faultString: String {
    let text = arguments.first { $0.name == "faultstring" }?.text.trimmingASCIISpace ?? ""
    return String(text.unicodeScalars.prefix(255))
  }

  fileprivate var fault: UPnPError? {
    guard let code = errorCode.flatMap({ UInt16(wire: $0) }) else { return nil }
    let description = (errorDescription ?? "").trimmingASCIISpace
    return UPnPError(code: Int(code), description: String(description.unicodeScalars.prefix(255)))
  }
}
