/// Bytes of rtnetlink messages as this host's kernel would write them.
struct NetlinkFixture {
  static let newLink = 16
  static let deleteLink = 17
  static let newAddress = 20
  static let deleteAddress = 21
  static let newRoute = 24
  static let deleteRoute = 25
  static let done = 3
  static let error = 2
  static let up: UInt32 = 1
  static let loopback: UInt32 = 8
  static let running: UInt32 = 0x40
  static let multicast: UInt32 = 0x1000
  static let cabled = up | running | multicast

  static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number, Array.init)
  }

  static func padded(_ bytes: [UInt8]) -> [UInt8] {
    bytes + Array(repeating: 0, count: (4 - bytes.count % 4) % 4)
  }

  static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
    padded(bytes(UInt16(4 + value.count)) + bytes(type) + value)
  }

  static func message(_ type: Int, flags: UInt16 = 0, sequence: UInt32 = 0, _ payload: [UInt8]) -> [UInt8] {
    padded(
      bytes(UInt32(16 + payload.count)) + bytes(UInt16(type)) + bytes(flags) + bytes(sequence)
        + bytes(UInt32(0))
        + payload)
  }

  static func link(
    _ type: Int = newLink, index: Int32, name: String, flags: UInt32 = cabled, family: UInt8 = 0,
    sequence: UInt32 = 0, messageFlags: UInt16 = 0, master: UInt32? = nil, kind: String? = nil
  ) -> [UInt8] {
    let fixed = [family, 0] + bytes(UInt16(1)) + bytes(index) + bytes(flags) + bytes(UInt32.max)
    return message(
      type, flags: messageFlags, sequence: sequence,
      fixed + attribute(4, bytes(UInt32(1500))) + attribute(3, Array(name.utf8) + [0])
        + (master.map { attribute(10, bytes($0)) } ?? [])
        // IFLA_LINKINFO, in which a port also has the kind of its master.
        + (kind.map { attribute(18, attribute(1, Array($0.utf8) + [0]) + attribute(4, Array("bridge".utf8))) }
          ?? []))
  }

  /// What wireless extensions tell of a link: an event, and of the link itself its name and flags only.
  static func wirelessEvent(index: Int32, name: String, flags: UInt32 = cabled) -> [UInt8] {
    // struct iw_event: its length, SIOCGIWAP, and the address of the access point, which may come to lie elsewhere.
    let event = bytes(UInt16(24)) + bytes(UInt16(0x8b15)) + Array(repeating: 0, count: 20)
    return message(
      newLink,
      [0, 0] + bytes(UInt16(1)) + bytes(index) + bytes(flags) + bytes(UInt32(0))
        + attribute(3, Array(name.utf8) + [0]) + attribute(11, event))
  }

  static func address(
    _ type: Int = newAddress, index: Int32, local: [UInt8]? = nil, address: [UInt8], prefix: UInt8,
    flags: UInt32 = 0x80, sequence: UInt32 = 0
  ) -> [UInt8] {
    let family: UInt8 = address.count == 4 ? 2 : 10
    let fixed = [family, prefix, UInt8(truncatingIfNeeded: flags), 0] + bytes(index)
    return message(
      type, sequence: sequence,
      fixed + attribute(1, address) + (local.map { attribute(2, $0) } ?? []) + attribute(8, bytes(flags)))
  }

  /// A route to an IPv6 network; with `gateway`, through a router.
  static func route(
    _ type: Int = newRoute, to network: [UInt8], prefix: UInt8, index: UInt32, gateway: [UInt8]? = nil,
    metric: UInt32 = 256, table: UInt8 = 254, kind: UInt8 = 1, messageFlags: UInt16 = 0
  ) -> [UInt8] {
    let fixed = [10, prefix, 0, 0, table, 9, 0, kind] + bytes(UInt32(0))
    return message(
      type, flags: messageFlags,
      fixed + attribute(15, bytes(UInt32(table))) + attribute(1, network) + attribute(6, bytes(metric))
        + attribute(4, bytes(index)) + (gateway.map { attribute(5, $0) } ?? []))
  }

  static func done(sequence: UInt32, flags: UInt16 = 2) -> [UInt8] {
    message(done, flags: flags, sequence: sequence, bytes(Int32(0)))
  }

  static func error(_ code: Int32, sequence: UInt32) -> [UInt8] {
    message(error, sequence: sequence, bytes(-code) + Array(repeating: 0, count: 16))
  }

  /// fe80::`last`
  static func linkLocal(_ last: UInt8) -> [UInt8] {
    [0xfe, 0x80] + Array(repeating: 0, count: 13) + [last]
  }
}
