import NIOCore
import XML

/// Writes the document inside a `LastChange` property (AVTransport and RenderingControl, "LastChange").
enum LastChange {
  static func document(_ values: [EventedValue], namespace: String) -> ByteBuffer {
    var xml = ByteBuffer()
    xml.writeStaticString("<Event xmlns=\"")
    xml.writeXML(namespace, quotes: true)
    xml.writeStaticString("\"><InstanceID val=\"0\">")
    for value in values {
      xml.writeStaticString("<")
      xml.writeString(value.name)
      if let channel = value.channel {
        xml.writeStaticString(" channel=\"")
        xml.writeXML(channel, quotes: true)
        xml.writeStaticString("\"")
      }
      xml.writeStaticString(" val=\"")
      xml.writeXML(value.value, quotes: true)
      xml.writeStaticString("\"/>")
    }
    xml.writeStaticString("</InstanceID></Event>")
    return xml
  }
}
