import DIDLLite
import Network
import Testing

@testable import ControlPoint

@Suite struct ResourceChoiceTests {
  private func resource(_ info: String?, _ address: String = "http://192.0.2.1/a") -> MediaResource {
    MediaResource(address: address, protocolInfo: info.flatMap(ProtocolInfo.init))
  }

  private func choose(
    _ resources: [MediaResource], _ sink: String, networks: [IPNetwork] = [], isOnServer: Bool = false
  ) throws -> Int? {
    var object = MediaObject(
      id: "1", isContainer: false, title: "", mediaClass: MediaClass("object.item.audioItem"))
    object.resources = resources
    let chosen = try object.resource(
      for: RendererReach(formats: SinkFormats(sink), networks: networks, isOnServer: isOnServer))
    return resources.firstIndex(of: chosen)
  }

  @Test(arguments: [
    ("http-get:*:audio/flac:*", "http-get:*:audio/x-flac:*", true),
    ("http-get:*:audio/x-flac:*", "http-get:*:AUDIO/FLAC:*", true),
    ("http-get:*:audio/mpeg:*", "http-get:*:audio/flac:*", false),
    ("http-get:*:audio/mpeg:DLNA.ORG_PN=MP3", "http-get:*:audio/mp3:*", true),
    ("http-get:*:audio/mpeg:DLNA.ORG_PN=MP3", "http-get:*:audio/mpeg:DLNA.ORG_PN=MP3X", true),
    ("*:*:*:*", "http-get:*:audio/anything:*", true),
    ("http-get:*:*:*", "http-get:*:audio/flac:*", true),
    ("http-get:*:audio/*:*", "http-get:*:audio/flac:*", true),
    ("http-get:*:audio/*:*", "http-get:*:video/mp4:*", false),
    ("http-get:*:audio/L16;rate=44100;channels=2:*", "http-get:*:audio/L16;rate=44100;channels=2:*", true),
    ("http-get:*:audio/L16;rate=44100;channels=2:*", "http-get:*:audio/L16;rate=48000;channels=2:*", false),
    ("http-get:*:audio/L16;rate=44100;channels=2:*", "http-get:*:audio/l16:DLNA.ORG_PN=LPCM", true),
    ("http-get:*:audio/L16:*", "http-get:*:audio/L16;rate=48000;channels=2:*", true),
    ("http-get:*:audio/flac:*", "rtsp-rtp-udp:*:audio/flac:*", false),
    ("rtsp-rtp-udp:*:audio/flac:*,http-get:*:audio/mpeg:*", "http-get:*:audio/flac:*", false),
    ("http-get:*:audio/ogg;codecs=\"a\\,b\":*,http-get:*:audio/wav:*", "http-get:*:audio/x-wav:*", true),
    ("", "http-get:*:audio/flac:*", true), ("", "rtsp-rtp-udp:*:audio/flac:*", false),
    ("nonsense", "http-get:*:audio/flac:*", true),
    // The server doesn't say what it is.
    ("http-get:*:audio/flac:*", "http-get:*:*:*", true),
    ("http-get:*:audio/flac:*", "http-get:*:application/octet-stream:*", true),
  ])
  func fits(_ sink: String, _ info: String, _ fits: Bool) {
    #expect((SinkFormats(sink).fit(resource(info)) != nil) == fits)
  }

  @Test func theEndOfAnAddressSaysTheType() {
    let sink = SinkFormats("http-get:*:audio/mpeg:*")
    #expect(sink.fit(resource("http-get:*:*:*", "http://a/b.mp3?x")) == .type)
    #expect(sink.fit(resource(nil, "http://a/b.flac")) == nil)
  }

  @Test func ratesOfThatAreNotPartOfTheTypeCount() {
    let sink = SinkFormats("http-get:*:audio/L16;rate=44100;channels=2:*")
    var pcm = resource("http-get:*:audio/L16:*")
    pcm.sampleRate = 48000
    #expect(sink.fit(pcm) == nil)
    pcm.sampleRate = 44100
    #expect(sink.fit(pcm) == .type)
  }

