import CLinux
import Glibc

/// Bounds-checked reading of numbers in kernel messages, in the byte order of this host.
struct NetlinkBytes {
  let bytes: UnsafeRawBufferPointer

  var count: Int { bytes.count }

  func load<Number: FixedWidthInteger>(_ offset: Int, as type: Number.Type = Number.self) -> Number? {
    guard offset >= 0, offset + MemoryLayout<Number>.size <= bytes.count else { return nil }
    return bytes.loadUnaligned(fromByteOffset: offset, as: type)
  }

  /// The bytes in `range`, clamped to the bytes that exist.
  subscript(range: Range<Int>) -> NetlinkBytes {
    NetlinkBytes(bytes: UnsafeRawBufferPointer(rebasing: bytes[range.clamped(to: 0..<bytes.count)]))
  }

  func dropping(_ length: Int) -> NetlinkBytes { self[min(length, count)..<count] }

  /// The attributes after the first `length` bytes, up to the first malformed one.
  func attributes(after length: Int = 0) -> some Sequence<(type: Int, value: NetlinkBytes)> {
    Swift.sequence(state: dropping((length + 3) & ~3)) { rest in
      guard let record = rest.nextRecord(lengthBytes: 2, header: 4),
        let type = record.load(2, as: UInt16.self)
      else { return nil }
      return (Int(type & Self.attributeTypeMask), record.dropping(4))
    }
  }

  /// The upper two bits are flags about the value's encoding, and aren't always set.
  private static let attributeTypeMask: UInt16 = 0x3fff

  /// Splits off a record that starts with its own length (4 or 2 bytes); nil at the end, and when the length is
  /// invalid.
  fileprivate mutating func nextRecord(lengthBytes: Int, header: Int) -> NetlinkBytes? {
    let length =
      lengthBytes == 4 ? load(0, as: UInt32.self).map(Int.init) : load(0, as: UInt16.self).map(Int.init)
    guard let length, length >= header, length <= count else { return nil }
    let record = self[0..<length]
    // Records start at multiples of four bytes.
    self = dropping((length + 3) & ~3)
    return record
  }
}

/// One message from the kernel's routing socket (rtnetlink).
struct NetlinkMessage {
  static let headerLength = 16

  var type: Int
  var flags: Int
  var sequence: UInt32
  var payload: NetlinkBytes

  /// The messages in `datagram`, up to the first malformed one.
  static func messages(in datagram: UnsafeRawBufferPointer) -> some Sequence<NetlinkMessage> {
    Swift.sequence(state: NetlinkBytes(bytes: datagram)) { rest in
      guard let record = rest.nextRecord(lengthBytes: 4, header: headerLength),
        let type = record.load(4, as: UInt16.self), let flags = record.load(6, as: UInt16.self),
        let number = record.load(8, as: UInt32.self)
      else { return nil }
      return NetlinkMessage(
        type: Int(type), flags: Int(flags), sequence: number, payload: record.dropping(headerLength))
    }
  }

  /// Makes a request to list everything of one type (`RTM_GETLINK`, `RTM_GETADDR`, `RTM_GETROUTE`).
  static func dumpRequest(type: Int, family: Int32 = AF_UNSPEC, sequence: UInt32) -> [UInt8] {
    var header = nlmsghdr()
    var body = rtgenmsg()
    body.rtgen_family = UInt8(truncatingIfNeeded: family)
    header.nlmsg_len = UInt32(headerLength + 4)
    header.nlmsg_type = UInt16(truncatingIfNeeded: type)
    header.nlmsg_flags = UInt16(NLM_F_REQUEST | NLM_F_ROOT | NLM_F_MATCH)
    header.nlmsg_seq = sequence
    return withUnsafeBytes(of: header, Array.init) + [body.rtgen_family, 0, 0, 0]
  }
}
