import Foundation
import Player
import Testing

@testable import GStreamerOutput

/// Servers, files and devices that fail.
@Suite(.serialized) struct FaultTests {
  private func sound(_ frames: Int = 44100) -> [UInt8] {
    Fixtures.write(Fixtures.sound(frames: frames), "fault-\(frames).wav")
    return (try? Array(Data(contentsOf: Fixtures.directory.appendingPathComponent("fault-\(frames).wav"))))
      ?? []
  }

  @Test func serversErrorsHaveNames() {
    let server = MediaServer()
    server["/403"] = .status(403)
    server["/500"] = .status(500)
    server["/circle"] = .redirect("/circle")
    server["/html"] = .file(
      Array("<html><body>Please log in.</body></html>".utf8), type: "text/html", ranges: false)
    var random = SystemRandomNumberGenerator()
    server["/junk"] = .file(
      (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &random) }, type: nil, ranges: false)
    server["/ssh"] = .bytes(Array("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n".utf8))
    server["/alert"] = .bytes([0x15, 3, 3, 0, 2, 2, 0x46])
    server["/head"] = .bytes(
      Array("HTTP/1.1 200 OK\r\n".utf8) + Array(repeating: UInt8(ascii: "x"), count: 200_000))
    server["/closed"] = .bytes([])
    let recorder = Recorder("null")
    let expected: [(String, PlaybackFailure.Kind)] = [
      (server.uri("/ssh"), .serverFault), (server.uri("/alert"), .serverFault),
      (server.uri("/head"), .serverFault), (server.uri("/closed"), .unreachable),
      ("http://127.0.0.1:99999/x", .refusedURI),
      (server.uri("/404?token=secret"), .notFound), (server.uri("/403"), .forbidden),
      (server.uri("/500"), .serverFault),
      (server.uri("/circle"), .tooManyRedirects), (server.uri("/html"), .unsupportedFormat),
      (server.uri("/junk"), .unsupportedFormat), ("http://127.0.0.1:1/x.mp3", .unreachable),
      ("ftp://127.0.0.1/x", .refusedURI), ("file:///etc/passwd", .refusedURI),
      ("rtsp://127.0.0.1/", .refusedURI),
      ("", .refusedURI), ("nonsense", .refusedURI),
    ]
    for (index, (uri, kind)) in expected.enumerated() {
      recorder.start(UInt64(index + 1), uri)
      let failure = recorder.failure(UInt64(index + 1), 3)
      #expect(failure?.kind == kind, "\(uri): \(String(describing: failure))")
      #expect(failure?.message.contains("secret") != true)
      if uri.hasSuffix("ssh") { #expect(failure?.message.contains("doesn't speak HTTP,") == true) }
    }
  }

  @Test func redirectsAreFollowedSoFar() {
    let server = MediaServer()
    server["/end.wav"] = .file(sound(4410), type: "audio/wav", ranges: true)
    server["/file"] = .redirect("file:///etc/passwd")
    for step in 0..<12 {
      server["/\(step)"] = .redirect(step == 0 ? "/end.wav" : server.uri("/\(step - 1)"))
    }
    let recorder = Recorder("null")
    recorder.start(1, server.uri("/9"))
    #expect(recorder.ended(1))
    recorder.start(2, server.uri("/10"))
    #expect(recorder.failure(2)?.kind == .tooManyRedirects)
    // Not even to a file that a control point could have named.
    server["/allowed"] = .redirect(Fixtures.uri("fault-4410.wav"))
    for (id, path) in [(UInt64(3), "/file"), (4, "/allowed")] {
      recorder.start(id, server.uri(path))
      #expect(recorder.failure(id)?.kind == .refusedURI)
    }
  }

