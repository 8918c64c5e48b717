import Foundation
import Glibc

/// A blocking TCP socket on the loopback interface, with a bound on every wait.
final class RawSocket: @unchecked Sendable {
  // Safe: used by one test at a time; the descriptor never changes.
  let descriptor: Int32

  init(descriptor: Int32) {
    self.descriptor = descriptor
    setTimeout(seconds: 10)
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Connects to a port of 127.0.0.1.
  convenience init(port: Int, from source: String? = nil) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw SocketFailure(call: "socket", number: errno) }
    self.init(descriptor: descriptor)
    if let source {
      var address = Self.address(source, 0)
      let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      guard result == 0 else { throw SocketFailure(call: "bind", number: errno) }
    }
    var address = Self.address("127.0.0.1", port)
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw SocketFailure(call: "connect", number: errno) }
  }

  /// Connects to a port of ::1.
  convenience init(ipv6Port port: Int) throws {
    let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw SocketFailure(call: "socket", number: errno) }
    self.init(descriptor: descriptor)
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = in_port_t(port).bigEndian
    address.sin6_addr = in6addr_loopback
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
      }
    }
    guard result == 0 else { throw SocketFailure(call: "connect", number: errno) }
  }

  deinit { close(descriptor) }

  /// A socket that has a port of 127.0.0.1 for itself, and does nothing with it yet.
  static func bound(to port: Int = 0) throws -> (descriptor: Int32, port: Int) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = Self.address("127.0.0.1", port)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(descriptor, pointer, size) == 0 && getsockname(descriptor, pointer, &size) == 0
      }
    }
    guard result else {
      let failure = SocketFailure(call: "bind", number: errno)
      close(descriptor)
      throw failure
    }
    return (descriptor, Int(in_port_t(bigEndian: address.sin_port)))
  }

  static func address(_ host: String, _ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr(host)
    return address
  }

  func setTimeout(seconds: Int) {
    var time = timeval(tv_sec: seconds, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, size)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, size)
  }

  /// Has the end of this socket reset the connection: the peer learns that nobody reads any more.
  func resets() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
  }

  /// False when the peer has closed or reset the connection.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Its end comes as a reset.
  func resetsWhenClosed() {
    var value = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
  }

  func closeOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

  private var pending: [UInt8] = []

  /// More bytes; nil at the end or after an error or time-out.
  private func receive() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return count > 0 ? Array(buffer[..<count]) : nil
  }

  /// Reads one message with its body; nil when the connection ends before it is complete.
  func message(hasBody: Bool = true) -> Message? {
    while true {
      if let message = Message(&pending, hasBody: hasBody) { return message }
      guard let more = receive() else { return nil }
      pending += more
    }
  }

  /// Everything up to the end of the connection.
  func rest() -> String {
    while let more = receive() { pending += more }
    defer { pending = [] }
    return String(decoding: pending, as: UTF8.self)
  }

  /// True when something can be read, or the peer has ended the connection.
  var hasSomething: Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waiting, 1, 0) > 0
  }

  /// True when the peer ends the connection in time, whatever it still sends.
  func endsInTime() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count == 0 { return true }
      if count < 0 { return errno != EAGAIN }
    }
  }
}

struct SocketFailure: Error {
  var call: String
  var number: Int32
}

/// A request or a response.
struct Message {
  var line: String
  var fields: [(name: String, value: String)] = []
  var body = ""

  init?(_ bytes: inout [UInt8], hasBody: Bool) {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    line = lines[0]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { return nil }
      fields.append(
        (line[..<colon].lowercased(), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)))
    }
    let length = hasBody ? Int(self["content-length"] ?? "0") ?? 0 : 0
    guard bytes.count >= end.upperBound + length else { return nil }
    body = String(decoding: bytes[end.upperBound..<(end.upperBound + length)], as: UTF8.self)
    bytes.removeFirst(end.upperBound + length)
  }

  subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

  /// Of a response.
  var status: Int { Int(line.split(separator: " ").dropFirst().first ?? "") ?? 0 }
}
