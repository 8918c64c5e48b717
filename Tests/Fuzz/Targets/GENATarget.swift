import NIOCore
import Network
import Text

@testable import HTTP
@testable import UPnP

extension FuzzTarget {
  /// A subscription (a line with the method, then header fields), and what subscribers answer to events.
  static let gena = FuzzTarget(
    name: "gena", maximumLength: 2048,
    words: [
      "SUBSCRIBE\n", "UNSUBSCRIBE\n", "CALLBACK: <http://192.0.2.50:4004/evt>", "NT: upnp:event\n",
      "TIMEOUT: Second-",
      "infinite", "SID: uuid:11111111-2222-4333-8444-555555555555\n", "<http://[fe80::1%25eth0]:80/>", "<",
      ">",
      "http://user@192.0.2.1/", "HTTP/1.1 200 OK\r\n", "\r\n\r\n", ":65535", "://", "?", "#",
    ]
  ) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    var lines = text.split(separator: "\n").makeIterator()
    let method = lines.next().map { $0.trimmingASCIISpace } ?? ""
    var fields = HeaderFields()
    while let line = lines.next() {
      let pair = line.split(separator: ":", maxSplits: 1)
      guard pair.count == 2 else { continue }
      fields.append(name: pair[0].lowercased(), value: pair[1].trimmingASCIISpace)
    }
    let limits = EventLimits()
    let seconds = limits.granted(timeout: fields.first("timeout"))
    try promise((limits.minimumTimeout...limits.maximumTimeout).contains(seconds), "\(seconds) s granted")
    for format in [SIDFormat.uuid, .numbered(prefix: "uuid:")] {
      guard let request = try? SubscriptionRequest(method: method, fields: fields, sidFormat: format) else {
        continue
      }
      switch request {
      case .subscribe(let callback, _): try check(callbacks: callback, limits: limits)
      case .renew(let sid, _), .unsubscribe(let sid):
        try promise(format.sid(format.text(sid)) == sid, "\(sid) isn't read back")
      }
    }
    try check(callbacks: text, limits: limits)
    try check(answer: bytes)
  }

  private static func check(callbacks header: String, limits: EventLimits) throws {
    guard let urls = CallbackURL.list(header, limits: limits) else { return }
    try promise(urls.count <= limits.callbacksPerSubscription, "\(urls.count) callbacks")
    for url in urls {
      try promise((1...65535).contains(url.port), "port \(url.port)")
      try promise(IPAddress(url.address.description) == url.address, "\(url.address) isn't read back")
      // What goes into the request line of an event must not be able to end it.
      try promise(
        url.target.utf8.first == 0x2f && url.target.utf8.allSatisfy { (0x21...0x7e).contains($0) },
        "target \(url.target)")
      let deliverable = NetworkFixture.policy.mayDeliver(
        to: url.address, subscriber: Peer(remote: .v4(0xc000_0232), local: .v4(0xc000_0207), localPort: 49494)
      )
      let isNear = url.address.unmapped.masked(toPrefix: 24) == .v4(0xc000_0200)
      try promise(!deliverable || isNear, "events would go to \(url.address)")
    }
  }

  private static func check(answer bytes: [UInt8]) throws {
    var whole = StatusReader()
    let expected = whole.read(ByteBuffer(bytes: bytes))
    var cut = StatusReader()
    var result = StatusReader.Result.needMore
    for byte in bytes where result == .needMore { result = cut.read(ByteBuffer(bytes: [byte])) }
    try promise(result == expected, "byte by byte: \(result) instead of \(expected)")
  }
}
