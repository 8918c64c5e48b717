import JSON
import Testing

@testable import Listening

@Suite struct FormatTests {
  private let sender = ReportSender(version: "1.2.3", site: "Home")
  private let track = ReportedTrack(
    title: "Só Danço \"Samba\"", artist: "Stan Getz", album: "Getz/Gilberto", number: 5,
    duration: .milliseconds(217_500),
    ids: MusicIDs(
      recording: "0F5C8F1A-0000-4000-8000-000000000001", release: "0f5c8f1a-0000-4000-8000-000000000002",
      track: "0f5c8f1a-0000-4000-8000-000000000003",
      artists: ["0f5c8f1a-0000-4000-8000-000000000004", "nonsense"],
      isrc: "us-vg2-63-00005"))

  private func report(_ kind: ReportRecord.Kind, isStation: Bool = false) -> DatedReport {
    let listen = Listen(
      source: isStation ? .radio : .playlist, isStation: isStation, track: track, began: UpTime(.zero),
      heard: .seconds(108), position: .milliseconds(109_250))
    return DatedReport(ReportRecord(kind, id: "00ff", of: listen), date: 1_800_000_000_999)
  }

  private func text(_ request: ReportRequest) -> String { String(decoding: request.body, as: UTF8.self) }

  // MARK: - ListenBrainz

