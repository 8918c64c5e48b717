import Testing

@testable import Uploads

@Suite struct SongTests {
  private static let key = "0123456789abcdef0123456789abcdef"

  @Test(arguments: [
    ("song.mp3", "song.mp3"), ("C:\\fakepath\\song.mp3", "song.mp3"), ("../../etc/passwd", "passwd"),
    ("/", "–"), ("", "–"), ("a\u{0}b\nc\u{202e}d", "abcd"), ("  x  ", "x"),
    (String(repeating: "é", count: 500), String(repeating: "é", count: 200)),
  ]) func namesAreOneLineAndNoPath(_ said: String, _ name: String) {
    #expect(UploadedSong.name(said) == name)
  }

  @Test func titlesAreNamesWithoutEndings() {
    func title(_ name: String) -> String {
      UploadedSong(key: Self.key, name: name, type: "audio/mpeg", bytes: 1, added: 0, used: 0).title
    }
    #expect(title("a.b.flac") == "a.b")
    #expect(title(".mp3") == ".mp3")
    #expect(title("Nr. 5 in the whole") == "Nr. 5 in the whole")
  }

  @Test func keysAreInAddressesAndNothingElse() {
    let path = "/uploads/\(Self.key)"
    #expect(SongAddress.key(inPath: path) == Self.key)
    #expect(SongAddress.key(inPath: path + ".flac") == Self.key)
    for wrong in [
      "/uploads/", path + "0", "/uploads/\(Self.key.uppercased())", path + "/x", path + ".flac/..",
      path + "x",
      path + ".toolongending", "/upload/\(Self.key)", "/uploads/../\(Self.key)",
    ] { #expect(SongAddress.key(inPath: wrong) == nil, "\(wrong)") }
    #expect(SongAddress.key(inURI: "http://[fe80::1]:49494\(path).mp3") == Self.key)
    #expect(SongAddress.key(inURI: "https://host\(path)") == nil)
    #expect(SongAddress.key(inURI: "http://host\(path)?x=1") == nil)
    let moved = SongAddress.moved("http://192.0.2.7:49494\(path).mp3", to: "http://127.0.0.1:5")
    #expect(moved == "http://127.0.0.1:5\(path).mp3")
    #expect(SongAddress.moved("http://192.0.2.7/else.mp3", to: "http://127.0.0.1:5") == nil)
  }

  @Test func newKeysAreKeysAndDiffer() {
    var random = SystemRandomNumberGenerator()
    let keys = (0..<100).map { _ in UploadedSong.newKey(using: &random) }
    #expect(keys.allSatisfy { UploadedSong.isKey($0) })
    #expect(Set(keys).count == 100)
  }

  // MARK: - Notes

  @Test func notesAreReadAsTheyWereWritten() throws {
    let song = UploadedSong(
      key: Self.key, name: "“Ünïcode” & \"x\".flac", type: "audio/flac", bytes: 500_000_000,
      added: 1_700_000_000,
      used: 1_700_000_000)
    #expect(SongNote.read(SongNote.write(song), key: Self.key) == song)
    #expect(SongNote.read(SongNote.write(song), key: "../etc") == nil)
  }

  @Test(arguments: [
    "", "{}", "[]", #"{"name":"a","type":"audio/mpeg","bytes":-1,"added":0}"#,
    #"{"name":"a","type":"text/html","bytes":1,"added":0}"#,
    #"{"name":"a","type":"audio/mpeg","bytes":1.5,"added":0}"#,
    #"{"name":1,"type":"audio/mpeg","bytes":1,"added":0}"#,
    #"{"name":"a","type":"audio/mpeg","bytes":1e99,"added":0}"#,
  ]) func whatIsNoNoteIsNone(_ text: String) {
    #expect(SongNote.read(Array(text.utf8), key: Self.key) == nil)
  }

  // MARK: - Types

  private static let played = ["audio/flac", "audio/mpeg", "audio/ogg", "audio/mp4"]

  private static func bytes(_ text: String, _ more: Int = 64) -> [UInt8] {
    Array(text.utf8) + [UInt8](repeating: 0, count: more)
  }

  @Test func theBeginningDecides() {
    #expect(SoundType(Self.bytes("fLaC"), played: Self.played) == .playable("audio/flac"))
    #expect(SoundType(Self.bytes("ID3\u{3}"), played: Self.played) == .playable("audio/mpeg"))
    #expect(SoundType([0xff, 0xfb, 0x90, 0x64], played: Self.played) == .playable("audio/mpeg"))
    #expect(SoundType(Self.bytes("\0\0\0 ftypM4A "), played: Self.played) == .playable("audio/mp4"))
    let ogg = Self.bytes("OggS", 24)
    #expect(SoundType(ogg + Array("\u{1}vorbis".utf8), played: Self.played) == .playable("audio/ogg"))
    #expect(SoundType(ogg + Array("OpusHead".utf8), played: Self.played) == .unplayable("audio/opus"))
    #expect(SoundType(Self.bytes("FRM8"), played: Self.played) == .unplayable("audio/dff"))
    let others = ["<!DOCTYPE html>", "#EXTM3U\n", "PK\u{3}\u{4}", "\u{7f}ELF", "", "f", "\0\0\0 ftypheic"]
    for text in others {
      #expect(SoundType(Array(text.utf8), played: Self.played) == .unknown, "\(text)")
    }
  }

  // MARK: - Lists

  @Test func listsNameFilesAndAddresses() {
    let list = """
      \u{feff}#EXTM3U\r
      #EXTINF:12,Somebody – Song\r
      Music/01 - Song.mp3\r
      #EXTINF:-1, A station
      HTTP://radio.example/stream
      # a remark

      C:\\Music\\Zwei.flac
      https://host/x.mp3
      """
    let entries: [SongList.Entry] = [
      .file("01 - Song.mp3"), .address("HTTP://radio.example/stream", title: "A station"), .file("Zwei.flac"),
      .address("https://host/x.mp3", title: nil),
    ]
    #expect(SongList.entries(list) == entries)
    #expect(SongList.entries(String(repeating: "a\n", count: 5000)).count == SongList.mostEntries)
  }

  // MARK: - Places

  @Test func placesAreBounded() throws {
    var places = UploadPlaces<Int, String>(most: 3, perAddress: 2)
    try places.take(1, "a")
    try places.take(2, "a")
    #expect(throws: UploadPlaces<Int, String>.Refusal.tooManyOfAddress) { try places.take(3, "a") }
    try places.take(4, "b")
    #expect(throws: UploadPlaces<Int, String>.Refusal.tooMany) { try places.take(5, "c") }
    places.leave(1)
    try places.take(5, "c")
    #expect(places.count == 3)
  }
}
