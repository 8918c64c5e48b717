import NIOCore
import XML

/// Writes and reads the bodies of event messages (UPnP Device Architecture, "Eventing").
public enum PropertySet {
  /// Returns the message for `values`, either one property each or all inside one LastChange.
  static func document(_ values: [EventedValue], style: EventStyle) -> ByteBuffer {
    var xml = ByteBuffer()
    xml.writeStaticString("<e:propertyset xmlns:e=\"urn:schemas-upnp-org:event-1-0\">")
    switch style {
    case .properties:
      for value in values {
        xml.writeStaticString("<e:property>")
        xml.writeElement(value.name, text: value.value)
        xml.writeStaticString("</e:property>")
      }
    case .lastChange(let namespace, let form):
      let document = LastChange.document(values, namespace: namespace, form: form)
      xml.reserveCapacity(minimumWritableBytes: document.readableBytes * 2)
      xml.writeStaticString("<e:property><LastChange>")
      document.withUnsafeReadableBytes { xml.writeXML(bytes: $0) }
      xml.writeStaticString("</LastChange></e:property>")
    }
    xml.writeStaticString("</e:propertyset>\n")
    return xml
  }

  /// Returns the values of `new` that differ from `old`; all of them when the two don't list the same variables.
  ///
  /// A variable's last channel comes along whenever one of its other channels has changed: some subscribers ignore the
  /// channel, and take the last value in a message for the only one.
  static func difference(from old: [EventedValue], to new: [EventedValue]) -> [EventedValue] {
    guard old.count == new.count,
      zip(old, new).allSatisfy({ $0.name == $1.name && $0.channel == $1.channel })
    else { return new }
    let changed = new.indices.filter { old[$0].value != new[$0].value }
    let names = Set(changed.filter { new[$0].channel != nil }.map { new[$0].name })
    let last = names.compactMap { name in new.lastIndex { $0.name == name } }
    return Set(changed + last).sorted().map { new[$0] }
  }
}
