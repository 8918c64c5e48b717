import JSON
import NIOCore
import Services
import Testing

@testable import HTTP
@testable import Page
@testable import Player

@Suite struct QueueAPITests {
  private func ids(_ rig: APIRig) async -> [UInt32] { await rig.state().playlist.tracks.ids }

  @Test func tracksAreInserted() async throws {
    let rig = try await APIRig()
    let body =
      #"{"tracks": [{"uri": "http://s/a", "title": "A & <b>", "artist": "X", "album": "Y", "seconds": 61.5, "art": "http://s/a.png"}, {"uri": "http://s/b.flac"}]}"#
    let reply = try await rig.ask("POST", "/api/v1/queue/tracks", body)
    #expect(reply.text == #"{"added":2,"left":0,"token":"2"}"#)
    let tracks = try await rig.ask("GET", "/api/v1/queue/tracks?ids=2,9,1")
    #expect(
      tracks.text
        == #"{"tracks":[{"id":2,"uri":"http://s/b.flac","title":"b.flac"},{"id":1,"uri":"http://s/a","title":"A & <b>","artist":"X","album":"Y","seconds":61.5,"art":"/art/14"}]}"#
    )
    let queue = try #require(try await rig.ask("GET", "/api/v1/queue").json)
    #expect(queue["seconds"] == .number(61.5))
    #expect(queue["ids"] == .array([.number(1), .number(2)]))
    #expect(queue["undo"] == .string("Adding 2 tracks"))
  }

  @Test(arguments: ["a", "-1", "1,,2", "42949672960", "+1", "", "1;2", "%", "%ff"])
  func idsAreChecked(_ ids: String) async throws {
    #expect(try await APIRig().ask("GET", "/api/v1/queue/tracks?ids=\(ids)").status == 422)
  }

  @Test func parametersAreChecked() async throws {
    let rig = try await APIRig()
    #expect(try await rig.ask("GET", "/api/v1/queue/tracks").type == "missing-parameter")
    #expect(try await rig.ask("GET", "/api/v1/queue/tracks?ids=1&x=1").type == "unknown-parameter")
    #expect(try await rig.ask("GET", "/api/v1/queue/tracks?ids=1&ids=2").type == "duplicate-parameter")
    let many = (0...100).map(String.init).joined(separator: ",")
    #expect(try await rig.ask("GET", "/api/v1/queue/tracks?ids=\(many)").status == 422)
    #expect(try await rig.ask("GET", "/api/v1/queue/tracks?ids=1%2C2").status == 200)
    #expect(try await rig.ask("DELETE", "/api/v1/queue/tracks/x").status == 422)
    #expect(try await rig.ask("DELETE", "/api/v1/queue/tracks/1").status == 404)
  }

  @Test func editsAreTakenBack() async throws {
    let rig = try await APIRig()
    try await rig.fill(4)
    #expect(try await rig.ask("POST", "/api/v1/queue/undo").status == 409, "nobody edited it here")
    #expect(try await rig.ask("POST", "/api/v1/queue/move", #"{"ids": [4, 2], "after": 0}"#).status == 204)
    #expect(await ids(rig) == [4, 2, 1, 3])
    #expect(try await rig.ask("POST", "/api/v1/queue/remove", #"{"ids": [2, 1]}"#).status == 204)
    #expect(await ids(rig) == [4, 3])
    #expect(try await rig.ask("POST", "/api/v1/queue/undo").status == 204)
    #expect(await ids(rig) == [4, 2, 1, 3])
    #expect(try await rig.ask("POST", "/api/v1/queue/undo").status == 409, "only the last one")
    #expect(try await rig.ask("DELETE", "/api/v1/queue").status == 204)
    #expect(try await rig.ask("POST", "/api/v1/queue/undo").status == 204)
    #expect(await ids(rig) == [4, 2, 1, 3])
  }

  @Test func undoingTakesNothingOfOthersBack() async throws {
    let rig = try await APIRig()
    try await rig.fill(3)
    #expect(try await rig.ask("DELETE", "/api/v1/queue/tracks/2").status == 204)
    #expect(try await rig.ask("GET", "/api/v1/queue").json?["undo"] == .string("Removing 1 track"))
    try await rig.perform(.playlist(.delete(1)))
    #expect(try await rig.ask("GET", "/api/v1/queue").json?["undo"] == nil)
    #expect(try await rig.ask("POST", "/api/v1/queue/undo").status == 409)
    #expect(await ids(rig) == [3])
  }

  @Test func whoEditsAnOldQueueIsTold() async throws {
    let rig = try await APIRig()
    try await rig.fill(3)
    let token = await rig.state().playlist.token
    for match in ["\(token)", "\"\(token)\"", "*"] {
      #expect(
        try await rig.ask(
          "POST", "/api/v1/queue/move", #"{"ids": [1], "after": 0}"#, fields: [("if-match", match)]
        )
        .status == 204)
    }
    let reply = try await rig.ask("DELETE", "/api/v1/queue", fields: [("if-match", "\(token + 1)")])
    #expect(reply.status == 412)
    #expect(reply.type == "queue-changed")
    #expect(await ids(rig) == [1, 2, 3])
  }

  @Test(arguments: [
    ("move", #"{"ids": [1, 1], "after": 0}"#, 422), ("move", #"{"ids": [1], "after": 1}"#, 422),
    ("move", #"{"ids": [9], "after": 1}"#, 404), ("move", #"{"ids": [], "after": 1}"#, 422),
    ("move", #"{"ids": [1]}"#, 422), ("remove", #"{"ids": [1, 1]}"#, 422), ("remove", #"{"ids": [0]}"#, 422),
    ("remove", #"{"ids": [1, 9]}"#, 404),
    ("tracks", #"{"tracks": [{"uri": "file:///etc/passwd"}]}"#, 422),
    ("tracks", #"{"tracks": [{"title": "a"}]}"#, 422), ("tracks", #"{"tracks": [{"uri": ""}]}"#, 422),
    ("tracks", #"{"tracks": [{"uri": "http://s/a"}], "after": 9}"#, 404),
  ]) func refusals(_ path: String, _ body: String, _ status: Int) async throws {
    let rig = try await APIRig()
    try await rig.fill(3)
    #expect(try await rig.ask("POST", "/api/v1/queue/\(path)", body).status == status)
    #expect(await ids(rig) == [1, 2, 3])
  }

  @Test func aFullQueueSaysWhatWasLeftOut() async throws {
    let rig = try await APIRig(PlayerConfiguration(tracksMax: 3))
    try await rig.fill(2)
    let body = #"{"tracks": [{"uri": "http://s/a"}, {"uri": "http://s/b"}]}"#
    let reply = try await rig.ask("POST", "/api/v1/queue/tracks", body)
    #expect(reply.text == #"{"added":1,"left":1,"detail":"1 didn't fit: the queue is full.","token":"3"}"#)
    #expect(try await rig.ask("POST", "/api/v1/queue/tracks", body).type == "queue-full")
  }

  @Test func aTrackIsPlayed() async throws {
    let rig = try await APIRig()
    try await rig.fill(3)
    #expect(try await rig.ask("POST", "/api/v1/queue/tracks/2/play").status == 204)
    #expect(await rig.state().playlist.currentID == 2)
    #expect(await rig.state().transport.continuation == .playing)
    #expect(try await rig.ask("POST", "/api/v1/queue/tracks/7/play").status == 404)
  }

  private static func count(_ reply: APIRig.Reply) -> Int {
    guard case .array(let tracks)? = reply.json?["tracks"] else { return -1 }
    return tracks.count
  }

  /// A title of a stranger, of any length, asked for any number of times.
  @Test func anAnswerAboutTracksIsBounded() async throws {
    let rig = try await APIRig()
    let long = Media(
      entered: "http://s/a", title: String(repeating: "\u{7f}", count: 200_000), artist: nil, album: nil,
      duration: nil, picture: nil)
    for _ in 0..<8 { try await rig.perform(.playlist(.insertEach(after: 0, [long]))) }
    let ids = await ids(rig)
    let one = String(ids[0])
    let reply = try await rig.ask(
      "GET", "/api/v1/queue/tracks?ids=" + Array(repeating: one, count: 100).joined(separator: ","))
    #expect(Self.count(reply) == 1)
    #expect(reply.text.utf8.count < 10_000)
    let all = try await rig.ask(
      "GET", "/api/v1/queue/tracks?ids=" + ids.map(String.init).joined(separator: ","))
    #expect((1..<8).contains(Self.count(all)))
  }

  @Test func undoingIsRefusedWhenSomebodyElseHasEdited() async throws {
    let rig = try await APIRig()
    let added = try await rig.ask(
      "POST", "/api/v1/queue/tracks", #"{"tracks": [{"uri": "http://s/a"}, {"uri": "http://s/b"}]}"#)
    guard case .string(let token)? = added.json?["token"] else {
      Issue.record("no token")
      return
    }
    #expect(try await rig.ask("DELETE", "/api/v1/queue/tracks/1").status == 204)
    let refused = try await rig.ask("POST", "/api/v1/queue/undo", fields: [("if-match", "\"\(token)\"")])
    #expect(refused.status == 412)
    #expect(await ids(rig).count == 1)
    #expect(try await rig.ask("POST", "/api/v1/queue/undo").status == 204)
    #expect(await ids(rig).count == 2)
  }

  /// What had played is the current track again, whatever took its place.
  @Test func undoingAReplacementFindsThePlace() async throws {
    let rig = try await APIRig()
    try await rig.perform(
      .playlist(.insertEach(after: 0, (0..<5).map { Media(uri: "http://s/\($0)") })), .playlist(.playIndex(3))
    )
    _ = try await rig.ask("POST", "/api/v1/play", #"{"items": [{"uri": "http://s/new"}], "how": "replace"}"#)
    #expect(try await rig.ask("POST", "/api/v1/queue/undo").status == 204)
    let state = await rig.state()
    #expect(state.playlist.tracks.count == 5 && state.currentTrack?.uri == "http://s/3")
    #expect(state.transport != .stopped)
  }

  /// Titles come from strangers, and a line break would end their line.
  @Test func theQueueIsSavedAsAPlaylist() async throws {
    let rig = try await APIRig()
    let titled = Media(
      entered: "http://s/a?token=1", title: "A\n#EXTINF:1,\u{85}B", artist: "X\r", album: nil,
      duration: .milliseconds(61_500), picture: nil)
    try await rig.perform(
      .playlist(
        .insertEach(
          after: 0,
          [titled, Media(uri: "http://s/b.flac")])))
    let reply = try await rig.ask("GET", "/api/v1/queue/export")
    #expect(reply.status == 200)
    #expect(reply.contentType == "audio/x-mpegurl; charset=utf-8")
    #expect(
      reply.text
        == "#EXTM3U\n#PLAYLIST:Kitchen\n#EXTINF:61.500,X - A #EXTINF:1, B\n#EXTART:X\nhttp://s/a?token=1\n#EXTINF:-1,b.flac\nhttp://s/b.flac\n"
    )
    let xspf = try await rig.ask("GET", "/api/v1/queue/export?format=xspf")
    #expect(xspf.contentType == "application/xspf+xml; charset=utf-8")
    #expect(xspf["content-disposition"] == "attachment; filename=\"queue.xspf\"")
    #expect(xspf.text.hasSuffix("<location>http://s/b.flac</location></track>\n</trackList></playlist>\n"))
  }

  @Test func aLongQueueIsSavedInPieces() async throws {
    let rig = try await APIRig()
    let media = (0..<900).map { Media(uri: "http://s/\($0)/\(String(repeating: "a", count: 1000))") }
    for start in stride(from: 0, to: media.count, by: 100) {
      let last = await rig.player.state.playlist.tracks.ids.last ?? 0
      try await rig.perform(.playlist(.insertEach(after: last, Array(media[start..<start + 100]))))
    }
    let tracks = await rig.player.state.playlist.tracks
    var response = ListExport.response(.m3u8, name: "Kitchen", file: "queue", count: tracks.count) {
      tracks[tracks.ids[$0]]
    }
    var rest = try #require(response.rest)
    var pieces = 0
    var isMore = true
    while isMore {
      var piece = ByteBuffer()
      isMore = rest.write(to: &piece)
      #expect(piece.readableBytes < 2 * ListExport.usualLength)
      response.body.writeBuffer(&piece)
      pieces += 1
    }
    let lines = String(buffer: response.body).split(separator: "\n")
    #expect(pieces > tracks.count * 1000 / (2 * ListExport.usualLength) && pieces > 5)
    #expect(lines.filter { $0.hasPrefix("http") } == tracks.ids.compactMap { tracks[$0]?.uri[...] })
  }
}
