import Foundation
import Testing

@testable import vireod

@Suite struct StatusPageTests {
  private let evil = "<script>alert('1')</script>&\"\u{0}\u{1b}"

  /// Whatever others can put in stays text.
  @Test func everythingIsEscaped() {
    let snapshot = StatusSnapshot(
      name: evil, room: evil, version: evil, address: evil, state: evil, title: evil, artist: evil,
      album: evil, input: evil,
      source: evil, format: evil, problem: evil, devices: [.init(name: evil, udn: evil)])
    let page = StatusPage.html(snapshot)
    #expect(!page.contains("<script"))
    #expect(!page.contains("alert('"))
    #expect(!page.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    let escaped = "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;&quot;"
    #expect(page.components(separatedBy: escaped).count == 16)
  }

  @Test func thePageIsWellFormedAndFetchesNothing() throws {
    let page = StatusPage.html(
      StatusSnapshot(
        name: "Küche", state: "playing", title: "T", position: .seconds(62), duration: .seconds(3725),
        volume: 40, isMuted: true))
    #expect(page.contains("Content-Security-Policy\" content=\"default-src 'none'"))
    for word in ["http://", "https://", "src=", "@import", "url(", "<script", "<form"] {
      #expect(!page.contains(word), "\(word)")
    }
    #expect(page.contains("<h1>Küche</h1>"))
    #expect(page.contains("playing, muted"))
    #expect(page.contains("1:02 of 1:02:05") || page.contains("01:02 of 1:02:05"))
    for tag in ["html", "head", "body", "main", "dl", "style", "title", "h1"] {
      #expect(page.components(separatedBy: "</\(tag)>").count == 2, "\(tag)")
    }
  }

  @Test func longTextsAreCut() {
    #expect(
      StatusPage.html(StatusSnapshot(title: String(repeating: "<", count: 1_000_000))).utf8.count < 20_000)
  }

  @Test func times() {
    #expect(StatusPage.clock(.seconds(-5)) == "00:00")
    #expect(StatusPage.clock(.seconds(3599)) == "59:59")
    #expect(StatusPage.span(.seconds(59)) == "0 min")
    #expect(StatusPage.span(.seconds(7260)) == "2 h 1 min")
    #expect(StatusPage.span(.seconds(90000)) == "1 day 1 h")
  }
}

@Suite struct IconTests {
  @Test func theBirdComesInThreeSizes() {
    #expect(Icons.builtIn().map(\.width) == [48, 120, 256])
    #expect(
      Icons.builtIn().allSatisfy { $0.width == $0.height && $0.depth == 32 && $0.mimeType == "image/png" })
  }

  @Test func theBirdIsTheOneInTheRepository() throws {
    for icon in Icons.builtIn() {
      let file = repository.appendingPathComponent("Config/icon/vireo-\(icon.width).png")
      #expect(try Array(Data(contentsOf: file)) == icon.bytes)
    }
  }

  @Test func onlyAPNGIsAnIcon() throws {
    let directory = try TemporaryDirectory()
    let text = try directory.write(String(repeating: "GIF89a", count: 10), to: "a.png")
    #expect(throws: FileFailure.self) { try Icons.load(text).get() }
    #expect(throws: FileFailure.self) { try Icons.load("/nowhere.png").get() }
    let file = repository.appendingPathComponent("Config/icon/vireo-120.png").path
    #expect(try Icons.load(file).get().height == 120)
  }

  @Test func aHeaderIsCheckedBeforeItIsBelieved() {
    var bytes = Icons.builtIn()[0].bytes
    #expect(PNGHeader(Array(bytes.prefix(32))) == nil)
    bytes[16] = 1
    #expect(PNGHeader(bytes) == nil, "wider than any screen")
  }
}
