import NIOCore
import XML

@testable import UPnP

/// What devices of strangers send to a control point.
extension FuzzTarget {
  /// A datagram: an announcement or the response to a search.
  static let announcement = FuzzTarget(
    name: "announcement", maximumLength: 4200,
    words: [
      "HTTP/1.1 200 OK\r\n", "NOTIFY * HTTP/1.1\r\n", "NTS: ssdp:alive\r\n", "NTS: ssdp:byebye\r\n",
      "NTS: ssdp:update\r\n", "USN: uuid:", "::", "NT: upnp:rootdevice\r\n", "ST: ", "LOCATION: http://",
      "CACHE-CONTROL: max-age=1800\r\n", "BOOTID.UPNP.ORG: ", "NEXTBOOTID.UPNP.ORG: ",
      "SEARCHPORT.UPNP.ORG: ",
      "SERVER: ", "\r\n\r\n", "\n", ":",
    ]
  ) { bytes in
    guard let notice = SSDPNotice(datagram: bytes) else { return }
    try promise((1...SSDPNotice.maximumUDNLength).contains(notice.udn.utf8.count), "UDN \(notice.udn)")
    for text in [notice.udn, notice.target, notice.location ?? "x"] {
      try promise(
        (1...SSDPNotice.maximumFieldLength).contains(text.utf8.count)
          && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "what isn't printable: \(text)")
    }
    for number in [notice.maxAge, notice.bootID, notice.configID].compactMap({ $0 }) {
      try promise((0...Int(Int32.max)).contains(number), "\(number)")
    }
    try promise((1...65535).contains(notice.searchPort ?? 1), "port \(notice.searchPort ?? 0)")
    try promise(notice.server.unicodeScalars.count <= 256, "a SERVER of \(notice.server.count)")
    // It can be searched for again.
    guard notice.target.utf8.count <= SearchRequest.maximumTargetLength else { return }
    let search = SearchRequest(target: notice.target, mx: 2)
    let sent = search.encoded(host: "239.255.255.250:1900", userAgent: "a/1 UPnP/1.1 b/1")
    try promise(SearchRequest(datagram: sent) == search, "a search isn't read back: \(search)")
  }

