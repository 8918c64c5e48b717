import NIOCore
import Text
import XML

extension RootDescription {
  /// The limits of a document.
  public static let limits = XMLTree.Limits(bytes: 256 * 1024, elements: 4096)
  /// The limits on devices (with the root device), on embedding, and on the services and icons of one device. More are
  /// ignored, since a description is useful without them.
  public static let maximumDevices = 16
  public static let maximumEmbedding = 4
  public static let maximumServices = 32
  public static let maximumIcons = 16
  /// The longest URL, type or id, in bytes; a longer one counts as missing.
  public static let maximumAddressLength = 1024
  /// The longest name or text, in characters; more is cut off.
  public static let maximumTextLength = 256

  /// Reads a description, by local names.
  ///
  /// Accepts what devices in the field send: a document that isn't well-formed, missing elements, space around
  /// values, UDNs without prefix, and elements of vendors.
  ///
  /// - Throws: ``XMLError/malformed`` also for a document without a device.
  public static func read(_ document: ByteBuffer) throws(XMLError) -> RootDescription {
    let root = try XMLTree.read(document, limits: limits)
    var reader = DescriptionReader()
    guard let node = root.name == "device" ? root : root.child("device"), let device = reader.device(node)
    else { throw .malformed }
    return RootDescription(
      device: device, base: root.address(of: "URLBase"),
      configID: root.attributes["configId"].flatMap { UInt32(wire: $0) }.map(Int.init))
  }
}

private struct DescriptionReader {
  private var devices = 0

  /// Returns nil for a device without type or UDN, or one too many.
  mutating func device(_ node: XMLNode, embedding: Int = 0) -> DeviceDescription? {
    guard devices < RootDescription.maximumDevices, let type = node.address(of: "deviceType"),
      let udn = node.address(of: "UDN").flatMap(Self.udn)
    else { return nil }
    devices += 1
    var device = DeviceDescription(deviceType: type, udn: udn)
    device.friendlyName = node.shortText(of: "friendlyName")
    device.manufacturer = node.shortText(of: "manufacturer")
    device.manufacturerURL = node.address(of: "manufacturerURL")
    device.modelDescription = node.shortText(of: "modelDescription")
    device.modelName = node.shortText(of: "modelName")
    device.modelNumber = node.shortText(of: "modelNumber")
    device.modelURL = node.address(of: "modelURL")
    device.serialNumber = node.shortText(of: "serialNumber")
    device.presentationURL = node.address(of: "presentationURL")
    device.icons = node.items("iconList", "icon").prefix(RootDescription.maximumIcons).compactMap(Self.icon)
    device.services = node.items("serviceList", "service").prefix(RootDescription.maximumServices)
      .compactMap(Self.service)
    guard embedding < RootDescription.maximumEmbedding else { return device }
    for node in node.items("deviceList", "device") {
      if let embedded = self.device(node, embedding: embedding + 1) { device.devices.append(embedded) }
    }
    return device
  }

  private static func udn(_ text: String) -> String? {
    let udn = text.prefix(5).lowercased() == "uuid:" ? String(text.dropFirst(5)) : text
    return (1...SSDPNotice.maximumUDNLength).contains(udn.utf8.count) ? udn : nil
  }

  private static func icon(_ node: XMLNode) -> DeviceDescription.Icon? {
    guard let url = node.address(of: "url") else { return nil }
    func pixels(_ name: String) -> Int { node.text(of: name).flatMap { UInt16(wire: $0) }.map(Int.init) ?? 0 }
    return DeviceDescription.Icon(
      mimeType: node.shortText(of: "mimetype"), width: pixels("width"), height: pixels("height"), url: url)
  }

  private static func service(_ node: XMLNode) -> DeviceDescription.Service? {
    guard let type = node.address(of: "serviceType"), let control = node.address(of: "controlURL") else {
      return nil
    }
    return DeviceDescription.Service(
      type: type, id: node.address(of: "serviceId") ?? "", scpdURL: node.address(of: "SCPDURL"),
      controlURL: control, eventURL: node.address(of: "eventSubURL"))
  }
}

extension XMLNode {
  /// The elements called `item` in the first list called `list`.
  fileprivate func items(_ list: String, _ item: String) -> [XMLNode] { child(list)?.children(item) ?? [] }

  /// The text of a child for people to read; empty when there is none.
  fileprivate func shortText(of name: String) -> String {
    guard let text = text(of: name) else { return "" }
    return String(text.unicodeScalars.prefix(RootDescription.maximumTextLength))
  }

  /// The text of a child that goes into requests: a URL, a type or an id.
  ///
  /// Spaces are escaped; with anything else that could end a line or a quotation, or a length beyond the limit, there is
  /// no such text.
  fileprivate func address(of name: String) -> String? {
    guard let text = text(of: name), text.utf8.count <= RootDescription.maximumAddressLength else {
      return nil
    }
    let escaped = text.split(separator: " ", omittingEmptySubsequences: false).joined(separator: "%20")
    let isUsable = escaped.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f && ![0x22, 0x3c, 0x3e].contains($0) }
    return isUsable ? escaped : nil
  }
}