  @Test func theOriginalComesFirst() throws {
    let sink = "http-get:*:audio/mpeg:*,http-get:*:audio/L16:*,http-get:*:audio/flac:*"
    let converted = resource("http-get:*:audio/L16;rate=44100;channels=2:DLNA.ORG_PN=LPCM;DLNA.ORG_CI=1")
    let mp3 = resource("http-get:*:audio/mpeg:DLNA.ORG_PN=MP3;DLNA.ORG_CI=0")
    let flac = resource("http-get:*:audio/x-flac:*")
    #expect(try choose([converted, mp3], sink) == 1)
    #expect(try choose([mp3, flac], sink) == 1)
    #expect(try choose([converted, flac], "http-get:*:audio/L16:*") == 0)
    #expect(try choose([mp3, mp3], sink) == 0)
  }

  @Test func theRightProfileAndASeekableOneComeFirst() throws {
    let sink = "http-get:*:audio/mpeg:DLNA.ORG_PN=MP3"
    let other = resource("http-get:*:audio/mpeg:DLNA.ORG_PN=MP3X")
    let none = resource("http-get:*:audio/mpeg:*")
    let right = resource("http-get:*:audio/mpeg:DLNA.ORG_PN=MP3")
    #expect(try choose([other, none, right], sink) == 2)
    #expect(try choose([other, none], sink) == 1)
    #expect(
      try choose([none, resource("http-get:*:audio/mpeg:DLNA.ORG_OP=01")], "http-get:*:audio/mpeg:*") == 1)
  }

  @Test func addressesThatTheRendererReachesComeFirst() throws {
    let sink = "http-get:*:audio/flac:*"
    let network = try #require(IPNetwork("192.168.1.0/24"))
    let addresses = [
      "http://127.0.0.1:8200/a", "http://169.254.3.4/a", "http://10.0.0.5:8200/a",
      "http://192.168.1.9:8200/a",
      "http://nas.local/a",
    ]
    let resources = addresses.map { resource("http-get:*:audio/flac:*", $0) }
    #expect(try choose(resources, sink, networks: [network]) == 3)
    #expect(try choose(Array(resources[..<3]), sink, networks: [network]) == 2)
    #expect(try choose(resources, sink, isOnServer: true) == 0)
    let v6 = try #require(IPNetwork("fd00::/64"))
    let both = [resources[2], resource("http-get:*:audio/flac:*", "http://[fd00::7]:8200/a")]
    #expect(try choose(both, sink, networks: [v6]) == 1)
  }

  @Test func refusalsHaveAReason() {
    #expect(throws: ResourceRefusal.noResource) { try choose([], "") }
    #expect(throws: ResourceRefusal.noFormat(offered: ["audio/flac", "audio/mpeg"])) {
      try choose(
        [
          resource("http-get:*:audio/x-flac:*"), resource("http-get:*:audio/flac:*"),
          resource("http-get:*:audio/mpeg:*"),
        ], "http-get:*:audio/wav:*")
    }
    for address in [
      "http://127.0.0.1/a", "http://localhost:80/a", "http://0.0.0.0/a", "http:///a", "http://[::1]/a",
    ] {
      #expect(throws: ResourceRefusal.unreachable(addresses: [address])) {
        try choose([resource("http-get:*:audio/flac:*", address)], "")
      }
    }
  }

  @Test func longSinksAreBounded() {
    let entry = "http-get:*:audio/flac:*,"
    #expect(SinkFormats(String(repeating: entry, count: 100_000)).isEmpty)
    #expect(!SinkFormats(String(repeating: entry, count: 5000)).isEmpty)
  }

  @Test func everyNameStandsForOneType() {
    let names = MIMEType.aliases.flatMap { $0 }
    #expect(Set(names).count == names.count)
    for group in MIMEType.aliases {
      for name in group { #expect(MIMEType(name.uppercased())?.name == group[0]) }
    }
    #expect(MIMEType("audio") == nil && MIMEType("") == nil)
  }
}
