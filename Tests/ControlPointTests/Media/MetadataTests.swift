import DIDLLite
import NIOCore
import Testing
import XML

@testable import ControlPoint

/// What a renderer gets with an address.
@Suite struct MetadataTests {
  private func isWellFormed(_ text: String) -> Bool {
    (try? XMLTree.read(ByteBuffer(string: text), limits: .init(bytes: 1 << 20, elements: 1000))) != nil
  }

  @Test func isWhatTheServerSent() throws {
    let item =
      "<item id=\"1\" parentID=\"0\"><dc:title>A &amp; B</dc:title><vendor:x>1</vendor:x><res>http://a/</res></item>"
    let object = try #require(
      MediaObjectTests.objects(
        "<DIDL-Lite xmlns=\"urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/\" xmlns:vendor=\"urn:v\" xmlns:b=\"urn:b\">"
          + "<item id=\"0\"/>\(item)</DIDL-Lite>"
      ).last)
    let text = object.metadata(for: object.resources.first)
    #expect(text.hasSuffix(">\(item)</DIDL-Lite>"))
    // The namespaces that it needs, also what the server forgot, and no others.
    #expect(text.contains("xmlns:vendor=\"urn:v\"") && text.contains("xmlns:dc=\"http://purl.org/dc"))
    #expect(!text.contains("urn:b"))
    #expect(isWellFormed(text))
  }

  @Test func repairedReferencesAreKept() throws {
    let object = try #require(
      MediaObjectTests.object("<dc:title>A & B&nbsp;</dc:title><res>http://a/?b&c</res>"))
    let text = object.metadata(for: object.resources.first)
    #expect(isWellFormed(text))
    #expect(text.contains("<res>http://a/?b&amp;c</res>"))
  }

  @Test(arguments: [
    "<dc:title>A\u{1}</dc:title>", "<dc:title>A</wrong>", "<dc:title>A", "<a b=1/>", "<a b=\"<\"/>",
  ])
  func whatIsNotXMLIsWrittenAnew(_ inside: String) throws {
    let object = try #require(
      MediaObjectTests.object(
        "<upnp:class>object.item.audioItem.musicTrack</upnp:class><res>http://a/1</res>" + inside))
    let text = object.metadata(for: MediaResource(address: "http://a/1"))
    #expect(isWellFormed(text), "\(text)")
    #expect(text.contains("http://a/1"))
  }

  @Test func anItemByAnotherNameIsWrittenAnew() throws {
    let object = try #require(MediaObjectTests.objects("<DIDL-Lite><Item id=\"7\"/></DIDL-Lite>").first)
    #expect(DIDL.items(object.metadata()).count == 1)
  }

  @Test func aResourceThatIsLeftOutIsAdded() throws {
    let object = try #require(MediaObjectTests.object("<dc:title>A</dc:title>"))
    var resource = MediaResource(
      address: "http://a/?b&c", protocolInfo: ProtocolInfo("http-get:*:audio/flac:*"))
    resource.duration = .seconds(65)
    resource.size = 7
    let read = try #require(MediaObjectTests.objects(object.metadata(for: resource)).first)
    #expect(read.title == "A" && read.resources.map(\.address) == ["http://a/?b&c"])
    #expect(read.resources.first?.duration == .seconds(65) && read.resources.first?.size == 7)
    #expect(read.resources.first?.protocolInfo?.mimeType == "audio/flac")
  }

  @Test func whatIsWrittenIsReadBack() throws {
    var object = MediaObject(
      id: "a\"<&>'\n", isContainer: false, title: "“A” <&> B", mediaClass: MediaClass(DIDLWriter.trackClass))
    object.parentID = "p"
    object.artists = [.init(name: "X & Y", role: "Com\"poser"), .init(name: "Z")]
    object.artist = "Z"
    object.album = "<Album>"
    object.genres = ["G"]
    object.trackNumber = 3
    object.discNumber = 2
    object.date = "1999"
    object.art = [.init(address: "http://a/b?c&d")]
    object.resources = [MediaResource(address: "http://a/b c.mp3")]
    let read = try #require(MediaObjectTests.objects(object.metadata()).first)
    #expect(read.id == "a\"<&>'" && read.title == object.title && read.artists == object.artists)
    #expect(read.artist == "Z" && read.album == "<Album>" && read.trackNumber == 3 && read.discNumber == 2)
    #expect(read.date == "1999" && read.art == object.art && read.genres == ["G"])
    #expect(read.resources.first?.address == "http://a/b c.mp3")
    #expect(read.resources.first?.type?.name == "audio/mpeg")
  }

  @Test func anAddressAloneHasMetadata() throws {
    let song = MediaObject(address: "http://192.0.2.1:8080/music/song.flac?x=1")
    #expect(song.title == "song.flac" && song.isPlayable)
    for (address, title) in [
      ("http://a/b%20c%2fd%C3%A9.mp3?e%20f", "b c/dé.mp3"), ("http://a/100%.mp3", "100%.mp3"),
      // What isn't UTF-8 stays, and so do control characters, which no document can hold.
      ("http://a/%ff.mp3", "%ff.mp3"), ("http://a/b%00c%0A.mp3", "b%00c%0A.mp3"),
    ] {
      #expect(MediaObject(address: address).title == title)
    }
    let station = MediaObject(
      address: "http://radio/", title: "Radio & Co", isStation: true, mimeType: "audio/mpeg")
    let text = station.metadata(for: station.resources.first)
    let read = try #require(DIDL.items(text).first)
    #expect(read.title == "Radio & Co" && read.upnpClass == "object.item.audioItem.audioBroadcast")
    #expect(read.resources.first?.protocolInfo?.mimeType == "audio/mpeg")
  }
}
