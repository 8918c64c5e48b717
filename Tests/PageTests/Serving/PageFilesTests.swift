import NIOCore
import Testing

@testable import HTTP
@testable import Page

/// What is served of the page, and how browsers may keep it.
@Suite struct PageFilesTests {
  private static let html = ["accept": "text/html,application/xhtml+xml,*/*;q=0.8"]
  private let configuration = PageConfiguration()
  private let files: PageFiles

  init() {
    var facts = PageFacts()
    facts.name = "Kitchen"
    configuration.facts = facts
    files = PageFiles(configuration: configuration) {
      HTTPPage(contentType: "text/html; charset=\"utf-8\"", body: "plain")
    }
  }

  private func shell(_ fields: [String: String] = [:]) throws -> HTTPResponse {
    try #require(files.answer(.to("/", Self.html.merging(fields) { $1 })))
  }

  private var base: String {
    get throws {
      let text = try shell().text
      let start = try #require(text.range(of: "/ui/"))
      return "/ui/" + text[start.upperBound...].prefix { $0.isHexDigit }
    }
  }

  // MARK: - The document

  @Test func theDocumentNamesTheSpeakerAndItsFiles() throws {
    let response = try shell()
    #expect(response.status == .ok)
    #expect(response.contentType == "text/html; charset=utf-8")
    #expect(response.text.contains("<title>Kitchen</title>"))
    #expect(!response.text.contains("{{"))
    #expect(try response.text.contains("\(base)/app.js"))
  }

  /// A name is set by the owner, or comes from the network.
  @Test func aNameIsNoMarkup() throws {
    configuration.facts.name = "<script>\"'&"
    let text = try shell().text
    #expect(text.contains("<title>&lt;script&gt;&quot;&#39;&amp;</title>"))
    #expect(!text.contains("<script>\""))
  }

  /// A name can't stand for another word of the template.
  @Test func aNameIsNoTemplate() throws {
    configuration.facts.name = "{{ui}} {{name}}"
    #expect(try shell().text.contains("<title>{{ui}} {{name}}</title>"))
  }

  @Test func theDocumentIsAskedForEachTime() throws {
    let response = try shell()
    #expect(response.field("CACHE-CONTROL") == "no-cache")
    let tag = try #require(response.field("ETAG"))
    #expect(try shell(["if-none-match": tag]).status == .notModified)
    #expect(try shell(["if-none-match": tag]).body.readableBytes == 0)
    configuration.facts.name = "Bath"
    #expect(try shell(["if-none-match": tag]).status == .ok)
  }

  @Test func whoAsksForNoHTMLGetsThePlainPage() throws {
    for accept in [[:], ["accept": "*/*"], ["accept": "application/json, text/plain"]] {
      #expect(try #require(files.answer(.to("/", accept))).text == "plain")
    }
    #expect(try #require(files.answer(.to("/", ["accept": "image/png, TEXT/HTML;q=0.9"]))).text != "plain")
  }

  @Test func withoutAPageThereIsThePlainOneOnly() throws {
    let base = try base
    configuration.facts.access = .off
    #expect(try shell().text == "plain")
    for path in ["\(base)/app.js", "/manifest.webmanifest", "/favicon.ico"] {
      #expect(files.methods(at: path) == nil)
      #expect(files.answer(.to(path)) == nil)
    }
  }

  // MARK: - Files

  @Test func filesAreKeptForGood() throws {
    let response = try #require(try files.answer(.to("\(base)/app.js")))
    #expect(response.contentType == "text/javascript; charset=utf-8")
    #expect(response.field("CACHE-CONTROL") == "public, max-age=31536000, immutable")
    #expect(response.field("VARY") == "Accept-Encoding")
    #expect(response.body == PageAsset.named("app.js")?.body)
  }

  /// A page that was loaded from another version gets nothing of this one.
  @Test func anotherVersionHasNoFiles() throws {
    for path in ["/ui/0/app.js", "/ui/app.js", "/ui/", "/ui//app.js", "\(try base)/", "\(try base)/a/app.js"]
    {
      #expect(files.methods(at: path) == nil, "\(path)")
    }
  }

  @Test func theTemplateIsNoFile() throws {
    #expect(files.methods(at: "\(try base)/index.html") == nil)
  }

  @Test func nothingIsFoundOutsideOfTheFiles() throws {
    for name in ["../app.js", "..", ".", "%61pp.js", "app.js%00", "APP.JS", "app.js/"] {
      #expect(files.methods(at: "\(try base)/\(name)") == nil, "\(name)")
    }
  }

  @Test func onlyGetAndHeadAreServed() {
    #expect(files.methods(at: "/") == ["GET", "HEAD"])
    #expect(files.answer(.to("/", Self.html, method: "POST")) == nil)
  }

  @Test func everyResponseIsProtected() throws {
    for path in [
      "/", "\(try base)/app.js", "\(try base)/icon-180.png", "/manifest.webmanifest", "/favicon.ico",
    ] {
      let response = try #require(files.answer(.to(path, Self.html)))
      #expect(response.field("CONTENT-SECURITY-POLICY") == PageFields.contentSecurityPolicy, "\(path)")
      #expect(response.field("X-CONTENT-TYPE-OPTIONS") == "nosniff", "\(path)")
    }
  }