  @Test func filesOnlyBelowTheirDirectories() throws {
    _ = sound()
    let inside = Fixtures.directory.appendingPathComponent("inside")
    try? FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
    try? FileManager.default.removeItem(atPath: inside.path + "/link.wav")
    try FileManager.default.createSymbolicLink(
      atPath: inside.path + "/link.wav", withDestinationPath: Fixtures.path("fault-44100.wav"))
    let allowed = [inside.path]
    for uri in [
      "file://\(inside.path)/link.wav", "file://\(inside.path)/../fault-44100.wav", "file://\(inside.path)",
      "file://\(inside.path)/%2e%2e/fault-44100.wav", "file://otherhost/etc/passwd",
    ] {
      #expect(throws: PlaybackFailure.self) { try TrackSource.location(of: uri, directories: allowed) }
    }
    #expect(
      try TrackSource.location(of: Fixtures.uri("fault-44100.wav"), directories: [Fixtures.directory.path])
        == .file(path: Fixtures.path("fault-44100.wav")))
    #expect(throws: PlaybackFailure.self) {
      try TrackSource.location(of: Fixtures.uri("fault-44100.wav"), directories: [])
    }
  }

  @Test func nextTrackFailsAlone() {
    let server = MediaServer()
    server["/a.wav"] = .file(sound(), type: "audio/wav", ranges: true)
    let recorder = Recorder("null")
    recorder.start(1, server.uri("/a.wav"))
    recorder.setNext(2, server.uri("/missing"))
    #expect(recorder.failure(2)?.kind == .notFound)
    #expect(recorder.ended(1))
    #expect(!recorder.events.contains { if case .failed(PlayID(1), _) = $0 { true } else { false } })
  }

  @Test func replacedNextTrackIsForgotten() {
    let server = MediaServer()
    server["/a.wav"] = .file(sound(22050), type: "audio/wav", ranges: true)
    let recorder = Recorder("null")
    recorder.start(1, server.uri("/a.wav"))
    recorder.setNext(2, server.uri("/a.wav"))
    recorder.wait { $0.isPlaying }
    recorder.submit(.setNext(nil))
    recorder.setNext(3, server.uri("/a.wav"))
    #expect(recorder.ended(3))
    #expect(!recorder.events.contains(.started(PlayID(2))))
    #expect(!recorder.events.contains(.ended(PlayID(1))))
  }

  @Test func stalledServerBuffersThenFails() {
    let server = MediaServer()
    server["/stall.wav"] = .pause(bytes: sound(), after: 80_000, seconds: 15)
    server["/never"] = .silence
    let recorder = Recorder("null")
    recorder.start(1, server.uri("/stall.wav"))
    #expect(recorder.wait { $0.isPlaying } != nil)
    #expect(recorder.wait(2) { $0 == .buffering(PlayID(1)) } != nil)
    #expect(recorder.failure(1, 5)?.kind == .timedOut)
    recorder.start(2, server.uri("/never"))
    #expect(recorder.wait(1.5) { $0 == .buffering(PlayID(2)) } != nil)
    #expect(recorder.failure(2, 5)?.kind == .timedOut)
  }

  @Test func slowServerIsWaitedFor() {
    let server = MediaServer()
    server["/slow.wav"] = .pause(bytes: sound(), after: 80_000, seconds: 1.2)
    let out = "slow.out.wav"
    let recorder = Recorder("file:\(Fixtures.path(out))")
    recorder.start(1, server.uri("/slow.wav"))
    #expect(recorder.wait(3) { $0 == .buffering(PlayID(1)) } != nil)
    #expect(recorder.ended(1))
    recorder.shutdown()
    #expect(difference(Fixtures.read(out), Fixtures.sound(frames: 44100)) == 0)
  }

  /// As a station does that sends no more than it must: it answers, and its next page is long.
  @Test func whatAServerMayKeepSilentCountsFromItsAnswer() {
    let server = MediaServer()
    server["/answer.wav"] = .late(.pause(bytes: sound(), after: 0, seconds: 1.4), seconds: 1.4)
    let recorder = Recorder("null", networkTimeout: .seconds(2))
    recorder.start(1, server.uri("/answer.wav"))
    #expect(recorder.wait(10) { $0.isPlaying } != nil)
    #expect(recorder.failure(1, 0) == nil)
  }

  @Test(arguments: [22050, 88200])
  func whatAServerHasOfItsPromiseIsPlayed(_ frames: Int) {
    let server = MediaServer()
    let whole = sound(frames * 2)
    server["/short.wav"] = .short(Array(whole.prefix(44 + frames * 4)), promised: whole.count)
    server["/next.wav"] = .file(sound(4410), type: "audio/wav", ranges: true)
    let out = "short-\(frames).out.wav"
    let recorder = Recorder("file:\(Fixtures.path(out))")
    recorder.start(1, server.uri("/short.wav"))
    recorder.setNext(2, server.uri("/next.wav"))
    #expect(recorder.failure(1)?.kind == .other)
    #expect(!recorder.events.contains(.started(PlayID(2))))
    #expect(!recorder.events.contains(.ended(PlayID(1))))
    recorder.shutdown()
    #expect(recorder.events.contains(.started(PlayID(1))))
    #expect(difference(Fixtures.read(out), Fixtures.sound(frames: frames)) == 0)
  }

  @Test func serverWithoutRangesPlaysButCantSeek() {
    let server = MediaServer()
    server["/a.wav"] = .file(sound(22050), type: "audio/wav", ranges: false)
    let recorder = Recorder("null")
    recorder.start(1, server.uri("/a.wav"))
    #expect(recorder.wait { $0 == .seekable(PlayID(1), false) } != nil)
    recorder.wait { $0.isPlaying }
    recorder.submit(.seek(PlayID(1), .milliseconds(100)))
    #expect(recorder.ended(1))
  }

  @Test("A server that promises ranges and sends the whole file", arguments: ["wav", "flac"])
  func brokenRanges(format: String) throws {
    try Fixtures.need("flac")
    let names = try #require(Fixtures.pair("broken", format, first: 44100 * 20, second: 1000))
    let server = MediaServer()
    let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: Fixtures.path(names[0]))))
    server["/track"] = .brokenRanges(bytes)
    let whole = Fixtures.decoded(names[0])
    for isSought in [false, true] {
      let out = "broken-\(format)-\(isSought).wav"
      let recorder = Recorder("file:" + Fixtures.path(out))
      if isSought {
        recorder.start(1, server.uri("/track"), paused: true)
        recorder.wait { $0.isPaused }
        recorder.submit(.seek(PlayID(1), .seconds(18)))
        #expect(recorder.wait { $0 == .seekable(PlayID(1), false) } != nil)
        recorder.submit(.resume(PlayID(1)))
      } else {
        recorder.start(1, server.uri("/track"), at: .seconds(18))
      }
      #expect(recorder.ended(1))
      #expect(recorder.failure(1, 0) == nil)
      recorder.shutdown()
      #expect(difference(Array(Fixtures.read(out).suffix(44100 * 4)), Array(whole.suffix(44100 * 4))) == 0)
    }
  }

  @Test func oggIsSoughtWithRangesAndPlaysWithout() throws {
    try Fixtures.need("opusenc")
    let names = try #require(Fixtures.pair("range", "opus", first: 48000 * 3, second: 1000, rate: 48000))
    let server = MediaServer()
    let with = server.add("/with.opus", fixture: names[0], type: "audio/ogg")
    let without = server.add("/without.opus", fixture: names[0], type: "audio/ogg", ranges: false)
    let recorder = Recorder("null")
    recorder.start(1, with, at: .seconds(2))
    #expect(recorder.ended(1))
    #expect(recorder.events.contains(.duration(PlayID(1), .seconds(3))))
    #expect(recorder.events.contains(.seekable(PlayID(1), true)))
    recorder.start(2, without)
    #expect(recorder.ended(2))
    #expect(recorder.events.contains(.seekable(PlayID(2), false)))
  }

  @Test func deviceErrorsNameTheDevice() {
    Fixtures.write(Fixtures.sound(frames: 4410), "device.wav")
    for (output, word) in [
      ("pipeline:nosuchelement", "nosuchelement"),
      ("file:/proc/nonexistent/x.wav", "/proc/nonexistent/x.wav"),
      ("alsa:vireo-no-such-device", "vireo-no-such-device"),
    ] {
      let recorder = Recorder(output)
      recorder.start(1, Fixtures.uri("device.wav"))
      let failure = recorder.failure(1)
      #expect(failure?.kind == .device)
      #expect(failure?.message.contains(word) == true)
    }
  }

  @Test func documentsAreBounded() async {
    let server = MediaServer()
    server["/list.m3u"] = .file(Array("#EXTM3U\nhttp://x/".utf8), type: "audio/x-mpegurl", ranges: false)
    server["/long"] = .file([UInt8](repeating: 65, count: 100_000), type: nil, ranges: false)
    server["/never"] = .silence
    func fetch(_ path: String) async -> Result<Document, PlaybackFailure> {
      await withCheckedContinuation { done in
        GStreamerOutput.fetchDocument(
          server.uri(path), limit: 50_000, timeout: .seconds(1), configuration: OutputConfiguration()
        ) { done.resume(returning: $0) }
      }
    }
    #expect(
      await fetch("/list.m3u")
        == .success(Document(bytes: Array("#EXTM3U\nhttp://x/".utf8))))
    for (path, kind) in [
      ("/long", PlaybackFailure.Kind.unsupportedFormat), ("/never", .timedOut), ("/gone", .notFound),
    ] {
      guard case .failure(let failure) = await fetch(path) else {
        Issue.record("\(path) was read")
        continue
      }
      #expect(failure.kind == kind)
    }
  }

  @Test func documentsMoveOnlySoFar() async {
    let (server, other) = (MediaServer(), MediaServer())
    let list = Array("#EXTM3U\n".utf8)
    other["/list.m3u"] = .file(list, type: "audio/x-mpegurl", ranges: false)
    try? Data(list).write(to: Fixtures.directory.appendingPathComponent("local.m3u"))
    server["/port"] = .redirect(other.uri("/list.m3u"))
    server["/circle"] = .redirect("/circle")
    server["/file"] = .redirect(Fixtures.uri("local.m3u"))
    server["/data"] = .redirect("data:text/plain,x")
    for step in 1...4 { server["/\(step)"] = .redirect(step == 1 ? "/port" : "/\(step - 1)") }
    func fetch(_ path: String) async -> Result<Document, PlaybackFailure> {
      await withCheckedContinuation { done in
        GStreamerOutput.fetchDocument(
          server.uri(path), limit: 50_000, timeout: .seconds(5),
          configuration: OutputConfiguration(
            maximumRedirects: 4, fileDirectories: [Fixtures.directory.path])
        ) { done.resume(returning: $0) }
      }
    }
    for path in ["/port", "/3"] {
      #expect((try? await fetch(path).get())?.bytes == list, "\(path)")
    }
    for (path, kind) in [
      ("/4", PlaybackFailure.Kind.tooManyRedirects), ("/circle", .tooManyRedirects), ("/file", .refusedURI),
      ("/data", .refusedURI),
    ] {
      guard case .failure(let failure) = await fetch(path) else {
        Issue.record("\(path) was read")
        continue
      }
      #expect(failure.kind == kind, "\(path): \(failure)")
    }
    #expect(server.requests.filter { $0.hasPrefix("GET /circle ") }.count == 5)
  }

  @Test func capabilitiesAndOutputs() {
    let types = GStreamerOutput.capabilities().mimeTypes
    #expect(types.contains("audio/flac"))
    #expect(types.contains("audio/x-wav"))
    #expect(types.contains("audio/L16;rate=44100;channels=2"))
    #expect(Set(types).count == types.count)
    #expect(GStreamerOutput.availableOutputs().contains { $0.name == "null" && $0.isAvailable })
  }
}
