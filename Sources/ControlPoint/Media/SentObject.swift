import NIOCore
import Text
import XML

/// An object as its server wrote it, to be passed on to a renderer.
public struct SentObject: Sendable, Hashable {
  /// The longest that is kept, in bytes; a longer one is written anew.
  static let maximumLength = 64 * 1024

  /// `<item …>…</item>`
  let text: String
  /// The namespaces that the server's document declares; values are escaped as they were.
  let namespaces: [String: String]

  private static let known = [
    "dc": "http://purl.org/dc/elements/1.1/", "upnp": "urn:schemas-upnp-org:metadata-1-0/upnp/",
    "dlna": "urn:schemas-dlna-org:metadata-1-0/", "sec": "http://www.sec.co.kr/",
    "pv": "http://www.pv.com/pvns/", "arib": "urn:schemas-arib-or-jp:elements-1-0/",
    "xsi": "http://www.w3.org/2001/XMLSchema-instance", "av": "urn:schemas-sony-com:av",
  ]

  /// The object alone in a document of its own, with the namespaces that it needs, also those that the server forgot to
  /// declare; nil if no renderer could read it.
  var document: String? {
    let prefixes = XMLPrefixes(text)
    var head = #"<DIDL-Lite xmlns="urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/""#
    for prefix in prefixes.used.union(["dc", "upnp"]).sorted() where prefixes.declared[prefix] == nil {
      let namespace = namespaces[prefix] ?? Self.known[prefix] ?? "urn:x-undeclared:\(prefix)"
      head += " xmlns:\(prefix)=\"\(namespace.withEach("\"", replacedBy: "&quot;"))\""
    }
    let document = head + ">" + text + "</DIDL-Lite>"
    return Self.isWellFormed(document) ? document : nil
  }

  private static func isWellFormed(_ document: String) -> Bool {
    (try? StrictXML.read(ByteBuffer(string: document), depth: StrictXML.maximumDepth, with: Reader())) != nil
  }

  private struct Reader: XMLVisitor {
    mutating func start(_ tag: XMLStartTag, depth: Int) throws(XMLError) -> Bool { false }
    mutating func end(depth: Int, text: String?) throws(XMLError) {}
  }
}
