import NIOCore
import Network
import UPnP
import XML

@testable import ControlPoint

/// A table with a fake clock, and a network of two links.
struct TableRig {
  static let server = "urn:schemas-upnp-org:device:MediaServer:1"
  static let eth0 = NetworkInterface(
    index: 2, name: "eth0",
    addresses: [
      InterfaceAddress(address: .v4(0xc0a8_0102), prefixLength: 24),
      InterfaceAddress(address: .v6(0xfe80_0000_0000_0000, 2), prefixLength: 64),
    ], isRunning: true, isLoopback: false)
  static let wlan0 = NetworkInterface(
    index: 3, name: "wlan0", addresses: [InterfaceAddress(address: .v4(0x0a00_0002), prefixLength: 8)],
    isRunning: true, isLoopback: false)

  var table = DeviceTable()
  var now = NIODeadline.uptimeNanoseconds(0)
  /// Fetches that weren't answered yet.
  var asked: [(token: Int, url: String)] = []
  var changes: [DeviceChange] = []

  init(_ limits: DeviceTable.Limits = .init(), kinds: Set<DeviceKind> = [.mediaServer]) {
    table = DeviceTable(limits: limits)
    table.want(kinds)
    table.setInterfaces([Self.eth0, Self.wlan0], now: now)
  }

  static func notice(
    _ kind: String = "ssdp:alive", udn: String = "a", target: String = TableRig.server,
    location: String = "http://192.168.1.9:80/d.xml", bootID: Int? = 1, configID: Int? = nil,
    maxAge: Int? = 1800,
    nextBootID: Int? = nil
  ) -> SSDPNotice? {
    var text = "NOTIFY * HTTP/1.1\r\nNTS: \(kind)\r\nNT: \(target)\r\nUSN: uuid:\(udn)::\(target)\r\n"
    text += "LOCATION: \(location)\r\n"
    if let maxAge { text += "CACHE-CONTROL: max-age=\(maxAge)\r\n" }
    if let bootID { text += "BOOTID.UPNP.ORG: \(bootID)\r\n" }
    if let configID { text += "CONFIGID.UPNP.ORG: \(configID)\r\n" }
    if let nextBootID { text += "NEXTBOOTID.UPNP.ORG: \(nextBootID)\r\n" }
    return SSDPNotice(datagram: Array((text + "\r\n").utf8))
  }

  static func document(
    _ udn: String = "a", name: String = "A", type: String = TableRig.server, base: String? = nil,
    services: Int = 1,
    control: String = "/control", embedded: String = ""
  ) -> RootDescription? {
    let service = (0..<services).map {
      """
      <service><serviceType>urn:schemas-upnp-org:service:S\($0):1</serviceType><serviceId>s\($0)</serviceId>\
      <SCPDURL>/scpd</SCPDURL><controlURL>\(control)</controlURL><eventSubURL></eventSubURL></service>
      """
    }
    let text = """
      <root xmlns="urn:schemas-upnp-org:device-1-0">\(base.map { "<URLBase>\($0)</URLBase>" } ?? "")<device>\
      <deviceType>\(type)</deviceType><friendlyName>\(name)</friendlyName><UDN>uuid:\(udn)</UDN>\
      <serviceList>\(service.joined())</serviceList>\(embedded)</device></root>
      """
    return try? RootDescription.read(ByteBuffer(string: text))
  }

  mutating func hear(
    _ notice: SSDPNotice?, from sender: IPAddress = .v4(0xc0a8_0109), interface: Int = 2,
    proceeds: Bool = true
  ) {
    guard let notice else { return }
    table.receive(notice, from: sender, interface: interface, now: now)
    if proceeds { proceed() }
  }

  mutating func proceed() {
    for action in table.due(now: now) {
      switch action {
      case .fetch(let token, let location): asked.append((token, location.url))
      case .cancel(let token): asked.removeAll { $0.token == token }
      case .change(let change): changes.append(change)
      }
    }
  }

  /// Answers the first fetch; nil for a failure.
  mutating func answer(_ document: RootDescription?) {
    guard !asked.isEmpty else { return }
    table.finish(asked.removeFirst().token, document, now: now)
    proceed()
  }

  mutating func advance(_ time: TimeAmount) {
    let end = now + time
    while let next = table.nextDeadline, next <= end {
      now = max(next, now)
      proceed()
      guard table.nextDeadline != next else { break }
    }
    now = end
    proceed()
  }

  /// What readers were told since the last call, in short.
  mutating func told() -> [String] {
    defer { changes = [] }
    return changes.map(\.short)
  }
}

extension DeviceChange {
  var short: String {
    let word =
      switch self {
      case .appeared: "appeared"
      case .updated: "updated"
      case .restarted: "restarted"
      case .expired: "expired"
      case .left: "left"
      }
    return "\(word) \(device.friendlyName)"
  }
}
