import JSON
import Kept
import Network
import Player
import Services
import Testing
import UPnP

@testable import Page

@Suite struct PlaylistAPITests {
  private let base = "/api/v1/playlists"

  private func create(_ rig: APIRig, _ name: String, _ more: String = "") async throws -> APIRig.Reply {
    try await rig.ask("POST", base, #"{"name": "\#(name)"\#(more)}"#)
  }

  private func titles(_ rig: APIRig, _ id: Int = 1, _ query: String = "") async throws -> [String] {
    let reply = try await rig.ask("GET", "\(base)/\(id)/tracks\(query)")
    guard case .array(let tracks)? = reply.json?["tracks"] else { return [] }
    return tracks.compactMap { if case .string(let text)? = $0["title"] { text } else { nil } }
  }

  private func queue(_ rig: APIRig) async -> [String] {
    let tracks = await rig.state().playlist.tracks
    return tracks.ids.compactMap { tracks[$0]?.uri }
  }

  @Test func theQueueIsKeptAndPlaysAgain() async throws {
    let rig = try await APIRig()
    try await rig.fill(3)
    let reply = try await create(rig, "  Evening ", #", "from": "queue""#)
    #expect(reply.status == 200)
    #expect(reply.json?["added"] == .number(3) && reply.json?["left"] == .number(0))
    #expect(reply.json?["playlist"]?["name"] == .string("Evening"))
    #expect(rig.keeper.kept(1).map(\.server) == ["shelf", "shelf", "shelf"], "where they are from is kept")
    let all = try await rig.ask("GET", base)
    #expect(
      all.text
        == #"{"version":2,"playlists":[{"id":1,"name":"Evening","count":3,"seconds":0,"changed":1800000001,"version":"1"}],"limit":200,"isKept":true}"#
    )
    // Some of its tracks.
    #expect(try await create(rig, "b", #", "from": "queue", "ids": [3, 1, 9]"#).json?["added"] == .number(2))
    #expect(rig.keeper.kept(2).map(\.media.uri) == ["http://server/1.flac", "http://server/3.flac"])
    #expect(try await create(rig, "c", #", "ids": [1]"#).status == 422)
    try await rig.perform(.playlist(.deleteAll))
    #expect(try await rig.ask("POST", "\(base)/1/play", "{}").json?["added"] == .number(3))
    #expect(await queue(rig) == ["http://server/1.flac", "http://server/2.flac", "http://server/3.flac"])
    #expect(await rig.state().transport.continuation == .playing)
    #expect(try await rig.ask("POST", "\(base)/1/play", #"{"how": "end"}"#).status == 200)
    #expect(await queue(rig).count == 6)
  }

  @Test(arguments: ["-9223372036854775808", "-1", "4294967295", "9223372036854775807", "1e300"])
  func extremeNumbersAreRefused(number: String) async throws {
    let rig = try await APIRig()
    try await rig.fill(2)
    _ = try await create(rig, "a", #", "from": "queue""#)
    let before = rig.keeper.kept(1)
    let requests = [
      ("GET", "/\(number)", ""), ("GET", "/\(number)/tracks", ""), ("GET", "/1/tracks?count=\(number)", ""),
      ("DELETE", "/\(number)", ""), ("POST", "/1/play", #"{"start": \#(number)}"#),
      ("POST", "/1/move", #"{"ids": [\#(number)], "after": 0}"#),
      ("POST", "/1/move", #"{"ids": [1], "after": \#(number)}"#),
      ("POST", "/1/remove", #"{"ids": [\#(number)]}"#),
      ("POST", "/1/tracks", #"{"from": "queue", "after": \#(number)}"#),
    ]
    for (method, path, body) in requests {
      let status = try await rig.ask(method, base + path, body).status
      #expect([404, 409, 422].contains(status), "\(method) \(path) \(body): \(status)")
    }
    let start = try await rig.ask("GET", "\(base)/1/tracks?start=\(number)")
    #expect(start.status == 422, "\(number)")
    #expect(rig.keeper.kept(1) == before)
  }

  @Test func whereToBeginAndInWhichOrder() async throws {
    let rig = try await APIRig(PlayerConfiguration(tracksMax: 4))
    try await rig.fill(4)
    _ = try await create(rig, "a", #", "from": "queue""#)
    let reply = try await rig.ask("POST", "\(base)/1/play", #"{"how": "replace", "start": 2}"#)
    #expect(reply.status == 200)
    #expect(await queue(rig).count == 4)
    #expect(await rig.state().currentTrack?.uri == "http://server/3.flac")
    #expect(try await rig.ask("POST", "\(base)/1/play", #"{"start": 4}"#).status == 422)
    _ = try await rig.ask("POST", "\(base)/1/play", #"{"how": "replace", "shuffle": true}"#)
    #expect(await rig.state().playlist.isShuffling)
    _ = try await rig.ask("POST", "\(base)/1/play", #"{"how": "replace", "shuffle": false}"#)
    #expect(await !rig.state().playlist.isShuffling)
    #expect(await rig.state().currentTrack?.uri == "http://server/1.flac")
    // A queue that takes fewer has the track to begin with.
    let items = (0..<8).map { #"{"uri": "http://s/\#($0)"}"# }.joined(separator: ", ")
    _ = try await create(rig, "long", #", "items": [\#(items)]"#)
    let long = try await rig.ask("POST", "\(base)/2/play", #"{"how": "replace", "start": 6}"#)
    #expect(long.json?["added"] == .number(2))
    #expect(await rig.state().currentTrack?.uri == "http://s/6")
  }

  /// For pins, and whatever else in the daemon has a list to play.
  @Test func theDaemonItselfPlaysOne() async throws {
    let rig = try await APIRig()
    try await rig.fill(3)
    _ = try await create(rig, "a", #", "from": "queue""#)
    let context = ActionContext(remoteAddress: try #require(IPAddress("192.0.2.9")), userAgent: "Test")
    guard case .value(let result) = await rig.play.play(playlist: 1, shuffles: true, context) else {
      Issue.record("it doesn't play")
      return
    }
    #expect(result.added == 3)
    guard case .value(let found) = await rig.playlists.tracks(of: 1, most: 2) else {
      Issue.record("it has no tracks")
      return
    }
    #expect(found.tracks.map(\.uri) == ["http://server/1.flac", "http://server/2.flac"] && found.isPartial)
    guard case .problem(let problem) = await rig.play.play(playlist: 9, context) else {
      Issue.record("there is none")
      return
    }
    #expect(problem.type == "not-found")
  }

  @Test func itIsAnItemToPlayAndToKeep() async throws {
    let rig = try await APIRig()
    _ = try await create(
      rig, "a", #", "items": [{"uri": "http://s/1"}, {"server": "server", "object": "7"}]"#)
    let play = #"{"items": [{"playlist": 1}, {"uri": "http://s/2"}], "how": "end"}"#
    #expect(try await rig.ask("POST", "/api/v1/play", play).json?["added"] == .number(4))
    #expect(
      await queue(rig) == ["http://s/1", "http://server/7/one", "http://server/7/two", "http://s/2"])
    let other = #"{"items": [{"playlist": 2}]}"#
    #expect(try await rig.ask("POST", "/api/v1/play", other).status == 404)
    let both = #"{"items": [{"playlist": 1, "uri": "http://s/1"}]}"#
    #expect(try await rig.ask("POST", "/api/v1/play", both).type == "ambiguous-item")
    // A copy of it.
    #expect(try await create(rig, "b", #", "items": [{"playlist": 1}]"#).json?["added"] == .number(3))
  }

  @Test func aFavouriteIsAnItemToKeep() async throws {
    let rig = try await APIRig()
    let pin = try await rig.ask("POST", "/api/v1/pins", #"{"uri": "http://s/1", "title": "One"}"#)
    #expect(pin.status == 200)
    #expect(try await create(rig, "a", #", "items": [{"pin": 1}]"#).json?["added"] == .number(1))
    #expect(try await titles(rig) == ["One"])
    #expect(try await create(rig, "b", #", "items": [{"pin": 9}]"#).status == 404)
  }

  /// Playlists are read whole, as often as a request names them.
  @Test func aRequestNamesNoMorePlaylistsThanMemoryIsFor() async throws {
    let rig = try await APIRig()
    let title = String(repeating: "x", count: 20_000)
    let list = try await create(rig, "a", ##", "text": "#EXTM3U\n#EXTINF:1,\##(title)\nhttp://s/1\n""##)
    #expect(list.status == 200)
    func items(_ count: Int) -> String {
      Array(repeating: #"{"playlist": 1}"#, count: count).joined(separator: ",")
    }
    #expect(try await create(rig, "b", #", "items": [\#(items(100))]"#).json?["added"] == .number(100))
    let many = try await create(rig, "c", #", "items": [\#(items(1000))]"#)
    #expect(many.status == 422 && many.type == "too-many")
    let play = try await rig.ask("POST", "/api/v1/play", #"{"items": [\#(items(1000))], "how": "end"}"#)
    #expect(play.status == 422 && play.type == "too-many")
  }

  @Test func noMoreThanSoManyLongListsAreWhole() {
    let (lists, long) = (WholeLists(most: 2), WholeLists.short + 1)
    var places = [lists.place(bytes: long), lists.place(bytes: long)]
    #expect(places.allSatisfy { $0 != nil })
    let isFull = lists.place(bytes: long) == nil
    #expect(isFull)
    let hasShort = lists.place(bytes: long - 1) != nil
    #expect(hasShort, "a short one takes no place")
    let isStillFull = lists.place(bytes: long) == nil
    #expect(isStillFull)
    places.removeLast()
    let isFree = lists.place(bytes: long) != nil
    #expect(isFree, "the place of one that nobody needs is free")
  }

  @Test func itsTracksComeByPagesAndAreEdited() async throws {
    let rig = try await APIRig()
    let items = ["A", "B", "C", "D"].map { #"{"uri": "http://s/\#($0)", "title": "\#($0)"}"# }
    _ = try await create(rig, "a", #", "items": [\#(items.joined(separator: ", "))]"#)
    #expect(try await titles(rig) == ["A", "B", "C", "D"])
    #expect(try await titles(rig, 1, "?start=1&count=2") == ["B", "C"])
    let move = try await rig.ask("POST", "\(base)/1/move", #"{"ids": [4, 2], "after": 0}"#)
    #expect(move.status == 200 && move.json?["version"] == .string("2"))
    #expect(try await titles(rig) == ["D", "B", "A", "C"])
    #expect(try await rig.ask("POST", "\(base)/1/remove", #"{"ids": [1]}"#).status == 200)
    let added = try await rig.ask(
      "POST", "\(base)/1/tracks", #"{"items": [{"uri": "http://s/E", "title": "E"}], "after": 4}"#)
    #expect(added.status == 200)
    #expect(try await titles(rig) == ["D", "E", "B", "C"])
    try await rig.fill(1)
    #expect(
      try await rig.ask("POST", "\(base)/1/tracks", #"{"from": "queue", "replace": true}"#).status == 200)
    #expect(try await titles(rig) == ["1.flac"])
    #expect(try await rig.ask("PATCH", "\(base)/1", #"{"name": "b"}"#).json?["name"] == .string("b"))
    #expect(try await rig.ask("GET", "\(base)/1").json?["count"] == .number(1))
    #expect(try await rig.ask("DELETE", "\(base)/1").status == 204)
    #expect(try await rig.ask("GET", "\(base)/1").status == 404)
  }

  @Test func whatCantBeDoneIsSaid() async throws {
    let rig = try await APIRig()
    _ = try await create(rig, "a", #", "items": [{"uri": "http://s/1"}, {"uri": "http://s/2"}]"#)
    func status(_ method: String, _ path: String, _ body: String?) async throws -> Int {
      try await rig.ask(method, base + path, body).status
    }
    #expect(try await create(rig, "A").status == 409)
    #expect(try await create(rig, "A").type == "name-taken")
    #expect(try await create(rig, " ").status == 422)
    #expect(try await create(rig, "b", #", "from": "queue", "text": "x""#).status == 422)
    #expect(try await create(rig, "b", #", "from": "queue""#).status == 422, "the queue is empty")
    #expect(try await create(rig, "b", #", "items": [{"uri": "ftp://s/1"}]"#).pointer == "/items/0/uri")
    #expect(try await create(rig, "b", #", "items": [{"server": "other", "object": "7"}]"#).status == 404)
    #expect(try await status("POST", "/1/tracks", #"{"after": 0}"#) == 422)
    #expect(try await status("POST", "/1/tracks", #"{"from": "queue", "replace": true, "after": 0}"#) == 422)
    #expect(try await status("POST", "/1/move", #"{"ids": [1], "after": 1}"#) == 422)
    #expect(try await status("POST", "/1/move", #"{"ids": [9], "after": 0}"#) == 404)
    #expect(try await status("POST", "/1/remove", #"{"ids": [1, 1]}"#) == 422)
    #expect(try await status("PATCH", "/2", #"{"name": "x"}"#) == 404)
    #expect(try await status("DELETE", "/2", nil) == 404)
    #expect(try await status("POST", "/2/play", "{}") == 404)
    #expect(try await status("GET", "/2/tracks", nil) == 404)
    #expect(try await status("GET", "/0/tracks", nil) == 422)
    #expect(try await status("GET", "/1/export?format=pls", nil) == 422)
    #expect(rig.keeper.heads().count == 1 && rig.keeper.kept(1).count == 2)
    for id in 2...200 { _ = try await create(rig, "list \(id)") }
    #expect(try await create(rig, "one more").status == 429)
  }

  @Test func whoHasSeenAnotherVersionIsRefused() async throws {
    let rig = try await APIRig()
    _ = try await create(rig, "a", #", "items": [{"uri": "http://s/1"}, {"uri": "http://s/2"}]"#)
    func move(_ match: String) async throws -> Int {
      try await rig.ask(
        "POST", "\(base)/1/move", #"{"ids": [2], "after": 0}"#, fields: [("if-match", match)]
      ).status
    }
    #expect(try await move("1") == 200)
    #expect(try await move("1") == 412)
    #expect(try await move("x") == 412)
    #expect(try await move("\"2\"") == 200)
    #expect(try await move("*") == 200)
  }

  @Test func aFailureOfTheDiskIsSaid() async throws {
    let rig = try await APIRig()
    _ = try await create(rig, "a", #", "items": [{"uri": "http://s/1"}]"#)
    rig.keeper.fail(.notWritten)
    let reply = try await create(rig, "b")
    #expect(reply.status == 507 && reply.text.contains("disk is full"))
    rig.keeper.fail(.notRead)
    #expect(try await rig.ask("POST", "\(base)/1/play", "{}").status == 507)
    #expect(await queue(rig).isEmpty)
    rig.keeper.fail(nil)
    #expect(try await create(rig, "b").status == 200)
  }

  @Test func noMoreThanSoManyWaitForTheDisk() async throws {
    let rig = try await APIRig()
    rig.keeper.hold()
    let replies = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<32 { group.addTask { try await create(rig, "list \(number)").status } }
      while rig.keeper.waiting < 32 { try await Task.sleep(for: .milliseconds(2)) }
      let refused = try await create(rig, "one more")
      #expect(refused.status == 429 && refused["retry-after"] == "1")
      rig.keeper.release()
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(replies == Array(repeating: 200, count: 32))
    #expect(try await create(rig, "one more").status == 200)
  }

  @Test func whereNothingCanBeKept() async throws {
    let rig = try await APIRig(keeps: false)
    #expect(
      try await rig.ask("GET", base).text == #"{"version":1,"playlists":[],"limit":0,"isKept":false}"#)
    let reply = try await create(rig, "a")
    #expect(reply.status == 507 && reply.text.contains("--state-dir"))
  }

  @Test func whoMayOnlyLookChangesNothing() async throws {
    let rig = try await APIRig(access: .view)
    #expect(try await create(rig, "a").status == 403)
    #expect(try await rig.ask("GET", base).status == 200)
    let off = try await APIRig(access: .off)
    #expect(try await off.ask("GET", base).status == 404)
  }

  @Test func itGoesOutAndInAsAFile() async throws {
    let rig = try await APIRig()
    let items = #"{"uri": "http://s/1", "title": "Söng", "artist": "A", "album": "B", "seconds": 2.5}"#
    _ = try await create(rig, "Abend Ä", #", "items": [\#(items)]"#)
    let m3u = try await rig.ask("GET", "\(base)/1/export")
    #expect(
      m3u.text == "#EXTM3U\n#PLAYLIST:Abend Ä\n#EXTINF:2.500,A - Söng\n#EXTART:A\n#EXTALB:B\nhttp://s/1\n")
    #expect(m3u.contentType == "audio/x-mpegurl; charset=utf-8")
    #expect(
      m3u["content-disposition"]
        == "attachment; filename=\"Abend--.m3u8\"; filename*=UTF-8''Abend%20%C3%84.m3u8")
    let xspf = try await rig.ask("GET", "\(base)/1/export?format=xspf")
    #expect(xspf.contentType == "application/xspf+xml; charset=utf-8")
    for text in [m3u.text, xspf.text] {
      let body = JSONValue.object([
        JSONMember("name", .string("from \(text.count)")), JSONMember("text", .string(text)),
      ])
      let reply = try await rig.ask("POST", base, String(decoding: body.json, as: UTF8.self))
      #expect(reply.json?["added"] == .number(1))
      guard case .number(let id)? = reply.json?["playlist"]?["id"] else { continue }
      #expect(try await rig.ask("GET", "\(base)/\(Int(id))/export").text.contains("#EXTINF:2.500,A - Söng"))
    }
    let part = try await rig.ask("POST", "\(base)/1/tracks", ##"{"text": "#EXTM3U\nhttp://s/2\nb.mp3"}"##)
    #expect(part.json?["added"] == .number(1) && part.json?["left"] == .number(1))
    #expect(part.text.contains("1 track was left out: only http"))
    #expect(try await create(rig, "x", #", "text": "no list""#).type == "not-a-list")
  }

  /// A media server has another address now: what plays has it too, and the playlist remembers it.
  @Test func tracksThatAreFoundAgainAreKept() async throws {
    let rig = try await APIRig()
    try await rig.fill(2)
    _ = try await create(rig, "a", #", "from": "queue""#)
    rig.finder.move(to: "http://moved/")
    #expect(try await rig.ask("POST", "\(base)/1/play", #"{"how": "replace"}"#).status == 200)
    #expect(await queue(rig) == ["http://moved/1.flac", "http://moved/2.flac"])
    for _ in 0..<200 where rig.keeper.kept(1).first?.media.uri != "http://moved/1.flac" {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(rig.keeper.kept(1).map(\.media.uri) == ["http://moved/1.flac", "http://moved/2.flac"])
    // Reading it asks nobody.
    let before = rig.finder.questions
    _ = try await titles(rig)
    _ = try await rig.ask("GET", "\(base)/1/export")
    #expect(rig.finder.questions == before)
  }

  @Test func pagesAreToldOfChangesAndOfNothingElse() async throws {
    let rig = try await APIRig()
    let changes = Changes()
    rig.sections.observe { changes.add($0) }
    _ = try await create(rig, "a")
    _ = try await create(rig, "a")
    _ = try await titles(rig)
    #expect(changes.all == [.playlists])
    let section = try #require(rig.sections[.playlists])
    #expect(try await rig.loop.submit { section.version }.get() == 2)
  }
}
