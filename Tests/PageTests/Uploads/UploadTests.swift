import Foundation
import JSON
import NIOCore
import Player
import Services
import Testing

@testable import HTTP
@testable import Network
@testable import Page

@Suite struct UploadTests {
  @Test func aSongIsKeptAndServedAsItCame() async throws {
    let rig = try await UploadRig()
    defer { rig.remove() }
    let song = UploadRig.flac(200_000)
    let key = try await rig.send("name=A%20song.flac", song)
    #expect(rig.files == [key, "\(key).note"])
    let whole = try await rig.get("/uploads/\(key).flac")
    #expect(whole.head.status == .ok && whole.head.contentType == "audio/flac" && whole.body == song)
    #expect(whole.head.length == song.count)
    #expect(whole.head.field("X-CONTENT-TYPE-OPTIONS") == "nosniff")
    let part = try await rig.get("/uploads/\(key)", ["range": "bytes=100000-150000"])
    #expect(part.head.status == .partialContent && part.body == Array(song[100_000...150_000]))
    #expect(part.head.field("CONTENT-RANGE") == "bytes 100000-150000/200000")
    #expect(try await rig.get("/uploads/\(key)", ["range": "bytes=-5"]).body == Array(song.suffix(5)))
    #expect(try await rig.get("/uploads/\(key)", ["range": "bytes=200000-"]).head.status.rawValue == 416)
    #expect(
      try await rig.get("/uploads/\(key)", ["range": "bytes=1-2", "if-range": "\"other\""]).body.count
        == 200_000)
    let head = try await rig.get("/uploads/\(key)", method: "HEAD")
    #expect(head.head.length == song.count)
    #expect(try await rig.get("/uploads/\(String(repeating: "0", count: 32))").head.status == .notFound)
    #expect(await rig.tracks().isEmpty)
  }

  @Test func aShortBodyMayComeWithItsHead() async throws {
    let rig = try await UploadRig()
    defer { rig.remove() }
    let id = rig.newID()
    let song = UploadRig.flac(100)
    #expect(try await rig.claim("name=a.flac&how=end", bytes: song.count, id: id) == nil)
    try await rig.piece(song, isLast: true, of: id)
    #expect(try await rig.answer(id).status == 200)
    #expect(await rig.tracks().count == 1)
  }

  @Test func songsSurviveARestart() async throws {
    let rig = try await UploadRig()
    defer { rig.remove() }
    let song = UploadRig.flac(5000)
    let key = try await rig.send("name=%C3%9Cmlaut.flac", song)
    // What a killed run leaves behind, and what isn't ours.
    let other = String(repeating: "a", count: 32)
    for name in ["\(other).part", "\(other).note", String(repeating: "b", count: 32), "notes.txt"] {
      try Data("x".utf8).write(to: URL(fileURLWithPath: "\(rig.directory)/\(name)"))
    }
    let again = UploadRig.flac(50)
    try Data(again).write(to: URL(fileURLWithPath: "\(rig.directory)/\(String(repeating: "c", count: 32))"))
    try await rig.loop.submit { rig.desk.assumeIsolated { $0.isLoaded = false } }.get()
    try await rig.begin()
    #expect(rig.files == [key, "\(key).note", "notes.txt"].sorted())
    #expect(try await rig.get("/uploads/\(key)").body == song)
    let kept = await rig.desk.shelf.songs[key]
    #expect(kept?.name == "Ümlaut.flac")
  }

  // MARK: - Refusals before a byte is taken

  @Test func whatCannotBeKeptIsRefusedAtItsHead() async throws {
    let rig = try await UploadRig(limit: 1000)
    defer { rig.remove() }
    func refusal(
      _ bytes: Int?, _ fields: [(String, String)] = [], query: String = "name=a"
    ) async throws -> Int {
      let id = rig.newID()
      let refusal = try await rig.claim(query, bytes: bytes, id: id, fields: fields)
      if refusal == nil { try await rig.abandon(id) }
      return refusal?.status ?? 0
    }
    #expect(try await refusal(1001) == 413)
    #expect(try await refusal(.max) == 413)
    #expect(try await refusal(nil) == 411)
    #expect(try await refusal(0) == 422)
    #expect(try await refusal(100, query: "") == 422)
    #expect(try await refusal(100, query: "name=a&how=never") == 422)
    #expect(try await refusal(100, query: "name=a&x=1") == 422)
    #expect(try await refusal(100) == 0)
    // What forms of other sites can send.
    for type in [
      "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "application/json",
    ] {
      #expect(try await refusal(100, [("content-type", type)]) == 415, "\(type)")
    }
    #expect(try await refusal(100, [("content-type", "Audio/MPEG; x=y")]) == 0)
    #expect(try await refusal(100, [("origin", "http://evil.example")]) == 403)
    #expect(try await refusal(100, [("origin", "http://192.0.2.7:49494")]) == 0)
    #expect(try await refusal(100, [("sec-fetch-site", "cross-site")]) == 403)
    let viewers = try await UploadRig(access: .view)
    defer { viewers.remove() }
    #expect(try await viewers.claim("name=a", bytes: 100, id: viewers.newID())?.type == "read-only")
    try await rig.until { rig.files.isEmpty }
  }

  @Test func onlyAFewComeAtOnce() async throws {
    let rig = try await UploadRig()
    defer { rig.remove() }
    func peer(_ last: UInt8) -> Peer {
      Peer(remote: IPAddress("192.0.2.\(last)")!, local: IPAddress("192.0.2.7")!, localPort: 49494)
    }
    var ids: [RequestID] = []
    for last in [1, 1, 2, 2] as [UInt8] {
      ids.append(rig.newID())
      #expect(try await rig.claim("name=a", bytes: 100, id: ids[ids.count - 1], peer: peer(last)) == nil)
    }
    #expect(try await rig.claim("name=a", bytes: 100, id: rig.newID(), peer: peer(1))?.status == 429)
    #expect(try await rig.claim("name=a", bytes: 100, id: rig.newID(), peer: peer(3))?.status == 503)
    try await rig.abandon(ids[0])
    #expect(try await rig.claim("name=a", bytes: 100, id: rig.newID(), peer: peer(3)) == nil)
  }

  // MARK: - What goes wrong on the way

  @Test func whatIsNoSoundIsRefusedAndNothingStays() async throws {
    let rig = try await UploadRig()
    defer { rig.remove() }
    for (bytes, type) in [
      (
        Array("<!DOCTYPE html><script>alert(1)</script>".utf8) + [UInt8](repeating: 32, count: 100),
        "not-audio"
      ),
      (
        Array("OggS".utf8) + [UInt8](repeating: 0, count: 24) + Array("OpusHead".utf8) + [0, 0, 0, 0],
        "not-playable"
      ),
    ] {
      let id = rig.newID()
      #expect(try await rig.claim("name=song.flac", bytes: bytes.count, id: id) == nil)
      try await rig.waitWanted(id)
      try await rig.piece(bytes, isLast: true, of: id)
      let (status, json) = try await rig.answer(id)
      #expect(status == 415 && json["type"] == .string(type))
    }
    try await rig.until { rig.files.isEmpty }
    let summary = await rig.desk.summary
    #expect(summary.coming == 0 && summary.bytes == 0)
  }

  @Test func aBodyThatIsCutOffLeavesNothing() async throws {
    let rig = try await UploadRig()
    defer { rig.remove() }
    let id = rig.newID()
    #expect(try await rig.claim("name=a", bytes: 100_000, id: id) == nil)
    try await rig.waitWanted(id)
    try await rig.piece(UploadRig.flac(50_000), isLast: false, of: id)
    try await rig.waitWanted(id, 5)
    #expect(rig.files.count == 1 && rig.files[0].hasSuffix(".part"))
    try await rig.abandon(id)
    try await rig.until { rig.files.isEmpty }
    #expect(await rig.desk.coming.isEmpty)
  }

  @Test func aDirectoryThatCannotBeWrittenIsTold() async throws {
    let rig = try await UploadRig()
    // A file is in its place.
    try Data().write(to: URL(fileURLWithPath: rig.directory))
    defer { rig.remove() }
    let id = rig.newID()
    #expect(try await rig.claim("name=a", bytes: 100, id: id) == nil)
    try await rig.waitWanted(id)
    let (status, json) = try await rig.answer(id)
    #expect(status == 507)
    #expect(json["type"] == .string("not-writable"))
    #expect(await rig.desk.summary.problem != nil)
  }

  @Test func aFileThatIsGoneEndsItsSong() async throws {
    let rig = try await UploadRig()
    defer { rig.remove() }
    let key = try await rig.send("name=a", UploadRig.flac(100))
    try FileManager.default.removeItem(atPath: "\(rig.directory)/\(key)")
    #expect(try await rig.get("/uploads/\(key)").body.isEmpty)
    #expect(try await rig.get("/uploads/\(key)").head.status == .notFound)
    try await rig.until { rig.files.isEmpty }
  }

  @Test func aFileThatCannotBeReadNowStays() async throws {
    let rig = try await UploadRig()
    defer { rig.remove() }
    let key = try await rig.send("name=a", UploadRig.flac(100))
    let file = "\(rig.directory)/\(key)"
    // A link isn't followed, which stands for all that isn't a lack of the file.
    try FileManager.default.moveItem(atPath: file, toPath: "\(file).away")
    try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "\(file).away")
    #expect(try await rig.get("/uploads/\(key)").body.isEmpty)
    #expect(await rig.desk.shelf.songs[key] != nil)
    #expect(rig.files.contains("\(key).note"))
  }

  @Test func theSpeakerItselfFetchesHoweverManyOthersDo() async throws {
    let rig = try await UploadRig()
    defer { rig.remove() }
    let key = try await rig.send("name=a", UploadRig.flac(100))
    let own = Peer(remote: IPAddress("127.0.0.1")!, local: IPAddress("127.0.0.1")!, localPort: 49494)
    let head = RequestHead.to("/uploads/\(key)", [:])
    func fetching(_ count: Int, from peer: Peer) async throws -> Int {
      let ids = (0..<count).map { _ in rig.newID() }
      // All in one turn, before any of them has ended.
      return try await rig.loop.submit { [desk = rig.desk] in
        var streams = 0
        for id in ids {
          let answer = desk.respond(to: HTTPRequest(head: head, body: ByteBuffer()), from: peer, id: id)
          if case .streaming? = answer { streams += 1 }
        }
        return streams
      }.get()
    }
    #expect(try await fetching(9, from: UploadRig.peer) == 8)
    #expect(try await fetching(9, from: own) == 9)
  }

  // MARK: - The limit

  @Test func noneGoesForWhatIsNoSong() async throws {
    let rig = try await UploadRig(limit: 1000)
    defer { rig.remove() }
    let kept = try await rig.send("name=kept", UploadRig.flac(600))
    let id = rig.newID()
    #expect(try await rig.claim("name=large", bytes: 900, id: id) == nil)
    try await rig.waitWanted(id)
    try await rig.piece([UInt8](repeating: 32, count: 100), isLast: false, of: id)
    #expect(try await rig.answer(id).status == 415)
    #expect(Set(await rig.desk.shelf.songs.keys) == [kept])
    try await rig.until { Set(rig.files) == [kept, "\(kept).note"] }
  }

  @Test func whatIsInTheQueueStaysAndTheOldestGoes() async throws {
    let rig = try await UploadRig(limit: 1000)
    defer { rig.remove() }
    let queued = try await rig.send("name=queued&how=end", UploadRig.flac(400))
    let idle = try await rig.send("name=idle", UploadRig.flac(400, seed: 3))
    let new = try await rig.send("name=new", UploadRig.flac(500, seed: 5))
    #expect(Set(await rig.desk.shelf.songs.keys) == [queued, new])
    try await rig.until { Set(rig.files) == [queued, "\(queued).note", new, "\(new).note"] }
    #expect(!rig.files.contains(idle))
    let id = rig.newID()
    #expect(try await rig.claim("name=large", bytes: 700, id: id) == nil)
    #expect(try await rig.answer(id).json["type"] == .string("shelf-full"))
  }

  @Test func aSongInTheQueueIsNotDeleted() async throws {
    let rig = try await UploadRig()
    defer { rig.remove() }
    let queued = try await rig.send("name=a&how=end", UploadRig.flac(100))
    let kept = try await rig.send("name=b", UploadRig.flac(100))
    let more = try await rig.send("name=c", UploadRig.flac(100))
    func delete(_ path: String) async throws -> Int {
      let head = RequestHead.to("/api/v1/uploads\(path)", ["host": "192.0.2.7:49494"], method: "DELETE")
      let answer = try await rig.loop.submit {
        rig.responder.respond(
          to: HTTPRequest(head: head, body: ByteBuffer()), from: UploadRig.peer, id: rig.newID())
      }.get()
      guard case .complete(let response)? = answer else { return 0 }
      return response.status.rawValue
    }
    #expect(try await delete("/\(queued)") == 409)
    #expect(try await delete("/\(kept)") == 204)
    #expect(try await delete("/\(kept)") == 404)
    #expect(try await delete("") == 200)
    #expect(Set(await rig.desk.shelf.songs.keys) == [queued])
    #expect(!rig.files.contains(more))
  }

  // MARK: - The queue

  private func titles(_ rig: UploadRig) async -> [String] { await rig.tracks().map { ShownTrack($0).title } }

  @Test func songsJoinInTheOrderInWhichTheyWereChosen() async throws {
    let rig = try await UploadRig()
    defer { rig.remove() }
    try await rig.player.perform([.playlist(.insertEach(after: 0, [Media(uri: "http://server/before.mp3")]))])
    let (first, second) = (rig.newID(), rig.newID())
    #expect(try await rig.claim("name=one.flac&how=now&batch=b&place=0", bytes: 500, id: first) == nil)
    #expect(try await rig.claim("name=two.flac&how=now&batch=b&place=1", bytes: 100, id: second) == nil)
    try await rig.waitWanted(first)
    try await rig.waitWanted(second)
    try await rig.piece(UploadRig.flac(100), isLast: true, of: second)
    #expect(try await rig.answer(second).json["state"] == .string("waiting"))
    #expect(await titles(rig) == ["before.mp3"])
    try await rig.piece(UploadRig.flac(500), isLast: true, of: first)
    #expect(try await rig.answer(first).json["state"] == .string("queued"))
    try await rig.send("name=three.flac&how=now&batch=b&place=2", UploadRig.flac(90))
    #expect(await titles(rig).filter { $0 != "before.mp3" } == ["one", "two", "three"])
    let state = await rig.player.state
    #expect(ShownTrack(state)?.title == "one", "the first plays, and plays on")
  }

  /// More than join in one turn of the event loop.
  @Test(.timeLimit(.minutes(1))) func manyThatHaveWaitedJoinInTheirOrder() async throws {
    let rig = try await UploadRig()
    defer { rig.remove() }
    let first = rig.newID()
    #expect(try await rig.claim("name=0.flac&how=end&batch=b&place=0", bytes: 100, id: first) == nil)
    try await rig.waitWanted(first)
    let others = 1...(2 * UploadDesk.joinsPerTurn + 3)
    for place in others {
      try await rig.send("name=\(place).flac&how=end&batch=b&place=\(place)", UploadRig.flac(90))
    }
    #expect(await titles(rig) == [])
    try await rig.piece(UploadRig.flac(100), isLast: true, of: first)
    _ = try await rig.answer(first)
    while await titles(rig).count < others.count + 1 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(await titles(rig) == ([0] + others).map(String.init))
  }

  @Test func aSongThatFailsLetsTheOthersGoOn() async throws {
    let rig = try await UploadRig()
    defer { rig.remove() }
    let (first, second) = (rig.newID(), rig.newID())
    #expect(try await rig.claim("name=one&how=end&batch=b&place=0", bytes: 500, id: first) == nil)
    #expect(try await rig.claim("name=two&how=end&batch=b&place=1", bytes: 100, id: second) == nil)
    try await rig.waitWanted(second)
    try await rig.piece(UploadRig.flac(100), isLast: true, of: second)
    _ = try await rig.answer(second)
    try await rig.abandon(first)
    #expect(await titles(rig) == ["two"])
  }

  @Test func addressesAreThoseThatThePhoneHasReached() async throws {
    let rig = try await UploadRig()
    defer { rig.remove() }
    rig.own.set(port: 49494)
    let key = try await rig.send("name=a.flac&how=end", UploadRig.flac(100))
    let media = try #require(await rig.tracks().first)
    #expect(media.uri == "http://192.0.2.7:49494/uploads/\(key).flac")
    #expect(rig.own.local(media).uri == "http://127.0.0.1:49494/uploads/\(key).flac")
    // Whatever address the speaker had when it came.
    var moved = media
    moved.uri = "http://198.51.100.1:1/uploads/\(key).flac"
    #expect(rig.own.local(moved).uri == "http://127.0.0.1:49494/uploads/\(key).flac")
    moved.uri = "http://198.51.100.1:1/uploads/\(String(repeating: "0", count: 32)).flac"
    #expect(rig.own.local(moved) == moved, "one of another speaker")
    let id = rig.newID()
    let here = Peer(remote: .v4(0x7f00_0001), local: .v4(0x7f00_0001), localPort: 49494)
    #expect(try await rig.claim("name=b.flac&how=end", bytes: 100, id: id, peer: here) == nil)
    try await rig.waitWanted(id)
    try await rig.piece(UploadRig.flac(100), isLast: true, of: id)
    _ = try await rig.answer(id)
    #expect(
      await rig.tracks().last?.uri.hasPrefix("http://192.0.2.7:49494/") == true, "others can't reach loopback"
    )
  }

  @Test func listsNameSongsThatAreKept() async throws {
    let rig = try await UploadRig()
    defer { rig.remove() }
    try await rig.send("name=One.flac", UploadRig.flac(100))
    try await rig.send("name=Two.flac", UploadRig.flac(100))
    let text = #"#EXTM3U\nMusic/two.flac\nhttp://radio.example/x\nOther.mp3\none.flac\nfile.flac"#
    let body = ByteBuffer(string: "{\"text\": \"\(text)\", \"how\": \"end\"}")
    var head = RequestHead.to(
      "/api/v1/uploads/list", ["host": "192.0.2.7:49494", "content-type": "application/json"], method: "POST")
    head.framing = .length(body.readableBytes)
    let request = HTTPRequest(head: head, body: body)
    let answer = try await rig.loop.submit {
      rig.responder.respond(to: request, from: UploadRig.peer, id: rig.newID())
    }.get()
    guard case .complete(let response)? = answer else { throw CocoaError(.fileReadUnknown) }
    let json = try JSONValue(reading: Array(response.body.readableBytesView))
    #expect(json["added"] == .number(3) && json["left"] == .number(2))
    #expect(json["missing"] == .array([.string("Other.mp3"), .string("file.flac")]))
    #expect(await titles(rig) == ["Two", "x", "One"])
  }

  // MARK: - Off

  @Test func whereTheyAreOffTheKeyIsNamed() async throws {
    let rig = try await APIRig()
    let claim = rig.responder.claim(
      UploadRig.head("name=a", bytes: 100), from: UploadRig.peer, id: RequestID(connection: 1, number: 1))
    guard case .refuse(let response)? = claim else { throw CocoaError(.fileReadUnknown) }
    #expect(response.status == .forbidden && response.text.contains("[uploads] enabled"))
    let summary = try await rig.ask("GET", "/api/v1/uploads")
    #expect(summary.json?["enabled"] == .boolean(false))
    #expect(try await rig.ask("DELETE", "/api/v1/uploads").type == "uploads-off")
  }
}
