import CPage
import NIOCore

/// A file of the page. It is read-only data of the program, which nobody has touched before it is served.
struct PageAsset: Sendable, Hashable {
  fileprivate let index: Int32

  /// All of them.
  static var all: [PageAsset] { (0..<cpage_count()).map(PageAsset.init(index:)) }

  /// The one with `name`; nil when there is none.
  static func named(_ name: some StringProtocol) -> PageAsset? { all.first { $0.name == name } }

  /// As in its address: `app.js`.
  var name: String { String(cString: cpage_name(index)) }

  /// A copy of its bytes.
  var body: ByteBuffer { withBytes { ByteBuffer(bytes: $0) } }

  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    var length = 0
    let start = cpage_bytes(index, &length)
    return body(UnsafeBufferPointer(start: start, count: length))
  }

  var contentType: String {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "json": "application/json"
    case "svg": "image/svg+xml"
    case "png": "image/png"
    default: "application/octet-stream"
    }
  }

  /// False for what is compressed already.
  var isText: Bool { contentType != "image/png" }
}
