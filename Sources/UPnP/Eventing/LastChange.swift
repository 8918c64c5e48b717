import NIOCore
import XML

/// Writes and reads the document inside a `LastChange` property (AVTransport and RenderingControl, "LastChange").
public enum LastChange {
  static func document(
    _ values: [EventedValue], namespace: String, form: LastChangeForm = LastChangeForm()
  ) -> ByteBuffer {
    var xml = ByteBuffer()
    xml.writeStaticString("<Event xmlns=\"")
    xml.writeXML(namespace, quotes: true)
    if let prefix = form.prefix {
      xml.writeString("\" xmlns:\(prefix)=\"")
      xml.writeXML(form.prefixNamespace, quotes: true)
    }
    xml.writeString("\"><\(form.element) val=\"0\">")
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
    xml.writeString("</\(form.element)></Event>")
    return xml
  }
}
