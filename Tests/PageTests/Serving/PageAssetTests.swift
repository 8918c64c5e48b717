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
    for language in Self.languages { #expect(Self.bytes { $0.name == language } <= 10 << 10, "\(language)") }
    #expect(Self.bytes { $0.name.hasSuffix(".css") } <= 14_600)
    // 6,000 of them are for rooms that play together.
    #expect(
      Self.bytes { $0.name.hasSuffix(".js") && !Self.languages.contains($0.name) } <= 92_000)
  }

  /// Everything that a page with one language loads.
  @Test func allOfItIsSmallOnTheWire() throws {
    var total = 0
    for asset in PageAsset.all where asset.isText && !Self.languages.dropFirst().contains(asset.name) {
      total += (Gzip.compressed(asset.body, level: 9) ?? asset.body).readableBytes
    }
    #expect(total <= 43 << 10)
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
