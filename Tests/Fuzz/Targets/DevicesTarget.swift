import NIOCore
import Network

@testable import ControlPoint
@testable import UPnP

extension FuzzTarget {
  /// Announcements, responses and descriptions in any order, up to the devices that readers are told of.
  ///
  /// An input is messages with a record separator (0x1e) between them. What begins with `<` answers the description that was
  /// asked for first; an empty one is a failure; all others are datagrams.
  static let devices = FuzzTarget(
    name: "devices", maximumLength: 16384,
    words: [
      "\u{1e}", "HTTP/1.1 200 OK\r\n", "NOTIFY * HTTP/1.1\r\n", "NTS: ssdp:alive\r\n", "NTS: ssdp:byebye\r\n",
      "NTS: ssdp:update\r\n", "USN: uuid:a\r\n", "NT: urn:schemas-upnp-org:device:MediaServer:1\r\n",
      "LOCATION: http://192.0.2.9:80/d.xml\r\n", "LOCATION: http://[fe80::9]/\r\n", "http://127.0.0.1/",
      "CACHE-CONTROL: max-age=60\r\n", "BOOTID.UPNP.ORG: 2\r\n", "NEXTBOOTID.UPNP.ORG: 3\r\n",
      "CONFIGID.UPNP.ORG: 1\r\n", "\r\n\r\n", "<root><device>", "<deviceList>", "</deviceList>",
      "<UDN>uuid:a</UDN>",
      "<deviceType>urn:schemas-upnp-org:device:MediaServer:1</deviceType>", "<serviceList><service>",
      "<controlURL>//198.51.100.1/c</controlURL>", "<URLBase>http://192.0.2.9:1/</URLBase>",
      "</device></root>",
    ]
  ) { bytes in
    var table = DeviceTable(limits: .init(devices: 4, locations: 2, fetches: 2))
    var now = NIODeadline.uptimeNanoseconds(0)
    var asked: [Int] = []
    var known: Set<String> = []
    table.want([.any])
    table.setInterfaces(NetworkFixture.interfaces, now: now)

    func proceed() throws {
      for action in table.due(now: now) {
        switch action {
        case .fetch(let token, let location):
          asked.append(token)
          try check(location.address)
          try promise(
            location.url.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "would end a line: \(location.url)")
        case .cancel(let token): asked.removeAll { $0 == token }
        case .change(.appeared(let device)):
          try promise(known.insert(device.udn.lowercased()).inserted, "\(device.udn) appears twice")
          try check(device)
        case .change(.updated(let device)), .change(.restarted(let device)):
          try promise(known.contains(device.udn.lowercased()), "\(device.udn) was never told")
          try check(device)
        case .change(.expired(let device)), .change(.left(let device)):
          try promise(known.remove(device.udn.lowercased()) != nil, "\(device.udn) was never told")
        }
      }
      try promise(table.entries.count <= 4 && asked.count <= 2, "bounds")
      try promise(table.entries.values.allSatisfy { (1...2).contains($0.locations.count) }, "locations")
      try promise(table.devices.count == known.count, "readers know others")
      if let next = table.nextDeadline { try promise(next > now, "it would be called all the time") }
    }

    for record in bytes.split(separator: 0x1e, maxSplits: 64, omittingEmptySubsequences: false) {
      if record.isEmpty || record.first == UInt8(ascii: "<") {
        guard !asked.isEmpty else { continue }
        table.finish(asked.removeFirst(), try? RootDescription.read(ByteBuffer(bytes: record)), now: now)
      } else if let notice = SSDPNotice(datagram: record) {
        table.receive(notice, from: .v4(0xc000_0209), interface: 2, now: now)
      }
      try proceed()
      now = now + .seconds(Int64(record.count % 64))
      try proceed()
    }
    // Nothing stays for ever.
    for _ in 0..<200 {
      for token in asked { table.finish(token, nil, now: now) }
      asked = []
      try proceed()
      if asked.isEmpty, let next = table.nextDeadline { now = next }
      try proceed()
    }
    try promise(table.entries.isEmpty, "\(table.entries.count) devices stay")
  }

  private static func check(_ device: FoundDevice) throws {
    try promise(device.services.count <= RootDescription.maximumServices, "\(device.services.count) services")
    try promise(
      device.locations.count <= 2 && !device.locations.isEmpty, "\(device.locations.count) locations")
    for icon in device.icons { try check(icon.address) }
    for service in device.services {
      for address in [service.control, service.events, service.description] {
        if let address { try check(address) }
      }
    }
  }

  private static func check(_ address: ServiceAddress) throws {
    let isOnLink = NetworkFixture.interfaces[0].address(reaching: address.address) != nil
    try promise(isOnLink && !address.address.isLoopback, "\(address.address) isn't on the link")
    try promise((1...65535).contains(address.port), "port \(address.port)")
    try promise(
      address.target.hasPrefix("/") && address.target.utf8.allSatisfy { (0x21...0x7e).contains($0) },
      "would end a line: \(address.target)")
  }
}
