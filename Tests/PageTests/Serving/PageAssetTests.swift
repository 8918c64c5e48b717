import Foundation
import NIOCore
import Testing

@testable import Page

/// What the page consists of, and what it may weigh.
@Suite struct PageAssetTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Sources/Page/Assets")
  private static let languages = ["en", "de", "fr", "es", "nl"].map { "\($0).js" }
  private static let first: Set = ["app.js", "core.js", "store.js", "player.js", "queue.js"]

  private static func bytes(_ isWanted: (PageAsset) -> Bool) -> Int {
    PageAsset.all.filter(isWanted).reduce(0) { $0 + $1.body.readableBytes }
  }

  /// What is in the program is what is in the folder.
  @Test func everyFileIsEmbedded() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path())
      .filter { !$0.hasPrefix(".") }
    let texts = PageAsset.all.filter(\.isText)
    #expect(Set(texts.map(\.name)) == Set(files), "Sources/CPage/CPage.c lists what is embedded")
    #expect(texts.count == files.count)
    for text in texts {
      let file = try Data(contentsOf: Self.folder.appendingPathComponent(text.name))
      // Compared first: a failure would print both.
      let isSame = text.body.readableBytesView.elementsEqual(file)
      #expect(isSame, "\(text.name) isn't what was built in")
      let endsEarly = file.contains(0)
      #expect(!endsEarly, "\(text.name) has a zero, which would end it")
    }
  }

  @Test func iconsArePictures() {
    let icons = PageAsset.all.filter { !$0.isText }
    #expect(
      icons.map(\.name).sorted() == [
        "icon-180.png", "icon-192.png", "icon-48.png", "icon-512.png", "icon-maskable-512.png",
      ])
    for icon in icons { #expect(Picture(icon.body)?.contentType == "image/png", "\(icon.name)") }
  }

  @Test(arguments: PageAsset.all) func typesAreThoseThatBrowsersInsistOn(asset: PageAsset) {
    let expected = [
      "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
      "css": "text/css; charset=utf-8", "svg": "image/svg+xml", "png": "image/png",
    ]
    #expect(asset.contentType == expected[String(asset.name.split(separator: ".")[1])])
  }

  /// The budgets of the page, raw.
  @Test func nothingIsTooLarge() {
    #expect(Self.bytes { $0.name == "index.html" } <= 4 << 10)
    #expect(Self.bytes { $0.name.hasSuffix(".svg") } <= 8 << 10)
    for language in Self.languages { #expect(Self.bytes { $0.name == language } <= 14 << 10, "\(language)") }
    #expect(Self.bytes { $0.name.hasSuffix(".css") } <= 16_400)
    // Those of the first screen; each other script belongs to a screen, and is loaded when that is opened.
    #expect(Self.bytes { Self.first.contains($0.name) } <= 60_000)
    for asset in PageAsset.all where asset.name.hasSuffix(".js") && !Self.first.contains(asset.name) {
      #expect(asset.body.readableBytes <= 16 << 10, "\(asset.name)")
    }
  }

  /// What the first screen loads, in one language, as it is sent.
  @Test func theFirstScreenIsSmallOnTheWire() {
    let loaded = PageAsset.all.filter {
      $0.isText && !Self.languages.dropFirst().contains($0.name)
        && (!$0.name.hasSuffix(".js") || Self.first.contains($0.name) || $0.name == Self.languages[0])
    }
    let total = loaded.reduce(0) { $0 + (Gzip.compressed($1.body, level: 9) ?? $1.body).readableBytes }
    #expect(total <= 40 << 10)
  }

  /// No request ever goes to another host.
  @Test func nothingNamesAnotherHost() {
    for asset in PageAsset.all where asset.isText {
      let text = String(buffer: asset.body)
      for address in text.components(separatedBy: "//").dropFirst() {
        let host = address.prefix { !" /'\"`\n".contains($0) }
        guard host.first?.isLetter == true, host.contains("."), !host.hasSuffix(".") else { continue }
        #expect(address.hasPrefix("www.w3.org/"), "\(asset.name) names //\(address.prefix(40))")
      }
    }
  }
}
