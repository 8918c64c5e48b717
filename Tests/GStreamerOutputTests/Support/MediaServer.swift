import Foundation
import Glibc

/// A little HTTP server on loopback that behaves as badly as a test wants.
final class MediaServer: @unchecked Sendable {
  enum Behaviour: Sendable {
    case file([UInt8], type: String?, ranges: Bool)
    /// Promises parts, and sends the whole file to who asks for one.
    case brokenRanges([UInt8])
    case status(Int)
    case redirect(String)
    /// The first bytes, then silence for so many seconds, then the rest.
    case pause(bytes: [UInt8], after: Int, seconds: Double)
    case silence
    /// These bytes and nothing else.
    case bytes([UInt8])
    /// After so many parts that were asked for, silence for who asks for another.
    case silentParts([UInt8], answered: Int)
    /// Who asks for a part gets a byte of it every half a second.
    case drippingParts([UInt8])
    /// Who asks for a part gets so many bytes of it a second.
    case slowParts([UInt8], rate: Int)
    /// Sends less than its header says, breaks off some seconds later, and has nothing more (status 416) for who asks again.
    case short([UInt8], promised: Int, seconds: Double = 0)
    /// So many seconds of silence, then the other answer.
    indirect case late(Behaviour, seconds: Double)
    /// ICY: a title in front of every 8000 bytes.
    case station([UInt8], name: String, title: String)
  }

  let port: UInt16
  private let descriptor: CInt
  private let lock = NSLock()
  private var routes: [String: Behaviour] = [:]
  private var requested: [String] = []