  @Test func listenBrainzGetsAListen() {
    let request = ListenBrainz.request(
      [report(.heard)], url: "https://lb.example/", token: "secret", sender: sender)
    #expect(request.url == "https://lb.example/1/submit-listens")
    #expect(request.fields.contains { $0 == (name: "Authorization", value: "Token secret") })
    #expect(
      text(request) == """
        {"listen_type":"single","payload":[{"listened_at":1800000000,"track_metadata":{"artist_name":"Stan Getz",\
        "track_name":"Só Danço \\"Samba\\"","release_name":"Getz/Gilberto","additional_info":{"media_player":"Vireo",\
        "media_player_version":"1.2.3","submission_client":"Vireo","submission_client_version":"1.2.3",\
        "duration_ms":217500,"tracknumber":5,"isrc":"USVG26300005",\
        "recording_mbid":"0f5c8f1a-0000-4000-8000-000000000001",\
        "release_mbid":"0f5c8f1a-0000-4000-8000-000000000002",\
        "track_mbid":"0f5c8f1a-0000-4000-8000-000000000003",\
        "artist_mbids":["0f5c8f1a-0000-4000-8000-000000000004"]}}}]}
        """)
  }

  @Test func listenBrainzGetsManyAndWhatPlaysNow() {
    let many = ListenBrainz.request(
      [report(.heard), report(.heard)], url: "http://a/apis/listenbrainz", token: "t", sender: sender)
    #expect(many.url == "http://a/apis/listenbrainz/1/submit-listens")
    #expect(text(many).hasPrefix("{\"listen_type\":\"import\",\"payload\":[{\"listened_at\":"))
    let now = ListenBrainz.request([report(.now)], url: "https://a", token: "t", sender: sender)
    #expect(text(now).hasPrefix("{\"listen_type\":\"playing_now\",\"payload\":[{\"track_metadata\":"))
    #expect(!text(now).contains("listened_at"))
  }

  /// 10,240 bytes are the most of a listen, whatever its tags are; and 10 MB of all.
  @Test func listensAreNeverTooLarge() {
    let long = String(repeating: "\"", count: 5000)
    let huge = ReportedTrack(
      title: long, artist: long, album: long, number: 1, duration: .seconds(5), ids: track.ids)
    let listen = Listen(source: .playlist, track: huge, began: UpTime(.zero))
    let reports = Array(
      repeating: DatedReport(ReportRecord(.heard, id: "a", of: listen), date: 1_800_000_000_000),
      count: ReportSink.listenBrainz.mostInCall)
    let request = ListenBrainz.request(reports, url: "https://a", token: "t", sender: sender)
    #expect(request.body.count / reports.count < 10_240 && request.body.count < 10_240_000)
  }

  @Test(arguments: [
    (ReportAnswer(status: 200), ReportVerdict.accepted), (ReportAnswer(status: 400), .malformed),
    (ReportAnswer(status: 413), .malformed), (ReportAnswer(status: 401), .refused(.token)),
    (ReportAnswer(status: 410), .refused(.gone)), (ReportAnswer(status: 429), .limited(nil)),
    (ReportAnswer(status: 429, fields: ["x-ratelimit-reset-in": "7"]), .limited(.seconds(7))),
    (ReportAnswer(status: 429, fields: ["x-ratelimit-reset-in": "99999999"]), .limited(.seconds(3600))),
    (ReportAnswer(status: 429, fields: ["x-ratelimit-reset-in": "-7"]), .limited(nil)),
    (ReportAnswer(status: 503, fields: ["retry-after": "11"]), .limited(.seconds(11))),
    (ReportAnswer(status: 503), .failed("it answers 503")),
    (ReportAnswer(status: 500), .failed("it answers 500")),
    (ReportAnswer(status: 404), .failed("it answers 404")),
  ]) func listenBrainzIsUnderstood(answer: ReportAnswer, verdict: ReportVerdict) {
    #expect(ListenBrainz.verdict(answer) == verdict)
  }

  @Test func redirectsAreNotFollowed() {
    guard case .failed(let text) = ListenBrainz.verdict(ReportAnswer(status: 301)) else {
      Issue.record("it is no failure")
      return
    }
    #expect(text.contains("301"))
  }

  // MARK: - Webhook

  @Test func aWebhookGetsAnEvent() {
    let request = Webhook.request(
      report(.beat), url: "http://a/hook?x=1", token: "secret", attributes: [("room", "two"), ("z\"", "ü")],
      sender: sender)
    #expect(request.url == "http://a/hook?x=1")
    #expect(request.fields.contains { $0 == (name: "Authorization", value: "Bearer secret") })
    #expect(
      text(request) == """
        {"id":"00ff","event":"beat","stream":"playlist/Stan Getz/Só Danço \\"Samba\\"","title":"Só Danço \\"Samba\\"",\
        "artist":"Stan Getz","album":"Getz/Gilberto","position":109.25,"duration":217.5,"heard":108,"state":"playing",\
        "player":{"name":"Vireo","version":"1.2.3"},"site":"Home","at":1800000000.999,\
        "attributes":{"room":"two","z\\"":"ü"}}
        """)
  }

  @Test func theStartOfTheProgramIsAnEvent() {
    let started = DatedReport(ReportRecord(.started, id: "1"), date: nil)
    let request = Webhook.request(
      started, url: "http://a", token: nil, attributes: [], sender: ReportSender(version: "1"))
    #expect(request.fields.count == 1)
    #expect(
      text(request)
        == "{\"id\":\"1\",\"event\":\"started\",\"player\":{\"name\":\"Vireo\",\"version\":\"1\"}}")
  }

  @Test func streamsAreNamed() {
    func stream(_ source: ReportSource, _ track: ReportedTrack, isStation: Bool = false) -> String? {
      Webhook.stream(
        ReportRecord(
          .began, id: "", of: Listen(source: source, isStation: isStation, track: track, began: UpTime(.zero))
        ))
    }
    #expect(stream(.playlist, ReportedTrack(title: "50%", artist: "AC/DC")) == "playlist/AC%2FDC/50%25")
    #expect(stream(.upnpAV, ReportedTrack(title: "T")) == "upnp-av/T")
    #expect(stream(.upnpAV, ReportedTrack()) == "upnp-av")
    #expect(
      stream(.radio, ReportedTrack(title: "T", artist: "A", station: "Radio Bird"), isStation: true)
        == "radio/Radio Bird")
  }

  @Test(arguments: [
    (204, ReportVerdict.accepted), (410, .refused(.gone)), (401, .failed("it answers 401")),
    (400, .failed("it answers 400")),
    (413, .failed("it answers 413")), (429, .limited(nil)),
  ]) func aWebhookIsUnderstood(status: Int, verdict: ReportVerdict) {
    #expect(Webhook.verdict(ReportAnswer(status: status)) == verdict)
  }

  // MARK: - Last.fm

  private let account = LastFM.Account(key: "key", secret: "mysecret", session: "sk")

  @Test func parametersAreSignedInTheOrderOfTheirBytes() {
    let names = ["artist[1]", "artist[10]", "artist[2]", "api_key"].map { ($0, "x") }
    let text = "api_keyxartist[10]xartist[1]xartist[2]xmysecret"
    #expect(LastFM.signature(names, secret: "mysecret") == MD5.hex(text.utf8))
  }

  @Test func lastFMGetsListens() {
    let request = LastFM.request([report(.heard), report(.heard, isStation: true)], account: account)
    let signed = """
      album[0]Getz/Gilbertoalbum[1]Getz/Gilbertoapi_keykeyartist[0]Stan Getzartist[1]Stan Getz\
      chosenByUser[0]1chosenByUser[1]0duration[0]217duration[1]217\
      mbid[0]0f5c8f1a-0000-4000-8000-000000000001mbid[1]0f5c8f1a-0000-4000-8000-000000000001\
      methodtrack.scrobblesksktimestamp[0]1800000000timestamp[1]1800000000trackNumber[0]5trackNumber[1]5\
      track[0]Só Danço "Samba"track[1]Só Danço "Samba"mysecret
      """
    #expect(request.url == LastFM.address)
    #expect(text(request).hasSuffix("&api_sig=\(MD5.hex(signed.utf8))&format=json"))
    #expect(text(request).hasPrefix("artist%5B0%5D=Stan+Getz&track%5B0%5D=S%C3%B3+Dan%C3%A7o+%22Samba%22&"))
  }

  @Test func lastFMGetsWhatPlaysNow() {
    let request = LastFM.request([report(.now)], account: account)
    #expect(text(request).contains("&method=track.updateNowPlaying&") && !text(request).contains("timestamp"))
  }

  @Test func theLogShowsNoSecrets() {
    let shown = LastFM.request([report(.heard)], account: account).shown
    #expect(shown.contains("track%5B0%5D=S%C3%B3") && shown.contains("method=track.scrobble"))
    for secret in ["key", "sk", "mysecret", "api_sig"] { #expect(!shown.contains(secret), "\(shown)") }
    let listen = ListenBrainz.request([report(.heard)], url: "https://a", token: "hidden", sender: sender)
    #expect(listen.shown.contains("Stan Getz") && !listen.shown.contains("hidden"))
  }

  private func answer(_ body: String, _ status: Int = 200) -> ReportAnswer {
    ReportAnswer(status: status, body: Array(body.utf8))
  }

  @Test(arguments: [
    (200, #"{"scrobbles":{"@attr":{"accepted":1,"ignored":0}}}"#, ReportVerdict.accepted),
    (
      200, #"{"scrobbles":{"@attr":{"accepted":0,"ignored":1},"scrobble":{"ignoredMessage":{"code":"1"}}}}"#,
      .accepted
    ),
    (200, "<html>", .failed("its answer isn't JSON")),
    (403, #"{"error":9,"message":"Invalid session key"}"#, .refused(.token)),
    (403, #"{"error":13}"#, .refused(.token)), (400, #"{"error":6}"#, .malformed),
    (200, #"{"error":11}"#, .failed("it answers error 11")),
    (200, #"{"error":16}"#, .failed("it answers error 16")), (429, #"{"error":29}"#, .limited(nil)),
    (500, "", .failed("it answers 500")), (200, #"{"error":77}"#, .malformed),
  ]) func lastFMIsUnderstood(status: Int, body: String, verdict: ReportVerdict) {
    #expect(LastFM.verdict(answer(body, status)) == verdict)
  }

  @Test func theLoginHasThreeSteps() {
    let account = LastFM.Account(key: "key", secret: "mysecret")
    #expect(
      text(LastFM.tokenRequest(account))
        == "method=auth.getToken&api_key=key&api_sig=\(MD5.hex("api_keykeymethodauth.getTokenmysecret".utf8))&format=json"
    )
    #expect(LastFM.login(answer(#"{"token":"abc"}"#)) == .token("abc"))
    #expect(
      LastFM.page(token: "a b", account: account) == "https://www.last.fm/api/auth/?api_key=key&token=a+b")
    let other = LastFM.Account(url: "https://libre.example/2.0/", key: "k", secret: "s")
    #expect(LastFM.page(token: "t", account: other) == "https://libre.example/api/auth/?api_key=k&token=t")
    #expect(text(LastFM.sessionRequest(token: "abc", account)).contains("token=abc"))
    #expect(LastFM.login(answer(#"{"error":14,"message":"Unauthorized Token"}"#, 403)) == .notYet)
    #expect(
      LastFM.login(answer(#"{"session":{"name":"ada","key":"sk1","subscriber":0}}"#))
        == .session(key: "sk1", user: "ada"))
    #expect(
      LastFM.login(answer(#"{"error":4,"message":"Authentication\nFailed"}"#))
        == .refused("error 4: Authentication Failed"))
    #expect(
      LastFM.login(answer(#"{"session":{"name":"ada","key":"s k"}}"#))
        == .refused("it answers 200, without a token or a session"))
    #expect(LastFM.login(answer("<html>", 502)) == .refused("it answers 502, and not in JSON"))
  }

  // MARK: - MD5

  /// RFC 1321, "Test suite", and lengths around the end of a block.
  @Test(arguments: [
    ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
    ("abc", "900150983cd24fb0d6963f7d28e17f72"), ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
    ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
    ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"),
    (String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"),
    (String(repeating: "a", count: 55), "ef1772b6dff9a122358552954ad0df65"),
    (String(repeating: "a", count: 56), "3b0c8ac703f828b04c6c197006d17218"),
    (String(repeating: "a", count: 64), "014842d480b571495a4a0363793f7367"),
  ]) func hashes(message: String, hash: String) { #expect(MD5.hex(message.utf8) == hash) }

  // MARK: - Records

  @Test(arguments: [ReportRecord.Kind.started, .began, .beat, .ended, .heard])
  func aRecordIsReadAsItWasWritten(kind: ReportRecord.Kind) {
    var record =
      kind == .started ? ReportRecord(kind, id: "abc") : report(kind, isStation: kind == .began).record
    let read = ReportRecord(kind, body: record.body)
    if kind == .heard { (record.heard, record.position, record.phase) = (.zero, .zero, .stopped) }
    #expect(read == record)
  }

  @Test(arguments: [
    "", "{}", "[]", "{\"i\":5}", "{\"i\":\"\"}", "{\"i\":\"a\",\"t\":" + String(repeating: "[", count: 100),
  ])
  func somethingElseIsNoRecord(body: String) { #expect(ReportRecord(.heard, body: body) == nil) }

  @Test func idsDiffer() {
    var random = SystemRandomNumberGenerator()
    let ids = (0..<1000).map { _ in ReportRecord.makeID(using: &random) }
    #expect(Set(ids).count == 1000 && ids.allSatisfy { $0.utf8.count == 32 })
  }

  @Test func tagsOfStrangersBecomeLines() {
    let track = ReportedTrack(
      title: " a\n\u{0}b\u{2028} ", artist: " \t ", album: String(repeating: "ü", count: 600), number: 0,
      duration: .zero,
      ids: MusicIDs(recording: "x", isrc: "US-VG2-63-0000?"))
    #expect(track.title == "a  b" && track.artist == nil && track.album?.utf8.count == 1000)
    #expect(track.number == nil && track.duration == nil && !track.isNamed)
    #expect(track.ids == MusicIDs())
    #expect(ReportedTrack(duration: .seconds(25 * 86_400)).duration == nil)
  }
}
