import DIDLLite
import Player
import Testing
import UPnP

@testable import Services

@Suite struct ShownMetadataTests {
  /// What is made of it has to be read first, and services are asked for it after every change.
  private static let escapedTwice =
    "&lt;DIDL-Lite&gt;&lt;item&gt;&lt;dc:title&gt;A title that is long enough&lt;/dc:title&gt;&lt;/item&gt;&lt;/DIDL-Lite&gt;"
  private let media = Media(uri: "http://192.0.2.1/a", metadata: escapedTwice)

  /// Where the bytes of a text are.
  private func place(_ text: String) -> UInt {
    var text = text
    return text.withUTF8 { UInt(bitPattern: $0.baseAddress) }
  }

  @Test func itIsMadeOnce() {
    let shown = ShownMetadata()
    let first = shown.text(of: media, isStation: false)
    #expect(first.contains("<dc:title>A title that is long enough</dc:title>"))
    #expect(place(shown.text(of: media, isStation: false)) == place(first))
  }

  @Test func anythingElseIsMadeAnew() {
    let shown = ShownMetadata()
    #expect(shown.text(of: media, isStation: false).contains(DIDLWriter.trackClass))
    #expect(shown.text(of: media, isStation: true).contains(DIDLWriter.stationClass))
    let song = shown.text(of: media, isStation: true, song: StreamTags(title: "Song"))
    #expect(song.contains("<dc:title>Song</dc:title>"))
    let other = shown.text(of: Media(uri: "http://192.0.2.1/b"), isStation: true)
    #expect(other.contains("<dc:title>b</dc:title>"))
  }

  @Test func servicesKeepIt() throws {
    let speaker = Speaker()
    try speaker.call(speaker.radio, "SetChannel", ["Uri": media.uri, "Metadata": media.metadata])
    try speaker.call(speaker.radio, "Play")
    for service in [speaker.radio, speaker.info] as [any ServiceProvider] {
      let texts = (0..<2).compactMap { _ in service.eventedValues().first { $0.name == "Metadata" }?.value }
      #expect(texts.count == 2 && texts[0].contains("A title that is long enough"))
      #expect(place(texts[0]) == place(texts[1]))
    }
  }
}