  init() {
    descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listening = descriptor
    port = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listening, address, length)
        listen(listening, 64)
        getsockname(listening, address, &length)
      }
      return UInt16(bigEndian: pointer.pointee.sin_port)
    }
    Thread.detachNewThread { [descriptor] in
      while true {
        let client = accept(descriptor, nil, nil)
        guard client >= 0 else { return }
        Thread.detachNewThread { [weak self] in
          self?.serve(client)
          close(client)
        }
      }
    }
  }

  deinit {
    Glibc.shutdown(descriptor, CInt(SHUT_RDWR))
    close(descriptor)
  }

  subscript(path: String) -> Behaviour? {
    get { lock.withLock { routes[path] } }
    set { lock.withLock { routes[path] = newValue } }
  }

  var requests: [String] { lock.withLock { requested } }

  func uri(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  func add(_ path: String, fixture: String, type: String? = nil, ranges: Bool = true) -> String {
    let bytes =
      (try? Data(contentsOf: Fixtures.directory.appendingPathComponent(fixture))).map(Array.init) ?? []
    self[path] = .file(bytes, type: type, ranges: ranges)
    return uri(path)
  }

  private func serve(_ client: CInt) {
    var request = ""
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !request.contains("\r\n\r\n") {
      let count = recv(client, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      request += String(decoding: buffer.prefix(count), as: UTF8.self)
    }
    lock.withLock { requested.append(request) }
    guard let behaviour = self[Self.path(request)] else { return head(client, 404, 0) }
    answer(client, request, behaviour)
  }

  private func answer(_ client: CInt, _ request: String, _ behaviour: Behaviour) {
    switch behaviour {
    case .late(let later, let seconds):
      usleep(useconds_t(seconds * 1_000_000))
      answer(client, request, later)
    case .status(let status): head(client, status, 0)
    case .redirect(let to): head(client, 302, 0, ["Location: \(to)"])
    case .bytes(let bytes): put(client, bytes[...])
    case .silence: usleep(20_000_000)
    case .silentParts(let bytes, let answered):
      let start = rangeStart(request)
      if start != nil {
        self[Self.path(request)] = .silentParts(bytes, answered: answered - 1)
        if answered <= 0 { usleep(20_000_000) }
      }
      let part = "Content-Range: bytes \(start ?? 0)-\(bytes.count - 1)/\(bytes.count)"
      head(
        client, start == nil ? 200 : 206, bytes.count - (start ?? 0),
        ["Accept-Ranges: bytes"] + (start == nil ? [] : [part]))
      put(client, bytes[(start ?? 0)...])
    case .drippingParts(let bytes):
      guard let start = rangeStart(request) else {
        head(client, 200, bytes.count, ["Accept-Ranges: bytes"])
        return put(client, bytes[...])
      }
      let part = "Content-Range: bytes \(start)-\(bytes.count - 1)/\(bytes.count)"
      head(client, 206, bytes.count - start, ["Accept-Ranges: bytes", part])
      for at in bytes[start...].indices.prefix(60) {
        put(client, bytes[at...at])
        usleep(500_000)
      }
    case .slowParts(let bytes, let rate):
      guard let start = rangeStart(request) else {
        head(client, 200, bytes.count, ["Accept-Ranges: bytes"])
        return put(client, bytes[...])
      }
      let part = "Content-Range: bytes \(start)-\(bytes.count - 1)/\(bytes.count)"
      head(client, 206, bytes.count - start, ["Accept-Ranges: bytes", part])
      for at in stride(from: start, to: bytes.count, by: rate / 10) {
        put(client, bytes[at..<min(at + rate / 10, bytes.count)])
        usleep(100_000)
      }
    case .short(let bytes, let promised, let seconds):
      if let start = rangeStart(request), start >= bytes.count { return head(client, 416, 0) }
      head(client, 200, promised, ["Accept-Ranges: bytes"])
      put(client, bytes[...])
      usleep(useconds_t(seconds * 1_000_000))
    case .file(let bytes, let type, let ranges):
      var fields = ranges ? ["Accept-Ranges: bytes"] : []
      if let type { fields.append("Content-Type: \(type)") }
      if ranges, let start = rangeStart(request), start < bytes.count {
        fields.append("Content-Range: bytes \(start)-\(bytes.count - 1)/\(bytes.count)")
        head(client, 206, bytes.count - start, fields)
        put(client, bytes[start...])
      } else {
        head(client, 200, bytes.count, fields)
        put(client, bytes[...])
      }
    case .brokenRanges(let bytes):
      head(client, 200, bytes.count, ["Accept-Ranges: bytes"])
      put(client, bytes[...])
    case .pause(let bytes, let after, let seconds):
      head(client, 200, bytes.count)
      put(client, bytes[..<after])
      usleep(useconds_t(seconds * 1_000_000))
      put(client, bytes[after...])
    case .station(let bytes, let name, let title):
      put(
        client,
        Array(
          "HTTP/1.0 200 OK\r\nContent-Type: audio/mpeg\r\nicy-name: \(name)\r\nicy-metaint: 8000\r\n\r\n".utf8
        )[...])
      var text = Array("StreamTitle='\(title)';".utf8)
      text += [UInt8](repeating: 0, count: (16 - text.count % 16) % 16)
      var at = 0
      while at < bytes.count {
        let end = min(at + 8000, bytes.count)
        put(client, bytes[at..<end])
        if end - at == 8000 { put(client, ([UInt8(text.count / 16)] + text)[...]) }
        at = end
      }
    }
  }

  private static func path(_ request: String) -> String {
    String(request.split(separator: " ").dropFirst().first ?? "")
  }

  private func rangeStart(_ request: String) -> Int? {
    guard let field = request.lowercased().range(of: "range: bytes=") else { return nil }
    return Int(request.lowercased()[field.upperBound...].prefix { $0.isNumber })
  }

  private func head(_ client: CInt, _ status: Int, _ length: Int, _ fields: [String] = []) {
    let lines = ["HTTP/1.1 \(status) Status", "Content-Length: \(length)", "Connection: close"] + fields
    put(client, Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)[...])
  }

  private func put(_ client: CInt, _ bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBytes { raw in
      var sent = 0
      while sent < raw.count {
        let count = send(client, raw.baseAddress! + sent, raw.count - sent, CInt(MSG_NOSIGNAL))
        guard count > 0 else { return }
        sent += count
      }
    }
  }
}
