import Testing

@testable import Player

/// What of an address gets into the log and on the status page.
@Suite struct URIRedactionTests {
  @Test(
    arguments: [
      ("http://user:pass@host:80/a/b.mp3?token=abc&x=1#frag", "http://host:80/a/b.mp3?…"),
      ("file:///music/a b.flac", "file:///music/a b.flac"),
      ("http://host/?secret", "http://host/?…"),
      ("http://host/?", "http://host/?"),
      ("http://host/\u{2028}\u{85}", "http://host/??"),
      ("http://192.0.2.7:50002/m/NDLNA/5432.flac", "http://192.0.2.7:50002/m/NDLNA/5432.flac"),
      ("http://[fe80::1%25eth0]:80/a", "http://[fe80::1%25eth0]:80/a"),
      // The server is known for certain, and only the path in question isn't shown.
      ("http://192.0.2.7:80/i/live@182439/index.m3u8", "http://192.0.2.7:80/…/182439/index.m3u8"),
      ("http://radio.example/i/live@182439/index.m3u8", "http://radio.example/…/182439/index.m3u8"),
      ("https://music.example/rest/stream?u=me@mail.example&t=1", "https://music.example/rest/stream?…"),
      ("file:///music/@eaDir/a.flac", "file:///…/eaDir/a.flac"),
      // User names and passwords, however badly written.
      ("http://user:pa/ss@host/", "http://…/host/"), ("http://user:12/34@host/a", "http://…/host/a"),
      ("http://user:pa?ss@host/", "http://…"), ("http://user:12?34@host/", "http://…"),
      ("http://user:pa#ss@host/", "http://…"), ("http://u@er:p@ss@host/", "http://host/"),
      ("http://u:p@s.ss?x@host/", "http://…"), ("http://user%3Apass%40host/a", "http://host/a"),
      ("user:pass@host/a", "…/host/a"), ("http:/user:pass@host/a", "…/host/a"),
      ("HTTP://USER:PASS@host/a", "HTTP://host/a"), ("http://user:secret", "http://…"),
      // Values in the path.
      ("http://host/a;token=abc/b.flac", "http://host/a;…/b.flac"),
      ("http://host/a%3Btoken=abc/b", "http://host/a%3B…/b"),
      ("http://host/a%3Ftoken=abc", "http://host/a?…"), ("http://host/a%253Ftoken=abc", "http://host/a?…"),
      ("http://host/hdnts=exp=1~hmac=abc/b.m3u8", "http://host/hdnts=…/b.m3u8"),
      ("http://host/c2VjcmV0cw==/b", "http://host/…/b"),
      ("http://host/stream&api_key=abc", "http://host/stream&api_key=…"),
      // Segments that are secrets.
      ("http://host/token/abc/b.flac", "http://host/token/…/b.flac"),
      ("http://host/stream;token/abc", "http://host/stream;…/…"),
      ("http://host/grant=token/abc", "http://host/grant=…/…"),
      ("http://host/token=-/abc", "http://host/token=…/…"),
      ("http://host/token=ab/c.flac", "http://host/token=…/c.flac"),
      ("http://host/X-Plex-Token/abc", "http://host/X-Plex-Token/…"),
      ("http://host/a;token=ab%2Fc/b", "http://host/a;…/b"),
      ("http://192.0.2.7/token/a%40b/c", "http://192.0.2.7/…/…/c"),
      ("http://host/proxy/token%2Fabc%2Fd/e", "http://host/proxy/token%2F…/e"),
      ("http://host.example/proxy/smb://u:p?w@nas/a", "http://host.example/proxy/smb…"),
      ("http://host/API_KEY//abc/b", "http://host/API_KEY//…/b"),
      ("http://host/0a1b2c3d4e5f60718293a4b5c6d7e8f9.mp3", "http://host/….mp3"),
      ("http://host/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4f", "http://host/…"),
      // Names that aren't.
      ("http://host/01-Miles_Davis-So_What-Kind_of_Blue-1959.flac", nil),
      ("http://host/minimserver/*/Some%20Artist/Album%20(Deluxe)/02%20-%20Song.flac", nil),
      ("http://host/Simon%20&%20Garfunkel/Mrs.%20Robinson.mp3", nil),
      ("http://host/wdr/1live/mp3/128/stream.mp3", nil),
      ("https://host/bbc_radio_two/bbc_radio_two.isml", nil),
      // An address in an address.
      ("http://kodi:80/vfs/smb%253a%252f%252fuser%253apass%2540nas%252fa.flac", "http://…/nas%252fa.flac"),
      ("http://192.0.2.7/proxy/http://user:pass@host/a?b=c", "http://192.0.2.7/…/host/a?…"),
      ("http://host/?url=http://user:pass@other/", "http://…"),
    ] as [(String, String?)])
  func shown(_ uri: String, _ expected: String?) {
    #expect(redacted(uri: uri) == expected ?? uri)
    #expect(
      redacted(text: "Could not open \(uri) (sorry)") == "Could not open \(redacted(text: uri)) (sorry)")
  }

  /// Whatever a password is made of, nothing of it is shown; the same for values, wherever they stand.
  @Test(arguments: 0..<40) func secretsAreNeverShown(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<250 {
      let secret = Self.secret(&random)
      for form in Self.forms {
        let uri = form(secret.text, "X" + Self.noise(&random), random.next())
        for shown in [redacted(uri: uri), redacted(text: "Not there: \(uri), says it")] {
          #expect(
            !secret.parts.contains { shown.lowercased().contains($0.lowercased()) },
            "\(uri) shows as \(shown)")
          #expect(redacted(text: shown) == shown, "\(uri) shows as \(shown), and that differently")
          #expect(shown.unicodeScalars.count <= 225)
        }
      }
    }
  }

  /// Where secrets are; `noise` is something harmless.
  private static let forms: [@Sendable (_ secret: String, _ noise: String, UInt64) -> String] = [
    { secret, noise, _ in "http://user:\(secret)@host/\(noise)/a.mp3" },
    { secret, noise, bits in
      ["HTTP", "https", "file", "http"][Int(bits & 3)]
        + "://\(noise.prefix(3)):\(secret)@192.0.2.1:80/\(noise)"
    },
    { secret, noise, bits in
      "http://host/\(noise)?\(names[Int(bits % UInt64(names.count))])=\(secret)&\(noise)=\(secret)"
    },
    { secret, noise, _ in "http://host/a#\(secret)/\(noise)" },
    { secret, noise, bits in
      "http://192.0.2.1/a\(escaped("?", bits))\(noise)=\(secret.filter { $0 != "@" })"
    },
    { secret, noise, bits in
      "http://192.0.2.1/a\(escaped(";", bits))token=\(flat(secret))/\(noise).mp3"
    },
    { secret, noise, bits in
      "http://192.0.2.1/\(names[Int(bits % UInt64(names.count))])/\(flat(secret))/\(noise).mp3"
    },
    { secret, noise, bits in
      "http://host.example/proxy/smb\(escaped(":", bits))\(escaped("/", bits))\(escaped("/", bits))u\(escaped(":", bits))\(secret)\(escaped("@", bits))nas/a"
    },
  ]

  private static let names = [
    "token", "X-Plex-Token", "api_key", "apikey", "ApiKey", "sig", "SIGNATURE", "access_token",
    "X-Emby-Token",
    "auth", "jwt",
  ]

  /// `mark`, up to three times escaped.
  private static func escaped(_ mark: Character, _ bits: UInt64) -> String {
    let code = String(mark.asciiValue ?? 0, radix: 16, uppercase: bits & 4 == 0)
    return ["\(mark)", "%\(code)", "%25\(code)", "%2525\(code)"][Int(bits & 3)]
  }

  /// Without what ends a segment of a path.
  private static func flat(_ secret: String) -> String { secret.filter { !"/\\@?#".contains($0) } }

  private static func noise(_ random: inout SplitMix64) -> String {
    String((0..<(random.next() % 12)).map { _ in "abcxyz0189-_.;%2/"[Int(random.next() % 17)] })
  }

  /// Parts that nothing else contains, and marks between them.
  private static func secret(_ random: inout SplitMix64) -> (text: String, parts: [String]) {
    var text = ""
    var parts: [String] = []
    for _ in 0...(random.next() % 4) {
      let letters = random.next() % 3 == 0 ? "0123456789" : "QWKVZJ5678"
      parts.append(String((0..<5).map { _ in letters[Int(random.next() % 10)] }))
      text += parts[parts.count - 1]
      text +=
        ["/", "@", ":", "?", "#", ";", "=", "&", "%40", "%2f", "%3F", "\\", "'", "(", "[", ""][
          Int(random.next() % 16)]
    }
    return (text, parts)
  }

  @Test func theLengthIsBounded() {
    #expect(redacted(uri: "http://host/" + String(repeating: "x", count: 500)).count == 200)
    #expect(
      redacted(uri: "http://host/" + String(repeating: "\u{301}", count: 500)).unicodeScalars.count == 200)
    #expect(PlaybackFailure(.other, String(repeating: "é", count: 5000)).message.unicodeScalars.count == 600)
  }

  /// What divides an address does so with an accent on it, too.
  @Test(arguments: [
    "http://host/a?\u{301}b=secret", "http://user:secret@\u{301}host/", "http://host/#\u{301}secret",
    "http://user:secret\u{301}/x\u{301}@\u{301}host/",
  ]) func accents(uri: String) { #expect(!redacted(uri: uri).contains("secret")) }

  @Test(arguments: [
    ("a.flac?token=hush", "a.flac?…"), ("a%20b.flac;sid=hush", "a%20b.flac;…"),
    ("a b.flac;sid=hush", "a b.flac;…"),
    ("Why? = Because; isn't it", "Why? = Because; isn't it"), ("", ""),
    ("http://host/x?hush", "http://host/x?…"),
  ]) func titlesThatWereCutFromTheAddress(title: String, shown: String) {
    for uri in ["http://host/a.flac?token=hush", "http://host/a%20b.flac;sid=hush"]
    where uri.contains("%20") == title.contains("b") {
      #expect(redacted(title: title, of: uri) == shown)
    }
  }

  private static let secretive = "http://me:pass@host/rest/a%20song;sid=12345/stream.mp3?u=me&t=hush%2Bhush"

  /// Wherever in the address, and however much of it.
  @Test(arguments: [
    (secretive, "http://host/rest/a%20song;…/stream.mp3?…"),
    (
      "http://me:pass@host/rest/a song;sid=12345/stream.mp3?u=me&t=hush+hush",
      "http://host/rest/a song;…/stream.mp3?…"
    ),
    ("a%20song;sid=12345", "a%20song;…"), ("a song;sid=12345", "a song;…"), ("12345", "…"),
    ("me:pass", "…"), ("stream.mp3?u=me&t=hush", "stream.mp3?…"), ("u=me&t=hush", "…"),
    ("hush%2Bhush", "…"), ("hush+hush", "…"),
    // What the address shows the title may show, and the shortest words are in many addresses.
    ("stream", "stream"), ("a song", "a song"), ("rest/a song", "rest/a song"), ("me", "me"), ("45", "45"),
    ("Hush", "Hush"), ("a song?", "a song?"),
  ]) func titlesThatAreAPartOfTheAddress(title: String, shown: String) {
    #expect(redacted(title: title, of: Self.secretive) == shown)
  }

  @Test func titlesOfLongAddresses() {
    let uri = "http://host/" + String(repeating: "folder/", count: 100) + "song.flac?t=hushhush"
    #expect(redacted(title: "song.flac", of: uri) == "song.flac")
    #expect(redacted(title: "song.flac?t=hushhush", of: uri) == "song.flac?…")
    #expect(redacted(title: "hushhush", of: uri) == "…")
    // Linear, whatever both are made of.
    let long = String(repeating: "a/", count: 4000)
    #expect(redacted(title: long + "b", of: "http://host/" + long) == long + "b")
  }

  @Test func wordsOfOthersGoThroughIt() {
    let failure = PlaybackFailure(
      .unreachable,
      "Cannot connect to destination (http://me:hush@host/a?token=hush) or https://host/b?hush, says it")
    #expect(failure.message == "Cannot connect to destination (http://host/a?…) or https://host/b?…, says it")
    // What ends a sentence belongs to no port.
    for end in [":", ".", ",", "!", "”."] {
      let text = "can't play “http://radio.example:8000\(end) It is away"
      #expect(redacted(text: text) == text)
      #expect(redacted(text: redacted(text: text)) == text)
    }
    #expect(redacted(text: "://. and http://") == "://. and http://")
    #expect(redacted(text: "no address here: a/b?c=d") == "no address here: a/b?c=d")
    #expect(redacted(text: "") == "")
  }
}

extension String {
  fileprivate subscript(place: Int) -> Character { self[index(startIndex, offsetBy: place)] }
}