  @Test func onlyNamedOriginsMayShowThePageInAFrame() throws {
    let none = try #require(files.answer(.to("/", Self.html))?.field("CONTENT-SECURITY-POLICY"))
    #expect(none.contains("; frame-ancestors 'none'; "))
    var facts = PageFacts()
    facts.frameAncestors = ["https://home.example:8123", "http://192.0.2.7"]
    let framed = PageFiles(configuration: PageConfiguration(facts)) {
      HTTPPage(contentType: "text/html", body: "")
    }
    let policy = try #require(framed.answer(.to("/", Self.html))?.field("CONTENT-SECURITY-POLICY"))
    #expect(
      policy
        == none.replacing("ancestors 'none';", with: "ancestors https://home.example:8123 http://192.0.2.7;"))
    let other = framed.answer(.to("/manifest.webmanifest"))?.field("CONTENT-SECURITY-POLICY")
    #expect(other == policy, "documents alone can be in a frame, and this is served as one")
  }

  @Test func theManifestNamesIconsThatAreThere() throws {
    let response = try #require(files.answer(.to("/manifest.webmanifest")))
    #expect(response.contentType == "application/manifest+json")
    #expect(response.text.contains("\"name\":\"Kitchen\""))
    for name in ["icon-192.png", "icon-512.png", "icon-maskable-512.png"] {
      #expect(try response.text.contains("\(base)/\(name)"))
      #expect(files.methods(at: "\(try base)/\(name)") != nil)
    }
  }

  // MARK: - Compression

  @Test(arguments: ["gzip", "gzip, deflate", "deflate;q=0.5, GZIP;q=0.8"])
  func whoTakesCompressedFilesGetsThem(coding: String) throws {
    let response = try #require(try files.answer(.to("\(base)/page.css", ["accept-encoding": coding])))
    let asset = try #require(PageAsset.named("page.css"))
    #expect(response.field("CONTENT-ENCODING") == "gzip")
    #expect(response.body.readableBytes < asset.body.readableBytes / 2)
    #expect(try gunzip(response.body) == Array(asset.body.readableBytesView))
  }

  @Test(arguments: ["", "identity", "br", "gzip;q=0", "deflate, gzip; q=0.0", "xgzip"])
  func whoDoesNotGetsThemAsTheyAre(coding: String) throws {
    let response = try #require(try files.answer(.to("\(base)/page.css", ["accept-encoding": coding])))
    #expect(response.field("CONTENT-ENCODING") == nil)
    #expect(response.body == PageAsset.named("page.css")?.body)
  }

  @Test func picturesAreNotCompressedTwice() throws {
    let response = try #require(
      try files.answer(.to("\(base)/icon-512.png", ["accept-encoding": "gzip"])))
    #expect(response.field("CONTENT-ENCODING") == nil)
  }

  @Test func theDocumentIsCompressedToo() throws {
    let plain = try shell()
    let packed = try shell(["accept-encoding": "gzip"])
    #expect(packed.field("CONTENT-ENCODING") == "gzip")
    #expect(packed.field("ETAG") == plain.field("ETAG"))
    #expect(try gunzip(packed.body) == Array(plain.body.readableBytesView))
  }

  @Test func answersOfTheAPIAreCompressedIfThatIsWorthIt() throws {
    let long = ByteBuffer(string: String(repeating: "{\"a\":1}", count: 1000))
    let response = HTTPResponse(.ok, contentType: "application/json", body: long)
    let packed = response.compressed(for: .to("/", ["accept-encoding": "gzip"]))
    #expect(packed.field("CONTENT-ENCODING") == "gzip")
    #expect(packed.body.readableBytes < 500)
    #expect(try gunzip(packed.body) == Array(long.readableBytesView))
    let plain = response.compressed(for: .to("/"))
    #expect(plain.body == long)
    #expect(plain.field("VARY") == "Accept-Encoding")
    let short = HTTPResponse(.ok, contentType: "application/json", body: ByteBuffer(string: "{}"))
    #expect(short.compressed(for: .to("/", ["accept-encoding": "gzip"])).fields.isEmpty)
  }

  @Test func whatDoesNotGetSmallerIsLeftAlone() {
    #expect(Gzip.compressed(ByteBuffer(string: "x"), level: 9) == nil)
    #expect(Gzip.compressed(ByteBuffer(), level: 9) == nil)
  }

  // MARK: - Wrong host names

  @Test func aBrowserAtAWrongNameIsToldWhy() throws {
    let response = try #require(
      files.explanation(ofForeignHost: .to("/", Self.html), from: .number(7)))
    #expect(response.status == .forbidden)
    #expect(response.text.contains("http://192.0.2.254:49494/"))
    #expect(response.text.contains("hostnames"))
    #expect(response.field("CONTENT-SECURITY-POLICY") != nil)
    #expect(files.explanation(ofForeignHost: .to("/", ["accept": "*/*"]), from: .number(7)) == nil)
    #expect(files.explanation(ofForeignHost: .to("/", Self.html, method: "POST"), from: .number(7)) == nil)
  }

  /// The page of a stranger may read the answer.
  @Test func theExplanationTellsNothingNew() throws {
    configuration.facts.name = "Secret room"
    let response = try #require(
      files.explanation(ofForeignHost: .to("/", Self.html), from: .number(7)))
    #expect(!response.text.contains("Secret"))
  }
}
