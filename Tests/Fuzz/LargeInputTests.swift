import Glibc
import Testing

/// Inputs of the largest size that gets in, each made to be as much work as possible: none may take long, for as long
/// as it takes nobody else is served.
@Suite(.serialized, .disabled(if: FuzzTarget.isFuzzing)) struct LargeInputTests {
  /// What a body, a document and a file may hold is this or more, in bytes.
  private static let size = 256 * 1024

  struct Shape: Sendable, CustomStringConvertible {
    let target: String
    let description: String
    /// The input of about as many bytes.
    let make: @Sendable (Int) -> String
  }

  private static func envelope(_ inside: String, attributes: String = "") -> String {
    "<s:Envelope xmlns:s=\"e\"><s:Body><u:SetAVTransportURI xmlns:u=\"t\"\(attributes)><InstanceID>0</InstanceID>"
      + "<CurrentURI>http://192.0.2.1/a</CurrentURI>\(inside)</u:SetAVTransportURI></s:Body></s:Envelope>"
  }

  private static func metadata(_ inside: String) -> String {
    envelope(
      "<CurrentURIMetaData>" + inside.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        + "</CurrentURIMetaData>")
  }

  /// `count` different names.
  private static func names(_ size: Int, _ text: (String) -> String) -> String {
    (0..<size / (text("aaaaa").utf8.count)).map { text("a" + String($0, radix: 36)) }.joined()
  }

  private static func repeated(_ text: String, _ size: Int) -> String {
    String(repeating: text, count: size / text.utf8.count)
  }

  static let shapes: [Shape] = [
    Shape(target: "soap", description: "attributes") { size in
      envelope("", attributes: names(size) { " \($0)=\"\"" })
    },
    Shape(target: "soap", description: "namespaces") { size in
      envelope("", attributes: names(size) { " xmlns:\($0)=\"u\"" })
    },
    Shape(target: "soap", description: "namespaces, used") { size in
      envelope(repeated("<u:a/>", size / 2), attributes: names(size / 2) { " xmlns:\($0)=\"u\"" })
    },
    Shape(target: "soap", description: "namespaced attributes") { size in
      envelope("", attributes: names(size) { " u:\($0)=\"\"" })
    },
    Shape(target: "soap", description: "elements in an argument") { size in
      envelope("<A>" + repeated("<a b=\"\"/>", size) + "</A>")
    },
    Shape(target: "soap", description: "references") { size in
      envelope("<A>" + repeated("&lt;", size) + "</A>")
    },
    Shape(target: "soap", description: "sections") { size in
      envelope("<A>" + repeated("<![CDATA[a]]>", size) + "</A>")
    },
    Shape(target: "soap", description: "comments") { size in envelope(repeated("<!---->", size)) },
    Shape(target: "soap", description: "an open comment") { size in envelope("<!--" + repeated("<!-", size))
    },
    Shape(target: "soap", description: "an open attribute") { size in
      envelope("<A b=\"" + repeated("<a ", size))
    },
    Shape(target: "soap", description: "one long name") { size in envelope("<" + repeated("a", size) + "/>")
    },
    Shape(target: "soap", description: "metadata of small elements") { size in
      metadata("<DIDL-Lite>" + repeated("<a b=''/>", size / 2))
    },
    Shape(target: "didl", description: "attributes") { size in
      "<DIDL-Lite><item " + names(size) { " \($0)=''" } + "></item></DIDL-Lite>"
    },
    Shape(target: "didl", description: "namespaces") { size in
      "<DIDL-Lite><item " + names(size) { " xmlns:\($0)=''" } + "></item></DIDL-Lite>"
    },
    Shape(target: "didl", description: "elements") { size in "<DIDL-Lite><item>" + repeated("<a b=''/>", size)
    },
    Shape(target: "didl", description: "items") { size in "<DIDL-Lite>" + repeated("<item/>", size) },
    Shape(target: "didl", description: "resources") { size in
      "<DIDL-Lite><item>" + repeated("<res>u</res>", size)
    },
    Shape(target: "didl", description: "ampersands") { size in "<a>" + repeated("&", size) + "</a>" },
    Shape(target: "didl", description: "names of HTML") { size in "<a>" + repeated("&eacute;", size) + "</a>"
    },
    Shape(target: "didl", description: "sections") { size in "<a>" + repeated("<![CDATA[a]]>", size) + "</a>"
    },
    Shape(target: "didl", description: "open sections") { size in "<a>" + repeated("<![CDATA[", size) },
    Shape(target: "didl", description: "open elements") { size in repeated("<a>", size) },
    Shape(target: "didl", description: "open brackets") { size in repeated("<", size) },
    Shape(target: "didl", description: "processing instructions") { size in "<a>" + repeated("<?a ?>", size)
    },
    Shape(target: "didl", description: "marks on one letter") { size in
      "<DIDL-Lite><item><title>" + repeated("\u{301}", size)
    },
    Shape(target: "playlist", description: "lines") { size in repeated("a\n", size) },
    Shape(target: "playlist", description: "information") { size in repeated("#EXTINF:1,a\n", size) },
    Shape(target: "playlist", description: "steps up") { size in
      repeated(repeated("a/", 2000) + repeated("../", 2000) + "\n", size)
    },
    Shape(target: "playlist", description: "numbers") { size in
      "[playlist]\n" + names(size) { "File\(Int($0, radix: 36) ?? 0)=\($0)\n" }
    },
    Shape(target: "playlist", description: "one long line") { size in repeated("a", size) },
    Shape(target: "playlist", description: "equals") { size in "[playlist]\n" + repeated("=", size) },
    Shape(target: "playlist", description: "items") { size in
      "<DIDL-Lite>" + repeated("<item><res>u</res></item>", size)
    },
    Shape(target: "toml", description: "dots") { size in repeated("a.", size) + "a = 1\n" },
    Shape(target: "toml", description: "dots in headers") { size in "[" + repeated("a.", size) + "a]\n" },
    Shape(target: "toml", description: "lists in lists") { size in "a = " + repeated("[", size) },
    Shape(target: "toml", description: "tables in tables") { size in "a = " + repeated("{a=", size) },
    Shape(target: "toml", description: "tables in tables, dotted") { size in
      "a = " + repeated("{" + repeated("a.", 1000) + "a=", size)
    },
    Shape(target: "toml", description: "unknown keys") { size in "[network]\n" + names(size) { "\($0)=1\n" }
    },
    Shape(target: "toml", description: "unknown sections") { size in names(size) { "[\($0)]\n" } },
    Shape(target: "toml", description: "one long key") { size in "[network]\n" + repeated("a", size) + "=1\n"
    },
    Shape(target: "toml", description: "elements") { size in
      "[network]\nallow = [" + repeated("1,", size) + "]\n"
    },
    Shape(target: "uri", description: "colons") { size in repeated(":", size) },
    Shape(target: "uri", description: "at signs") { size in "http://" + repeated("@", size) },
    Shape(target: "uri", description: "parameters") { size in "http://a/?" + repeated("a=b&", size) },
    Shape(target: "uri", description: "marks on one letter") { size in "http://a/" + repeated("\u{301}", size)
    },
    Shape(target: "uri", description: "escapes") { size in "file:///srv/music/" + repeated("%2e/", size) },
    Shape(target: "description", description: "attributes") { size in
      "<root><device" + names(size) { " \($0)=''" } + "></device></root>"
    },
    Shape(target: "description", description: "elements") { size in
      "<root><device>" + repeated("<a b=''/>", size)
    },
    Shape(target: "description", description: "services") { size in
      "<root><device><deviceType>a</deviceType><UDN>a</UDN><serviceList>" + repeated("<service/>", size)
    },
    Shape(target: "description", description: "ampersands") { size in "<root>" + repeated("&", size) },
    Shape(target: "reply", description: "elements in a result") { size in
      envelope("<A>" + repeated("<a b=\"\"/>", size) + "</A>")
    },
    Shape(target: "reply", description: "references") { size in
      envelope("<Result>" + repeated("&lt;", size) + "</Result>")
    },
    Shape(target: "reply", description: "codes") { size in
      "<Envelope><Body><Fault><detail><e>" + repeated("<errorCode>1</errorCode>", size)
        + "</e></detail></Fault></Body></Envelope>"
    },
    Shape(target: "browse", description: "items") { size in
      "<DIDL-Lite>" + names(size) { "<item id='\($0)'/>" }
    },
    Shape(target: "browse", description: "containers") { size in
      "<DIDL-Lite>" + names(size) { "<container id='\($0)'>" }
    },
    Shape(target: "browse", description: "open tags") { size in "<DIDL-Lite>" + repeated("<item a=\"", size)
    },
    Shape(target: "browse", description: "open comments") { size in "<DIDL-Lite>" + repeated("<!-->", size) },
    Shape(target: "browse", description: "open sections") { size in
      "<DIDL-Lite>" + repeated("<![CDATA[>", size)
    },
    Shape(target: "browse", description: "resources") { size in
      "<DIDL-Lite><item id='1'>" + repeated("<res>u:a</res>", size) + "</item>"
    },
    Shape(target: "browse", description: "prefixes") { size in
      "<DIDL-Lite><item id='1'>" + names(size / 5) { "<\($0):a/>" } + "</item>"
    },
    Shape(target: "browse", description: "namespaces") { size in
      "<DIDL-Lite" + names(size) { " xmlns:\($0)=''" } + "><item id='1'><a:a/></item>"
    },
    Shape(target: "browse", description: "marks on one letter") { size in
      "<DIDL-Lite><item><title>" + repeated("\u{301}", size) + "</title></item>"
    },
    Shape(target: "browse", description: "references") { size in
      "<DIDL-Lite><item><title>" + repeated("&amp;amp;", size) + "</title></item>"
    },
    Shape(target: "event", description: "properties") { size in
      "<propertyset>" + repeated("<property><A>1</A></property>", size)
    },
    Shape(target: "event", description: "changes") { size in
      "<Event><InstanceID val='0'>" + repeated("<A val='1'/>", size)
    },
    Shape(target: "event", description: "changes, escaped") { size in
      "<propertyset><property><LastChange>&lt;Event&gt;&lt;InstanceID val='0'&gt;"
        + repeated("&lt;A val='1'/&gt;", size)
    },
    Shape(target: "event", description: "marks on one letter") { size in
      "<propertyset><property><A>" + repeated("\u{301}", size)
    },
    Shape(target: "gena", description: "brackets") { size in repeated("<>", size) },
    Shape(target: "gena", description: "fields") { size in "SUBSCRIBE\n" + repeated("a:b\n", size) },
  ]

  /// What this thread has had of a processor: however crowded the machine is, that is the same.
  private static var processorTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  @Test(arguments: shapes)
  func takesLittleTime(shape: Shape) throws {
    let target = try #require(FuzzTarget.named(shape.target))
    // A list of tracks is read three times, and not on the event loop.
    let size = shape.target == "playlist" ? Self.size / 4 : Self.size
    let input = Array(shape.make(size).utf8)
    let begun = Self.processorTime
    try target.run(input)
    let time = Self.processorTime - begun
    // A debug build with a sanitizer on a slow machine needs most of this; what grows with the square, far more.
    #expect(time < .seconds(8), "\(shape.target): \(shape.description) took \(time)")
  }
}
