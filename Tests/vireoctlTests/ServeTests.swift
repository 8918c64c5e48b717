import ControlPoint
import Foundation
import HTTP
import NIOCore
import NIOPosix
import Network
import Testing

@testable import vireoctl

@Suite struct ServeTests {
  @Test func ranges() {
    func range(_ field: String?, _ size: Int64 = 100) -> ByteRange { ByteRange(field, size: size) }
    #expect(range(nil) == .whole)
    #expect(range("bytes=0-9") == .part(0..<10))
    #expect(range("Bytes = 90-") == .part(90..<100))
    #expect(range("bytes=90-1000") == .part(90..<100))
    #expect(range("bytes=-10") == .part(90..<100))
    #expect(range("bytes=-1000") == .part(0..<100))
    #expect(range("bytes=100-") == .none)
    #expect(range("bytes=99999999999999999999-") == .none)
    #expect(range("bytes=0-99999999999999999999") == .part(0..<100))
    #expect(range("bytes=-0") == .none)
    for odd in [
      "bytes=9-1", "bytes=", "bytes=-", "bytes=a-b", "bytes=0-1,3-4", "items=0-1", "bytes", "bytes=+1-2",
    ] {
      #expect(range(odd) == .whole, "\(odd)")
    }
  }

  private let file = ServedFile(name: "a song.FLAC", size: 100, changed: 16)

  private func answer(_ request: String, _ file: ServedFile?) throws -> FileAnswer {
    var parser = RequestParser(limits: HTTPLimits())
    var bytes = ByteBuffer(string: request + "\r\n\r\n")
    guard case .request(let request) = parser.next(&bytes) else { throw Malformed() }
    return FileAnswer(to: request.head, file: file)
  }

  private struct Malformed: Error {}

