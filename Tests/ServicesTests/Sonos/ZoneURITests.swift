import Testing

@testable import Services

@Suite struct ZoneURITests {
  @Test(arguments: [
    ("http://192.0.2.1/a.flac?x=1&y=2", ZoneURI.track("http://192.0.2.1/a.flac?x=1&y=2")),
    (" HTTPS://192.0.2.1/a ", .track("HTTPS://192.0.2.1/a")),
    ("x-rincon-mp3radio://example.org/s", .station(["http://example.org/s", "https://example.org/s"])),
    ("x-rincon-mp3radio://http://example.org:8000/s", .station(["http://example.org:8000/s"])),
    ("X-Rincon-MP3Radio://https://example.org/s", .station(["https://example.org/s"])),
    ("aac://http://example.org/s", .station(["http://example.org/s"])),
    ("hls-radio://https%3a//example.org/s.m3u8", .station(["https://example.org/s.m3u8"])),
    ("hls-radio://http%3A//example.org/s", .station(["http://example.org/s"])),
    ("hls-radio://https%3a//example.org%3a8443/a%3ab", .station(["https://example.org:8443/a%3ab"])),
    ("aac://http%3A//example.org%3A8000", .station(["http://example.org:8000"])),
    (
      "x-rincon-mp3radio://example.org%3a8000/s",
      .station(["http://example.org:8000/s", "https://example.org:8000/s"])
    ),
    ("http://192.0.2.1%3a8000/a%3a.flac?b=%3a", .track("http://192.0.2.1:8000/a%3a.flac?b=%3a")),
    ("http://192.0.2.1/a%3a.flac", .track("http://192.0.2.1/a%3a.flac")),
    ("x-rincon-mp3radio://", .unsupported), ("x-rincon-mp3radio:spotify%3atrack%3a1", .unsupported),
    ("x-rincon-mp3radio:http://example.org/s", .station(["http://example.org/s"])),
    ("x-rincon-queue:RINCON_02AABBCCDDEE01400#0", .queue(of: "RINCON_02AABBCCDDEE01400")),
    ("x-rincon-queue:RINCON_02AABBCCDDEE01400#7", .queue(of: "RINCON_02AABBCCDDEE01400")),
    ("x-rincon-queue:RINCON_02AABBCCDDEE01400", .queue(of: "RINCON_02AABBCCDDEE01400")),
    ("x-rincon:RINCON_02AABBCCDDEE01400", .group(of: "RINCON_02AABBCCDDEE01400")),
    ("file:///jffs/settings/savedqueues.rsq#12", .playlist(12)),
    ("file:///jffs/settings/savedqueues.rsq#0", .unsupported),
    ("file:///jffs/settings/savedqueues.rsq#-1", .unsupported), ("file:///etc/passwd", .unsupported),
    ("x-rincon-playlist:RINCON_1#SQ:4", .playlist(4)), ("x-rincon-playlist:RINCON_1#A:ALBUM/x", .library),
    ("x-rincon-playlist:RINCON_1#S://nas/music", .library), ("x-rincon-playlist:RINCON_1", .library),
    ("x-file-cifs://nas/a.mp3", .unsupported), ("x-sonos-spotify:spotify%3atrack%3a1", .unsupported),
    ("x-rincon-stream:RINCON_1", .unsupported), ("x-sonosapi-stream:s123?sid=254", .unsupported),
    ("x-rincon-buzzer:0", .unsupported), ("{uri}", .unsupported), ("", .unsupported),
  ])
  func means(_ text: String, _ meaning: ZoneURI) { #expect(ZoneURI(text) == meaning) }

  @Test func whatItWritesItReads() {
    #expect(ZoneURI(ZoneURI.queue("RINCON_1")) == .queue(of: "RINCON_1"))
    #expect(ZoneURI(ZoneURI.playlist(7)) == .playlist(7))
    #expect(ZoneURI(ZoneURI.station("https://example.org/s")) == .station(["https://example.org/s"]))
  }

  @Test(arguments: [
    ("Q:0", ZoneObject.queue), ("Q:0/3", .queueItem(3)), ("SQ:", .playlists), ("SQ:4", .playlist(4)),
    ("SQ:4/2", .playlistItem(4, 2)), ("FV:2", .favourites), ("FV:2/9", .favourite(9)), ("R:0/0", .stations),
    ("R:0/0/5", .station(5)), ("R:0/1", .empty), ("A:ARTIST/x/y", .empty), ("A:TRACKS:term", .empty),
    ("S:", .empty), ("AI:", .empty), ("0", .root),
  ])
  func objects(_ id: String, _ object: ZoneObject) { #expect(ZoneObject(id) == object) }

  @Test(arguments: [
    "", "SQ:-7", "SQ:0", "SQ:x", "SQ:1/0", "SQ:1/2/3", "Q:0/0", "Q:0/-1", "Q:0/99999999999", "FV:2/", "FV:3",
    "X",
  ])
  func noObjects(_ id: String) { #expect(ZoneObject(id) == nil) }
}
