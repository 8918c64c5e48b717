import NIOCore
import SCPD

/// Writes the bodies of SOAP responses (UPnP Device Architecture, "Control").
enum SOAPResponse {
  private static let head: StaticString = """
    <?xml version="1.0" encoding="utf-8"?>\r\n\
    <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" \
    s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><s:Body>
    """
  private static let tail: StaticString = "</s:Body></s:Envelope>\r\n"

  /// The result of an action.
  ///
  /// - Parameters:
  ///   - serviceType: with the version that the control point asked for.
  ///   - outputs: texts in the order of the description, not yet escaped; missing ones are written empty.
  static func success(_ action: ActionDescription, serviceType: String, outputs: [String]) -> ByteBuffer {
    var buffer = ByteBuffer()
    buffer.reserveCapacity(
      384 + 2 * action.name.utf8.count
        + zip(action.outputs, outputs).reduce(0) { $0 + 2 * $1.0.name.utf8.count + $1.1.utf8.count + 16 })
    buffer.writeStaticString(head)
    buffer.writeStaticString("<u:")
    buffer.writeString(action.name)
    buffer.writeStaticString("Response xmlns:u=\"")
    buffer.writeXML(serviceType, quotes: true)
    buffer.writeStaticString("\">")
    for (index, argument) in action.outputs.enumerated() {
      buffer.writeElement(argument.name, text: index < outputs.count ? outputs[index] : "")
    }
    buffer.writeStaticString("</u:")
    buffer.writeString(action.name)
    buffer.writeStaticString("Response>")
    buffer.writeStaticString(tail)
    return buffer
  }

  /// A UPnPError inside a SOAP fault.
  static func fault(_ error: UPnPError) -> ByteBuffer {
    var buffer = ByteBuffer()
    buffer.reserveCapacity(768)
    buffer.writeStaticString(head)
    buffer.writeStaticString(
      """
      <s:Fault><faultcode>s:Client</faultcode><faultstring>UPnPError</faultstring><detail>\
      <UPnPError xmlns="urn:schemas-upnp-org:control-1-0"><errorCode>
      """)
    buffer.writeInteger(text: error.code)
    buffer.writeStaticString("</errorCode>")
    buffer.writeElement("errorDescription", text: String(error.description.prefix(255)))
    buffer.writeStaticString("</UPnPError></detail></s:Fault>")
    buffer.writeStaticString(tail)
    return buffer
  }
}

extension ByteBuffer {
  /// Writes `<name>text</name>`, `text` escaped; `name` has to be a name.
  mutating func writeElement(_ name: String, text: String) {
    writeInteger(UInt8(0x3c))
    writeString(name)
    writeInteger(UInt8(0x3e))
    writeXML(text)
    writeStaticString("</")
    writeString(name)
    writeInteger(UInt8(0x3e))
  }
}