  /// A device description, up to the requests that it leads to.
  static let description = FuzzTarget(
    name: "description", maximumLength: 8192,
    words: [
      "<?xml version=\"1.0\"?>", "<root xmlns=\"urn:schemas-upnp-org:device-1-0\">", "<URLBase>", "<device>",
      "</device>", "<deviceType>urn:schemas-upnp-org:device:MediaServer:1</deviceType>", "<UDN>uuid:",
      "</UDN>", "<friendlyName>", "<serviceList>", "<service>", "</service>", "<serviceType>", "<controlURL>",
      "<eventSubURL>", "<SCPDURL>", "<iconList>", "<icon>", "<url>", "<width>", "<deviceList>", "&#13;&#10;",
      "&quot;", "&", "http://", "../", "%20", "<!DOCTYPE", "<!ENTITY", "<![CDATA[", "</root>",
    ]
  ) { bytes in
    guard let root = try? RootDescription.read(ByteBuffer(bytes: bytes)) else { return }
    var devices = [root.device]
    var count = 0
    while let device = devices.popLast() {
      count += 1
      devices += device.devices
      try promise(
        device.services.count <= RootDescription.maximumServices, "\(device.services.count) services")
      try promise(device.icons.count <= RootDescription.maximumIcons, "\(device.icons.count) icons")
      try promise(
        device.friendlyName.unicodeScalars.count <= RootDescription.maximumTextLength, device.friendlyName)
      for service in device.services {
        // What goes into the head of a request must not be able to end a line.
        let call = SOAPCall(serviceType: service.type, action: "A")
        let addresses = [service.controlURL, service.eventURL, service.scpdURL].compactMap { $0 }
        for text in addresses + [String(call.header.dropFirst().dropLast())] {
          try promise(
            text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f && $0 != 0x22 }, "would end a line: \(text)")
        }
        try promise(
          SOAPAction(header: call.header)?.name == "A", "a header that can't be read: \(call.header)")
        try promise(XMLReading.isWellFormed(call.body), "a call that can't be read: \(call)")
        for url in addresses { _ = root.resolved(url, location: "http://192.0.2.9:8200/rootDesc.xml") }
      }
    }
    try promise(count <= RootDescription.maximumDevices, "\(count) devices")
  }

  /// The answer to an action.
  static let reply = FuzzTarget(
    name: "reply", maximumLength: 8192,
    words: [
      "<?xml version=\"1.0\"?>", "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\">",
      "<s:Body>", "</s:Body>", "</s:Envelope>",
      "<u:BrowseResponse xmlns:u=\"urn:schemas-upnp-org:service:ContentDirectory:1\">", "</u:BrowseResponse>",
      "<Result>", "</Result>", "&lt;DIDL-Lite&gt;", "<NumberReturned>4</NumberReturned>", "<s:Fault>",
      "<faultstring>UPnPError</faultstring>", "<detail>", "<UPnPError>", "<errorCode>701</errorCode>",
      "<errorDescription>", "<!DOCTYPE", "<![CDATA[", "]]>", "&#0;", "\u{0}",
    ]
  ) { bytes in
    guard let reply = try? SOAPReply.read(ByteBuffer(bytes: bytes)) else { return }
    switch reply {
    case .fault(let error):
      try promise((0...65535).contains(error.code), "code \(error.code)")
      try promise(error.description.unicodeScalars.count <= 300, error.description)
    case .results(let results):
      try promise(results.count <= SOAPParser.maximumArguments, "\(results.count) results")
      let plain = results.filter { $0.name.utf8.allSatisfy { $0 < 0x80 } }
      let call = SOAPCall(serviceType: "urn:x", action: "A", arguments: plain)
      let body = try SOAPParser.parse(call.body)
      try promise(
        body.arguments.map { SOAPArgument(name: $0.name, text: $0.text) } == plain,
        "arguments aren't read back: \(plain)")
    }
  }

  /// The body of an event message, and the LastChange inside it.
  static let event = FuzzTarget(
    name: "event", maximumLength: 8192,
    words: [
      "<e:propertyset xmlns:e=\"urn:schemas-upnp-org:event-1-0\">", "<e:property>", "</e:property>",
      "</e:propertyset>", "<LastChange>", "</LastChange>", "&lt;Event&gt;", "<Event>",
      "<InstanceID val=\"0\">", "&lt;InstanceID val=&quot;0&quot;&gt;",
      "<Volume channel=\"Master\" val=\"1\"/>",
      "&lt;Volume Channel=&quot;Master&quot; val=&quot;1&quot;/&gt;", "&amp;lt;", "</Event>", "<![CDATA[",
      "]]>", "<!DOCTYPE", "&", "\u{0}", "<IdArray>", "AAAAAQ==",
    ]
  ) { bytes in
    try lastChange(String(decoding: bytes, as: UTF8.self))
    guard let values = try? PropertySet.read(ByteBuffer(bytes: bytes)) else { return }
    try promise(values.count <= PropertySet.maximumVariables, "\(values.count) variables")
    for value in values { try lastChange(value.value) }
    try changes(values)
    let plain = values.filter { $0.name.isPlainName }
    let written = PropertySet.document(plain, style: .properties)
    try promise(XMLReading.isWellFormed(written), "can't be read: \(written)")
    try promise(try PropertySet.read(written).map(\.name) == plain.map(\.name), "isn't read back: \(plain)")
  }

  private static func lastChange(_ text: String) throws {
    guard let instances = try? LastChange.read(text) else { return }
    for instance in instances {
      try promise(instance.values.count <= LastChange.limits.elements, "\(instance.values.count) changes")
      let plain = instance.values.filter { $0.name.isPlainName }
      let written = LastChange.document(plain, namespace: "urn:x")
      try promise(XMLReading.isWellFormed(written), "can't be read: \(written)")
      let read = try LastChange.read(String(buffer: written))
      try promise(read.first?.values.map(\.name) == plain.map(\.name), "isn't read back: \(plain)")
      try promise(read.first?.values.count == plain.count, "isn't read back: \(plain)")
    }
  }
}

extension String {
  /// True for a name that can be written as it is: the lenient reader takes others as well.
  fileprivate var isPlainName: Bool {
    guard let first = utf8.first, UInt8(ascii: "A")...UInt8(ascii: "z") ~= first else { return false }
    return utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
  }
}
