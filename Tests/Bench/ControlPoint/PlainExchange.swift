import ControlPoint
import Glibc
import NIOCore
import UPnP

/// The same call as bytes that are written once and read until the answer is whole, on a blocking socket that stays open.
final class PlainExchange {
  private let descriptor: CInt
  private let request: [UInt8]
  private var buffer = [UInt8](repeating: 0, count: 16 * 1024)

  init?(_ location: ServiceLocation) {
    let call = SOAPCall(
      serviceType: location.type, action: "GetVolume",
      arguments: [
        SOAPArgument(name: "InstanceID", text: "0"), SOAPArgument(name: "Channel", text: "Master"),
      ])
    let body = String(buffer: call.body)
    request = Array(
      """
      POST \(location.control.target) HTTP/1.1\r\nHOST: 127.0.0.1:\(location.control.port)\r\n\
      CONTENT-TYPE: text/xml; charset="utf-8"\r\nSOAPACTION: \(call.header)\r\n\
      CONTENT-LENGTH: \(body.utf8.count)\r\n\r\n\(body)
      """.utf8)
    descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(location.control.port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
    }
    guard descriptor >= 0, connected == 0 else { return nil }
  }

  /// Returns false when there is no whole answer.
  func exchange() -> Bool {
    guard send(descriptor, request, request.count, 0) == request.count else { return false }
    var answer: [UInt8] = []
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return false }
      answer += buffer[..<count]
      if String(decoding: answer.suffix(12), as: UTF8.self).contains("Envelope>") { return true }
    }
  }
}
