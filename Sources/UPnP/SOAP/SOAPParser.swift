import NIOCore
import XML

/// The action element of a SOAP body, as it was sent.
struct SOAPBody {
  /// Local name of the element inside `Body`.
  var action: String
  /// Namespace of that element; empty when it has none.
  var namespace: String
  /// Local names and contents of its child elements, in their order.
  var arguments: [(name: String, text: String)]
}

enum SOAPParserError: Error, Hashable {
  /// Not well-formed, or with a document type or entity declarations.
  case malformed
  /// More nesting, arguments or text than any control point needs.
  case tooLarge
  /// Well-formed, but without an action inside `Envelope` and `Body`.
  case noAction

  init(_ error: XMLError) {
    switch error {
    case .malformed: self = .malformed
    case .tooLarge: self = .tooLarge
    }
  }
}

/// Parses SOAP requests, by local names.
enum SOAPParser {
  static let maximumDepth = 16
  static let maximumArguments = 64

  /// Parses `body`, whose size the HTTP server has limited.
  static func parse(_ body: ByteBuffer) throws(SOAPParserError) -> SOAPBody {
    let reader: SOAPReader
    do throws(XMLError) {
      reader = try StrictXML.read(body, depth: maximumDepth, with: SOAPReader())
    } catch {
      throw SOAPParserError(error)
    }
    guard let action = reader.action else { throw .noAction }
    return SOAPBody(action: action, namespace: reader.namespace, arguments: reader.arguments)
  }
}

/// The state of one parse.
private struct SOAPReader: XMLVisitor {
  var action: String?
  var namespace = ""
  var arguments: [(name: String, text: String)] = []

  private var isEnvelope = false
  private var isBody = false
  private var isAction = false
  private var argument = ""

  mutating func start(_ tag: XMLStartTag, depth: Int) throws(XMLError) -> Bool {
    switch depth {
    case 1: isEnvelope = tag.isNamed("Envelope")
    case 2: isBody = isEnvelope && action == nil && tag.isNamed("Body")
    case 3:
      isAction = isBody && action == nil
      guard isAction else { break }
      action = try tag.name()
      namespace = try tag.namespace()
    case 4 where isAction:
      guard arguments.count < SOAPParser.maximumArguments else { throw .tooLarge }
      argument = try tag.name()
      return true
    default: break
    }
    return false
  }

  mutating func end(depth: Int, text: String?) {
    if depth == 3 { isAction = false }
    if let text { arguments.append((argument, text)) }
  }
}
