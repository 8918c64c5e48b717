import DIDLLite
import Testing

@testable import ControlPoint

@Suite struct MediaObjectTests {
  private static let head = """
    <DIDL-Lite xmlns="urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/" xmlns:dc="http://purl.org/dc/elements/1.1/" \
    xmlns:upnp="urn:schemas-upnp-org:metadata-1-0/upnp/" xmlns:dlna="urn:schemas-dlna-org:metadata-1-0/">
    """

  static func objects(_ text: String, base: String? = nil) -> [MediaObject] {
    BrowsePage(BrowseAnswer(result: text, numberReturned: 0, totalMatches: 0), base: base).objects
  }

  static func object(_ inside: String, base: String? = nil) -> MediaObject? {
    objects(head + "<item id=\"1\" parentID=\"0\" restricted=\"1\">\(inside)</item></DIDL-Lite>", base: base)
      .first
  }

  @Test func readsATrack() throws {
    let track = try #require(
      Self.object(
        """
        <dc:title>Björk &amp; Friends</dc:title><upnp:class>object.item.audioItem.musicTrack</upnp:class>\
        <dc:creator>Composer</dc:creator><upnp:artist role="AlbumArtist">Various</upnp:artist>\
        <upnp:artist>Singer</upnp:artist><upnp:album>Woods</upnp:album><upnp:genre>Folk</upnp:genre>\
        <upnp:genre>Jazz</upnp:genre><dc:date>2001-05-01</dc:date>\
        <upnp:originalTrackNumber>7/12</upnp:originalTrackNumber><upnp:originalDiscNumber>2</upnp:originalDiscNumber>\
        <upnp:albumArtURI dlna:profileID="JPEG_TN">http://192.0.2.1/art.jpg</upnp:albumArtURI>\
        <res protocolInfo="http-get:*:audio/x-flac:DLNA.ORG_OP=01;DLNA.ORG_CI=0" size="30000000" \
        duration="0:04:00.500" bitrate="125000" sampleFrequency="96000" bitsPerSample="24" nrAudioChannels="2">\
        http://192.0.2.1/a?x=1&amp;y=2</res>\
        <res protocolInfo="http-get:*:image/png:DLNA.ORG_PN=PNG_LRG">http://192.0.2.1/b.png</res>
        """))
    #expect(track.id == "1" && track.parentID == "0" && !track.isContainer)
    #expect(track.title == "Björk & Friends")
    #expect(track.mediaClass.kind == .track)
    #expect(track.creator == "Composer" && track.artist == "Singer")
    #expect(track.artists.map(\.role) == ["AlbumArtist", nil])
    #expect(track.album == "Woods" && track.genres == ["Folk", "Jazz"] && track.date == "2001-05-01")
    #expect(track.trackNumber == 7 && track.discNumber == 2)
    #expect(track.art.map(\.profile) == ["JPEG_TN", "PNG_LRG"])
    let resource = try #require(track.resources.first)
    #expect(track.resources.count == 1)
    #expect(resource.address == "http://192.0.2.1/a?x=1&y=2" && resource.isAsSent)
    #expect(resource.duration == .milliseconds(240_500) && resource.size == 30_000_000)
    #expect(resource.sampleRate == 96000 && resource.bitsPerSample == 24 && resource.channels == 2)
    #expect(resource.bitsPerSecond == 1_000_000)
    #expect(resource.type?.name == "audio/flac" && resource.canSeek && !resource.isConverted)
    #expect(track.isPlayable)
  }

  @Test func readsAContainer() throws {
    let album = try #require(
      Self.objects(
        Self.head
          + "<container id=\"64$0\" parentID=\"64\" childCount=\"12\" searchable=\"1\"><dc:title>A</dc:title>"
          + "<upnp:class>object.container.album.musicAlbum</upnp:class></container></DIDL-Lite>"
      ).first)
    #expect(album.isContainer && album.childCount == 12 && album.isSearchable && !album.isPlayable)
    #expect(album.mediaClass.kind == .album)
  }

  @Test(arguments: [
    ("object.container.album.musicAlbum", MediaClass.Kind.album), ("StorageFolder", .folder),
    ("OBJECT.CONTAINER.STORAGEFOLDER", .folder), ("1", .other), ("", .other),
    ("object.item.audioItem.musicTrack.vendor", .track), ("object.item.audioItem.audioBroadcast", .broadcast),
    ("object.item.audioItem", .audio), ("object.container.person.musicArtist", .artist),
    ("object.container.person", .artist), ("object.item.videoItem.movie", .video),
    ("object.container.genre.musicGenre.x", .genre), ("object.container.playlistContainer", .playlist),
  ])
  func knowsClasses(_ text: String, _ kind: MediaClass.Kind) {
    #expect(MediaClass(text).kind == kind)
  }

  @Test(arguments: [
    ("escaped twice", "<dc:title>A &amp;amp; B</dc:title>", "A & B"),
    ("HTML's names", "<dc:title>A&nbsp;&eacute;</dc:title>", "A\u{a0}é"),
    ("a raw ampersand", "<dc:title>A & B</dc:title>", "A & B"),
    ("a number", "<dc:title>It&amp;#39;s</dc:title>", "It's"),
    ("a section", "<dc:title><![CDATA[A <B>]]></dc:title>", "A <B>"),
    ("an undeclared prefix", "<dc:title>A</dc:title><pv:x sec:y=\"1\">2</pv:x>", "A"),
    ("no prefix", "<title>A</title>", "A"),
    ("a control character", "<dc:title>A\u{1}B</dc:title>", "AB"),
    ("no title", "", ""),
  ])
  func toleratesTexts(_ what: String, _ inside: String, _ title: String) {
    #expect(Self.object(inside)?.title.replacing("\u{1}", with: "") == title, "\(what)")
  }

  @Test func aDocumentMayBeEscapedTwiceOrHaveADeclaration() {
    let item = "<item id='1'><dc:title>A</dc:title></item>"
    for document in [
      "<?xml version=\"1.0\"?>\n<DIDL-Lite>\(item)</DIDL-Lite>", "\u{feff}<DIDL-Lite>\(item)</DIDL-Lite>",
      item,
      "&lt;DIDL-Lite&gt;&lt;item id='1'&gt;&lt;dc:title&gt;A&lt;/dc:title&gt;&lt;/item&gt;&lt;/DIDL-Lite&gt;",
      "<didl:DIDL-Lite><didl:item id='1'><dc:title>A</dc:title></didl:item></didl:DIDL-Lite>",
      "<!-- <item> --><DIDL-Lite>\(item)",
    ] {
      #expect(Self.objects(document).map(\.title) == ["A"], "\(document)")
    }
  }

  @Test func oneBrokenObjectLeavesTheOthers() {
    let good = { (id: Int) in "<item id=\"\(id)\"><dc:title>\(id)</dc:title></item>" }
    let deep = String(repeating: "<a>", count: 100)
    let texts = [
      "<item id=\"2\"><dc:title>x</wrong></item>", "<item id=\"2\">\(deep)</item>",
      "<item id=\"2\"><dc:title>x",
    ]
    for text in texts {
      let found = Self.objects("<DIDL-Lite>\(good(1))\(text)\(good(3))</DIDL-Lite>").map(\.id)
      #expect(found.first == "1" && found.last == "3", "\(text)")
    }
  }

  @Test func theLastIsLeftOutIfItIsCutOff() {
    let whole = "<item id=\"1\"><dc:title>A</dc:title></item>"
    #expect(Self.objects("<DIDL-Lite>\(whole)<item id=\"2\"><dc:ti").map(\.id) == ["1"])
    #expect(Self.objects("<DIDL-Lite><item id=\"2\"><dc:title>A").map(\.id) == ["2"])
  }

  @Test func refusesDocumentTypes() {
    #expect(Self.objects("<!DOCTYPE a [<!ENTITY b 'c'>]><DIDL-Lite><item id=\"1\"/></DIDL-Lite>").isEmpty)
  }

  @Test(arguments: [
    ("/MediaItems/1.flac", "http://192.0.2.7:8200/MediaItems/1.flac"),
    ("MediaItems/1.flac", "http://192.0.2.7:8200/desc/MediaItems/1.flac"),
    ("//192.0.2.8/a", "http://192.0.2.8/a"),
    ("http://192.0.2.9/a?b&amp;amp;c", "http://192.0.2.9/a?b&c"),
    ("http://192.0.2.9/a\n  b", "http://192.0.2.9/a  b"),
  ])
  func repairsAddresses(_ sent: String, _ address: String) throws {
    let object = try #require(
      Self.object("<res>\(sent)</res>", base: "http://192.0.2.7:8200/desc/root.xml"))
    #expect(object.resources.map(\.address) == [address])
    #expect(object.resources.first?.isAsSent == false)
    #expect(object.metadata(for: object.resources.first).contains(address.replacing("&", with: "&amp;")))
  }

  @Test func aRelativeAddressWithoutABaseIsNone() {
    #expect(Self.object("<res>/a</res><res> </res>")?.resources == [])
  }

  @Test(arguments: [
    ("0:04:12", Duration.seconds(252)), ("4:12", .seconds(252)), ("0:00:00", nil), ("-1:00:00", nil),
    ("NOT_IMPLEMENTED", nil), ("", nil), ("99999999:00:00", nil), ("0:61:00", nil), ("252", .seconds(252)),
  ])
  func toleratesDurations(_ text: String, _ duration: Duration?) {
    #expect(Self.object("<res duration=\"\(text)\">http://a/</res>")?.resources.first?.duration == duration)
  }

  @Test func numbersOutOfRangeAreUnknown() {
    let object = Self.object(
      """
      <upnp:originalTrackNumber>-1</upnp:originalTrackNumber><upnp:originalDiscNumber>0</upnp:originalDiscNumber>\
      <res size="-1" bitrate="x" sampleFrequency="0" nrAudioChannels="99999999999999999999">http://a/</res>
      """)
    #expect(object?.trackNumber == nil && object?.discNumber == nil)
    let resource = object?.resources.first
    #expect(resource?.size == nil && resource?.bitsPerSecond == nil && resource?.sampleRate == nil)
    #expect(resource?.channels == nil)
  }

  @Test func everythingIsBounded() throws {
    let object = try #require(
      Self.object(
        "<dc:title>\(String(repeating: "a", count: 100_000))</dc:title>"
          + String(repeating: "<upnp:artist>A</upnp:artist>", count: 300)
          + (0..<300).map { "<upnp:albumArtURI>http://a/\($0)</upnp:albumArtURI>" }.joined()
          + String(repeating: "<upnp:genre>A</upnp:genre>", count: 300)
          + (0..<300).map { "<res>http://a/\($0)</res>" }.joined()
          + "<res>http://\(String(repeating: "a", count: 10_000))</res>"))
    #expect(object.title.count == MediaObject.maximumTextLength)
    #expect(object.artists.count == MediaObject.maximumArtists && object.art.count == MediaObject.maximumArt)
    #expect(object.genres.count == MediaObject.maximumGenres)
    #expect(object.resources.count == MediaObject.maximumResources)
    #expect(object.sent == nil)
    let many = String(repeating: "<item id=\"1\"/>", count: 6000)
    #expect(Self.objects("<DIDL-Lite>\(many)</DIDL-Lite>").count == BrowsePage.maximumObjects)
    let long = String(repeating: "i", count: 3000)
    #expect(Self.objects("<DIDL-Lite><item id=\"\(long)\"/><item id=\"1\"/></DIDL-Lite>").map(\.id) == ["1"])
  }

  @Test func aPageOfTwoMegabytesIsRead() {
    let item = "<item id=\"1\"><dc:title>\(String(repeating: "b", count: 1000))</dc:title></item>"
    #expect(Self.objects("<DIDL-Lite>" + String(repeating: item, count: 2000) + "</DIDL-Lite>").count == 2000)
  }

  @Test func unknownItemsPlayIfAResourceIsAudio() {
    let audio = "<res protocolInfo=\"http-get:*:audio/mpeg:*\">http://a/</res>"
    let picture = "<res protocolInfo=\"http-get:*:image/jpeg:*\">http://a/</res>"
    #expect(Self.object(audio)?.isPlayable == true)
    #expect(Self.object(picture)?.isPlayable == false)
    #expect(Self.object("<upnp:class>object.item.videoItem</upnp:class>" + audio)?.isPlayable == false)
    #expect(Self.object("<upnp:class>object.item.audioItem</upnp:class>" + picture)?.isPlayable == false)
    #expect(Self.object("<res>http://a/b.FLAC?x=1</res>")?.isPlayable == true)
  }
}
