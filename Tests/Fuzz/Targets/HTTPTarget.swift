import NIOCore

@testable import HTTP
@testable import UPnP

extension FuzzTarget {
  /// A connection's bytes, and what is made of each request before its body is looked at.
  static let http = FuzzTarget(
    name: "http", maximumLength: 4096,
    words: [
      "GET ", "POST ", "M-POST ", "SUBSCRIBE ", " HTTP/1.1\r\n", " HTTP/1.0\r\n", "\r\n", "\r\n\r\n",
      "Host: ",
      "Content-Length: ", "Transfer-Encoding: chunked\r\n", "Connection: close\r\n",
      "Expect: 100-continue\r\n",
      "SOAPACTION: \"urn:schemas-upnp-org:service:AVTransport:1#Play\"\r\n", "http://", "0\r\n\r\n",
      "ffffffff",
    ]
  ) { bytes in
    for limits in [HTTPLimits(), small] {
      let whole = try readings(bytes, step: .max, limits: limits)
      for step in [1, 2 + bytes.count % 13] {
        let cut = try readings(bytes, step: step, limits: limits)
        try promise(cut == whole, "cut every \(step) bytes: \(cut) instead of \(whole)")
      }
    }
  }

  private static let small: HTTPLimits = {
    var limits = HTTPLimits()
    limits.requestLineBytes = 60
    limits.headBytes = 200
    limits.headerCount = 4
    limits.bodyBytes = 40
    return limits
  }()

  /// The requests in `bytes`, as they are read when they come `step` bytes at a time.
  private static func readings(_ bytes: [UInt8], step: Int, limits: HTTPLimits) throws -> [String] {
    var parser = RequestParser(limits: limits)
    var buffer = ByteBuffer()
    var results: [String] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      buffer.writeBytes(rest.prefix(step))
      rest = rest.dropFirst(step)
      var heads = 0
      loop: while true {
        switch parser.next(&buffer) {
        case .needMore: break loop
        case .head:
          heads += 1
          try promise(heads <= 1, "announced twice")
        case .request(let request):
          heads = 0
          results.append(try reading(request, limits: limits))
        case .failure(let status):
          try promise(status.rawValue >= 400, "failed with \(status)")
          return results + ["\(status.rawValue)"]
        }
      }
      try promise(parser.heldBytes <= limits.bodyBytes, "holds \(parser.heldBytes) bytes")
      // 257: the line of a chunk's size.
      let mostWaiting = max(limits.headBytes, limits.bodyBytes, 257) + max(1, min(step, bytes.count))
      try promise(buffer.readableBytes <= mostWaiting, "\(buffer.readableBytes) bytes wait")
    }
    return results
  }

  private static func reading(_ request: HTTPRequest, limits: HTTPLimits) throws -> String {
    let head = request.head
    try promise(request.body.readableBytes <= limits.bodyBytes, "a body of \(request.body.readableBytes)")
    try promise(head.path.utf8.count <= limits.requestLineBytes, "a path of \(head.path.utf8.count)")
    try promise(head.path.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "a path with strange characters")
    var text = "\(head.method) \(head.path) \(head.keepsAlive) \(head.expectsContinue) "
    text += "\(head.host.map(NetworkFixture.policy.accepts(host:)) ?? false) "
    do {
      let action = try SOAPAction(head)
      text += "\(action.serviceType)#\(action.name)"
    } catch {
      text += "\(error.status.rawValue)"
    }
    return text + " \(Array(request.body.readableBytesView))"
  }
}
