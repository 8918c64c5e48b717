import NIOCore
import XML

/// Writes device descriptions (UPnP Device Architecture, "Description").
enum DeviceDescriptionXML {
  /// Returns the description of `device`.
  ///
  /// - Parameters:
  ///   - configID: for the `configId` attribute; nil to leave it out.
  ///   - base: prefix that makes the presentation URL absolute (`http://192.0.2.7:49494`), since some control points
  ///     resolve relative ones wrongly.
  static func document(_ device: RootDevice, configID: Int?, base: String) -> ByteBuffer {
    var xml = ByteBuffer()
    xml.reserveCapacity(2048 + 512 * device.services.count)
    xml.writeStaticString(
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<root xmlns=\"urn:schemas-upnp-org:device-1-0\"")
    if let configID { xml.writeString(" configId=\"\(configID)\"") }
    xml.writeStaticString(">\n<specVersion><major>1</major><minor>1</minor></specVersion>\n<device>\n")
    func required(_ name: String, _ text: String) {
      xml.writeElement(name, text: text)
      xml.writeStaticString("\n")
    }
    func optional(_ name: String, _ text: String?) {
      if let text, !text.isEmpty { required(name, text) }
    }
    required("deviceType", device.deviceType)
    required("friendlyName", device.friendlyName)
    required("manufacturer", device.manufacturer)
    optional("manufacturerURL", device.manufacturerURL)
    optional("modelDescription", device.modelDescription)
    required("modelName", device.modelName)
    optional("modelNumber", device.modelNumber)
    optional("modelURL", device.modelURL)
    optional("serialNumber", device.serialNumber)
    required("UDN", "uuid:\(device.udn)")
    if !device.extraElements.isEmpty { xml.writeString("\(device.extraElements)\n") }
    if !device.icons.isEmpty {
      xml.writeStaticString("<iconList>\n")
      for icon in device.icons { xml.writeIcon(icon, path: device.path(of: icon)) }
      xml.writeStaticString("</iconList>\n")
    }
    xml.writeStaticString("<serviceList>\n")
    for service in device.services { xml.writeService(service, of: device) }
    xml.writeStaticString("</serviceList>\n")
    if let path = device.presentationPath { required("presentationURL", base + path) }
    xml.writeStaticString("</device>\n</root>\n")
    return xml
  }
}

extension RootDevice {
  /// The path of one of a service's three URLs: SCPD, control or event.
  func path(of service: any ServiceProvider, _ leaf: String) -> String {
    "/\(udn)/\(service.identity.name)/\(leaf)"
  }

  /// The path where the host serves `icon`: `/UDN/icon-48.png`.
  public func path(of icon: DeviceIcon) -> String {
    let kind = icon.mimeType.split(separator: "/").last.map(String.init) ?? "png"
    return "/\(udn)/icon-\(icon.width).\(kind == "jpeg" ? "jpg" : kind)"
  }
}

extension ByteBuffer {
  fileprivate mutating func writeIcon(_ icon: DeviceIcon, path: String) {
    writeStaticString("<icon>")
    writeElement("mimetype", text: icon.mimeType)
    writeElement("width", text: String(icon.width))
    writeElement("height", text: String(icon.height))
    writeElement("depth", text: String(icon.depth))
    writeElement("url", text: path)
    writeStaticString("</icon>\n")
  }

  fileprivate mutating func writeService(_ service: any ServiceProvider, of device: RootDevice) {
    let isEvented = service.description.variables.contains(where: \.sendsEvents)
    writeStaticString("<service>")
    writeElement("serviceType", text: service.identity.type)
    writeElement("serviceId", text: service.identity.id)
    writeElement("SCPDURL", text: device.path(of: service, "scpd.xml"))
    writeElement("controlURL", text: device.path(of: service, "control"))
    writeElement("eventSubURL", text: isEvented ? device.path(of: service, "event") : "")
    writeStaticString("</service>\n")
  }
}
