import NIOCore
import XML

/// Writes device descriptions (UPnP Device Architecture, "Description").
enum DeviceDescriptionXML {
  /// Returns the description of the root device `device`.
  ///
  /// - Parameters:
  ///   - configID: for the `configId` attribute; nil to leave it out.
  ///   - base: prefix that makes the presentation URL absolute (`http://192.0.2.7:49494`), since some control points
  ///     resolve relative ones wrongly.
  static func document(_ device: Device, configID: Int?, base: String) -> ByteBuffer {
    var xml = ByteBuffer()
    xml.reserveCapacity(device.all.reduce(0) { $0 + 2048 + 512 * $1.services.count })
    xml.writeStaticString(
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<root xmlns=\"urn:schemas-upnp-org:device-1-0\"")
    if let configID { xml.writeString(" configId=\"\(configID)\"") }
    xml.writeStaticString(">\n<specVersion><major>1</major><minor>1</minor></specVersion>\n")
    xml.writeDevice(device, base: base)
    xml.writeStaticString("</root>\n")
    return xml
  }
}

extension ByteBuffer {
  fileprivate mutating func writeDevice(_ device: Device, base: String) {
    writeStaticString("<device>\n")
    writeLine("deviceType", device.deviceType)
    writeLine("friendlyName", device.friendlyName)
    writeLine("manufacturer", device.manufacturer)
    writeOptionalLine("manufacturerURL", device.manufacturerURL)
    writeOptionalLine("modelDescription", device.modelDescription)
    writeLine("modelName", device.modelName)
    writeOptionalLine("modelNumber", device.modelNumber)
    writeOptionalLine("modelURL", device.modelURL)
    writeOptionalLine("serialNumber", device.serialNumber)
    writeLine("UDN", "uuid:\(device.udn)")
    if !device.extraElements.isEmpty { writeString("\(device.extraElements)\n") }
    if !device.icons.isEmpty {
      writeStaticString("<iconList>\n")
      for icon in device.icons { writeIcon(icon, path: device.path(of: icon)) }
      writeStaticString("</iconList>\n")
    }
    writeStaticString("<serviceList>\n")
    for service in device.services { writeService(service, of: device) }
    writeStaticString("</serviceList>\n")
    if !device.devices.isEmpty {
      writeStaticString("<deviceList>\n")
      for embedded in device.devices { writeDevice(embedded, base: base) }
      writeStaticString("</deviceList>\n")
    }
    if let path = device.presentationPath { writeLine("presentationURL", base + path) }
    writeStaticString("</device>\n")
  }

  private mutating func writeLine(_ name: String, _ text: String) {
    writeElement(name, text: text)
    writeStaticString("\n")
  }

  private mutating func writeOptionalLine(_ name: String, _ text: String?) {
    if let text, !text.isEmpty { writeLine(name, text) }
  }

  private mutating func writeIcon(_ icon: DeviceIcon, path: String) {
    writeStaticString("<icon>")
    writeElement("mimetype", text: icon.mimeType)
    writeElement("width", text: String(icon.width))
    writeElement("height", text: String(icon.height))
    writeElement("depth", text: String(icon.depth))
    writeElement("url", text: path)
    writeStaticString("</icon>\n")
  }

  private mutating func writeService(_ service: any ServiceProvider, of device: Device) {
    let isEvented = service.description.variables.contains(where: \.sendsEvents)
    let paths = device.paths(of: service)
    writeStaticString("<service>")
    writeElement("serviceType", text: service.identity.type)
    writeElement("serviceId", text: service.identity.id)
    writeElement("SCPDURL", text: paths.scpd)
    writeElement("controlURL", text: paths.control)
    writeElement("eventSubURL", text: isEvented ? paths.event : "")
    writeStaticString("</service>\n")
  }
}
