import Testing

@testable import Player

@Suite struct URIPolicyTests {
  static let policy = URIPolicy(directories: ["/srv/music", "/home/me/Music/"])

  @Test(arguments: [
    "http://server/a.flac", "HTTPS://server:8443/a%20b?x=y#z", "http://[fe80::1]/a", "http://server",
    "http://server/a b.mp3", "http://server/ä.mp3", "file:///srv/music/a.flac",
    "file://localhost/srv/music/x/a.flac", "file:///home/me/Music/a%20b.mp3", "file:///srv//music/./a",
  ]) func allowed(uri: String) { #expect(Self.policy.allows(uri)) }

  @Test(arguments: [
    "", "a.flac", "/srv/music/a.flac", "http:", "http:/server/a", "http:///a", "http://", "ftp://server/a",
    "rtsp://server/a", "javascript:alert(1)", "data:audio/wav;base64,AA", "http://server/a\nb",
    "http://server/a\u{7F}", "http://server/\u{0}", "file:///etc/passwd", "file:///srv/music",
    "file:///srv/music/../../etc/passwd", "file:///srv/music/%2e%2e/x", "file:///srv/musicbox/a",
    "file://other/srv/music/a", "file:///srv/music/a%zz", "file:///srv/music/a%2", "file:///srv/music/%00",
    "file:srv/music/a", "playbin://x",
  ]) func refused(uri: String) { #expect(!Self.policy.allows(uri)) }

  @Test func lengthIsBounded() {
    let start = "http://server/"
    #expect(Self.policy.allows(start + String(repeating: "a", count: 8192 - start.utf8.count)))
    #expect(!Self.policy.allows(start + String(repeating: "a", count: 8193 - start.utf8.count)))
  }

  @Test func filesAreRefusedByDefault() {
    #expect(!URIPolicy().allows("file:///srv/music/a.flac"))
    #expect(!URIPolicy(directories: [""]).allows("file:///srv/music/a.flac"))
  }

  @Test func containersAreRecognised() {
    #expect(Media(uri: "http://s/a.M3U8?x=.flac").looksLikeContainer)
    #expect(Media(uri: "http://s/a.pls#x").looksLikeContainer)
    #expect(Media(uri: "http://s/a", contentFormat: "audio/x-mpegurl; charset=utf-8").looksLikeContainer)
    #expect(Media(uri: "http://s/a", contentFormat: "text/xml").looksLikeContainer)
    #expect(!Media(uri: "http://s/a.flac?x=a.m3u").looksLikeContainer)
    #expect(!Media(uri: "http://s/x.m3u/a").looksLikeContainer)
    #expect(!Media(uri: "http://s/m3u", contentFormat: "audio/L16;rate=44100").looksLikeContainer)
  }
}