  @Test func answers() throws {
    let whole = try answer("GET /x HTTP/1.1\r\nHost: a", file)
    #expect(whole.status == .whole && whole.body == 0..<100 && !whole.closes)
    #expect(
      whole.text(date: "now").hasPrefix(
        "HTTP/1.1 200 OK\r\nCONTENT-TYPE: audio/flac\r\nCONTENT-LENGTH: 100\r\n"))
    let part = try answer("GET /x HTTP/1.0\r\nRange: bytes=10-19", file)
    #expect(part.status == .part && part.body == 10..<20 && part.closes)
    #expect(part.fields.contains(HTTPField("CONTENT-RANGE", "bytes 10-19/100")))
    let head = try answer("HEAD /x HTTP/1.1\r\nHost: a\r\nRange: bytes=10-19", file)
    #expect(
      head.status == .part && head.body == nil && head.fields.contains(HTTPField("CONTENT-LENGTH", "10")))
    let beyond = try answer("GET /x HTTP/1.1\r\nHost: a\r\nRange: bytes=100-", file)
    #expect(beyond.status == .noSuchPart && beyond.body == nil)
    #expect(try answer("GET /y HTTP/1.1\r\nHost: a", nil).status == .notFound)
    #expect(try answer("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 0", file).status == .notAllowed)
    let other = try answer("GET /x HTTP/1.1\r\nHost: a\r\nRange: bytes=1-2\r\nIf-Range: \"other\"", file)
    #expect(other.status == .whole)
    let dlna = try answer("GET /x HTTP/1.1\r\nHost: a\r\ngetcontentFeatures.dlna.org: 1", file)
    #expect(dlna.fields.contains(HTTPField("contentFeatures.dlna.org", ServedFile.features)))
  }

  @Test func aFileAsAnObject() {
    #expect(file.title == "a song" && file.ending == ".flac")
    #expect(ServedFile(name: "noise.x<y", size: 1).ending.isEmpty)
    let metadata = file.object(address: "http://192.0.2.1:1/x.flac").metadata()
    #expect(metadata.contains("<dc:title>a song</dc:title>"))
    #expect(metadata.contains("size=\"100\"") && metadata.contains("http-get:*:audio/flac:DLNA.ORG_OP=01"))
  }

  @Test func onlyFilesAreServed() {
    #expect(throws: ServedFile.Problem.noSuchFile("/nowhere/x")) { try ServedFile.open("/nowhere/x") }
    #expect(throws: ServedFile.Problem.notAFile("/tmp")) { try ServedFile.open("/tmp") }
    #expect(throws: ServedFile.Problem.notAFile("/dev/null")) { try ServedFile.open("/dev/null") }
  }

  @Test func onlyAudioIsServed() throws {
    func open(_ name: String, _ bytes: [UInt8]) throws -> ServedFile {
      let path = NSTemporaryDirectory() + "vireoctl-\(UInt64.random(in: 0 ... .max))-\(name)"
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      defer { unlink(path) }
      let file = try ServedFile.open(path)
      file.close()
      return file
    }
    for (name, bytes) in [
      ("hostname", Array("machine\n".utf8)), ("a.jpg", Array("ID3".utf8)), ("a.m3u", Array("#EXTM3U".utf8)),
      ("a.txt", [0xff]), ("a.txt", [0xff, 0xfe, 0x41, 0x00]), ("a", [0]),
    ] {
      #expect(throws: ServedFile.Problem.self, "\(name)") { try open(name, bytes) }
    }
    for (name, bytes, type) in [
      ("a.MP3", Array("x".utf8), "audio/mpeg"), ("a", Array("ID3\u{4}".utf8), "audio/mpeg"),
      ("a", [0xff, 0xfb, 0x90, 0x64], "audio/mpeg"), ("a.tmp", [0xff, 0xf1, 0x50], "audio/aac"),
      ("a.bin", Array("RIFF....WAVEfmt ".utf8), "audio/wav"), ("a", Array("fLaC".utf8), "audio/flac"),
    ] {
      let file = try open(name, bytes)
      #expect(file.contentType == type && file.ending == (name == "a.MP3" ? ".mp3" : ""), "\(name)")
    }
  }

  @Test func onlyTheRendererIsAnswered() throws {
    let table = FileTable(
      [file], renderer: [try #require(IPAddress("192.0.2.7")), try #require(IPAddress("2001:db8::7"))])
    #expect(table.answers(try #require(IPAddress("192.0.2.7"))))
    #expect(table.answers(try #require(IPAddress("::ffff:192.0.2.7"))))
    #expect(table.answers(try #require(IPAddress("2001:db8::7"))))
    #expect(!table.answers(try #require(IPAddress("2001:db8::99"))))
    #expect(!table.answers(try #require(IPAddress("192.0.2.8"))))
    #expect(!table.answers(try #require(IPAddress("2001:db8:1::7"))))
    #expect(
      table.paths.count == 1 && table.paths.keys.allSatisfy { $0.utf8.count > 16 && $0.hasSuffix(".flac") })
  }

  @Test func manyRequestsAtOnceAreAnsweredInTurn() async throws {
    let path = NSTemporaryDirectory() + "vireoctl-\(UInt64.random(in: 0 ... .max)).flac"
    try Data(repeating: 0x2a, count: 10).write(to: URL(fileURLWithPath: path))
    let served = try ServedFile.open(path)
    unlink(path)
    let server = try await FileServer.start(
      [served], to: [.v4(0x7f00_0001)], on: MultiThreadedEventLoopGroup.singleton.next())
    #expect(!server.isRead)
    let address = try #require(server.address(of: served))
    let url = try #require(URL(string: address))
    let count = 700
    let request = "GET \(url.path) HTTP/1.1\r\nHost: a\r\n"
    let requests =
      String(repeating: request + "\r\n", count: count - 1) + request + "Connection: close\r\n\r\n"
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    let target = try SocketAddress(ipAddress: "127.0.0.1", port: url.port ?? 0)
    #expect(target.withSockAddr { connect(descriptor, $0, socklen_t($1)) } == 0)
    let bytes = Array(requests.utf8)
    #expect(write(descriptor, bytes, bytes.count) == bytes.count)
    var answers: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 * 1024)
    while case let read = read(descriptor, &piece, piece.count), read > 0 { answers += piece[..<read] }
    let text = String(decoding: answers, as: UTF8.self)
    #expect(text.components(separatedBy: "HTTP/1.1 200 OK").count - 1 == count)
    #expect(text.components(separatedBy: "**********").count - 1 == count)
    #expect(server.isRead)
    await server.stop()
  }

  // MARK: - When it is over

  private func end(
    _ looks: [(Int, PlayWatch.Look)], beginsAtOnce: Bool = true, isRead: Bool = false, heard: Int? = 0
  ) -> PlayWatch.End? {
    var watch = PlayWatch(now: .zero, beginsAtOnce: beginsAtOnce)
    for (second, look) in looks {
      let isHeard = heard.map { second >= $0 } ?? false
      let end = watch.take(look, isRead: isRead, isHeard: isHeard, now: .seconds(second))
      if let end { return end }
    }
    return nil
  }

  @Test func itIsOverWhenTheRendererHasStopped() {
    #expect(end([(1, .stopped), (2, .active(isOwn: true)), (9, .stopped), (12, .stopped)]) == .over)
    // Between two tracks.
    #expect(end([(1, .active(isOwn: true)), (2, .stopped), (3, .active(isOwn: true)), (5, .stopped)]) == nil)
    #expect(
      end([(1, .active(isOwn: true)), (2, .active(isOwn: false)), (5, .active(isOwn: false))]) == .replaced)
  }

  @Test func whatIsReadHasBegun() {
    // Under a name of the renderer's own.
    #expect(end([(1, .active(isOwn: false)), (99, .active(isOwn: false))], isRead: true) == nil)
    #expect(end([(1, .active(isOwn: false)), (50, .stopped), (53, .stopped)], isRead: true) == .over)
    // Under its right name first, so what has another one is something else.
    #expect(
      end(
        [(1, .active(isOwn: true)), (2, .active(isOwn: false)), (5, .active(isOwn: false))], isRead: true)
        == .replaced)
    // Too short to be seen.
    #expect(end([(1, .stopped), (9, .stopped)], isRead: true) == nil)
    #expect(end([(1, .stopped), (10, .stopped)], isRead: true) == .over)
  }

  @Test func whatIsTakenAndNotPlayedIsAFailure() {
    let own = PlayWatch.Look.active(isOwn: true)
    #expect(end([(1, own), (2, .stopped), (5, .stopped)], heard: nil) == .notPlayed)
    #expect(end([(1, own), (2, .stopped), (5, .stopped)], heard: 1) == .over)
    // Only afterwards the renderer says how long it was.
    #expect(end([(1, own), (2, .stopped), (5, .stopped)], heard: 2) == .over)
    // Not seen at all.
    #expect(end([(1, .stopped), (10, .stopped)], isRead: true, heard: nil) == .notPlayed)
    #expect(end([(1, .stopped), (10, .stopped)], isRead: true) == .over)
    // A renderer that never says anything of what it plays.
    let minutes = (1...60).map { ($0, own) }
    #expect(end(minutes + [(61, .stopped), (64, .stopped)], heard: nil) == .over)
  }

  @Test func itIsOverWhenItNeverBegins() {
    #expect(end([(1, .stopped), (29, .active(isOwn: false))]) == nil)
    #expect(end([(1, .stopped), (30, .stopped)]) == .neverBegan)
    #expect(end([(1, .stopped), (3000, .active(isOwn: false))], beginsAtOnce: false) == nil)
    #expect(end([(1, .silent), (20, .stopped), (29, .silent), (58, .silent)]) == nil)
    #expect(end([(1, .silent), (31, .silent)]) == .gone)
  }
}
