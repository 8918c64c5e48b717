import NIOCore
import XML

/// An argument of an action, by its name on the wire.
public struct SOAPArgument: Sendable, Hashable {
  public var name: String
  /// The value as a string, not escaped.
  public var text: String

  public init(name: String, text: String) {
    self.name = name
    self.text = text
  }
}

/// The invocation of an action of somebody else's service (UPnP Device Architecture, "Control"). ``SOAPParser`` and
/// ``SOAPAction`` read the same.
public struct SOAPCall: Sendable, Hashable {
  /// The service type as the device's description gives it: `urn:schemas-upnp-org:service:AVTransport:1`.
  public var serviceType: String
  /// The name of the action, which must be a valid XML name, as must those of the arguments.
  public var action: String
  /// In the order of the service's description, since some devices read them by position.
  public var arguments: [SOAPArgument]

  public init(serviceType: String, action: String, arguments: [SOAPArgument] = []) {
    self.serviceType = serviceType
    self.action = action
    self.arguments = arguments
  }

  /// The value of the SOAPACTION header.
  public var header: String { "\"\(serviceType)#\(action)\"" }

  /// The body of the request.
  public var body: ByteBuffer {
    var buffer = ByteBuffer()
    buffer.reserveCapacity(
      384 + serviceType.utf8.count
        + arguments.reduce(0) { $0 + 2 * $1.name.utf8.count + $1.text.utf8.count + 8 })
    buffer.writeStaticString(SOAPEnvelope.head)
    buffer.writeStaticString("<u:")
    buffer.writeString(action)
    buffer.writeStaticString(" xmlns:u=\"")
    buffer.writeXML(serviceType, quotes: true)
    buffer.writeStaticString("\">")
    for argument in arguments { buffer.writeElement(argument.name, text: argument.text) }
    buffer.writeTag(action, prefix: "</u:")
    buffer.writeStaticString(SOAPEnvelope.tail)
    return buffer
  }
}

/// What all SOAP messages begin and end with.
enum SOAPEnvelope {
  static let head: StaticString = """
    <?xml version="1.0" encoding="utf-8"?>\r\n\
    <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" \
    s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><s:Body>
    """
  static let tail: StaticString = "</s:Body></s:Envelope>\r\n"
}
