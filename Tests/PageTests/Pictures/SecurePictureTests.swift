import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import Page

/// Pictures over TLS, from a server with a certificate of its own. They need libcurl and openssl.
@Suite struct SecurePictureTests {
  /// `openssl s_server`, whose files are whole answers.
  private final class Server {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("vireo-\(UUID())")
    private let process = Process()
    let port: Int
    var certificate: String { folder.appendingPathComponent("cert.pem").path() }

    init() throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let maker = Process()
      maker.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
      maker.currentDirectoryURL = folder
      maker.arguments = [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=test", "-addext",
        "subjectAltName=IP:127.0.0.1", "-days", "2", "-keyout", "key.pem", "-out", "cert.pem",
      ]
      maker.standardError = FileHandle.nullDevice
      try maker.run()
      maker.waitUntilExit()
      let folder = folder
      func answer(_ name: String, _ head: String, _ body: [UInt8]) throws {
        try Data("HTTP/1.0 \(head)\r\n\r\n".utf8 + body).write(to: folder.appendingPathComponent(name))
      }
      try answer("a.jpg", "200 OK\r\nContent-Type: text/html", PictureTests.jpeg)
      try answer("page", "200 OK\r\nContent-Type: image/png", Array("<html><script>alert(1)</script>".utf8))
      try answer("moved", "302 Found\r\nLocation: a.jpg", [])
      try answer("medium", "200 OK", PictureTests.jpeg + Array(repeating: 0, count: PictureDesk.usualBytes))
      process.executableURL = maker.executableURL
      process.currentDirectoryURL = folder
      process.arguments = [
        "s_server", "-accept", "127.0.0.1:0", "-cert", "cert.pem", "-key", "key.pem", "-HTTP",
      ]
      let pipe = Pipe()
      process.standardOutput = pipe
      process.standardError = FileHandle.nullDevice
      try process.run()
      var text = ""
      while !text.contains("ACCEPT 127.0.0.1:") || !text.hasSuffix("\n") {
        let piece = pipe.fileHandleForReading.availableData
        guard !piece.isEmpty else { break }
        text += String(decoding: piece, as: UTF8.self)
      }
      let tail = try #require(text.range(of: "ACCEPT 127.0.0.1:"))
      port = try #require(Int(text[tail.upperBound...].prefix { $0.isNumber }))
    }

    deinit {
      process.terminate()
      try? FileManager.default.removeItem(at: folder)
    }

    func get(
      _ name: String, trusted: Bool = true, servers: Set<Int>? = nil, limit: Int = Picture.largest
    ) async throws -> FetchedPicture {
      let loop = MultiThreadedEventLoopGroup.singleton.next()
      let fetcher = PictureFetcher(
        eventLoop: loop, userAgent: "Test/1", times: .init(),
        secure: SecureFetcher(authorities: trusted ? certificate : nil), findServers: {})
      fetcher.setReach { $0.servers = servers ?? [port] }
      let url = try #require(PictureURL("https://127.0.0.1:\(port)/\(name)"))
      return await fetcher.picture(at: url, limit: limit)
    }
  }

  @Test func aPictureComesOverTLS() async throws {
    let server = try Server()
    for name in ["a.jpg", "moved"] {
      guard case .picture(let picture) = try await server.get(name) else {
        Issue.record("\(name)")
        continue
      }
      #expect(picture.contentType == "image/jpeg")
      #expect(Array(picture.body.readableBytesView) == PictureTests.jpeg)
    }
    #expect(try await server.get("medium", limit: PictureDesk.usualBytes) == .tooLarge)
  }

  @Test func whatIsNoPictureIsMissing() async throws {
    let server = try Server()
    #expect(try await server.get("page") == .missing)
    #expect(try await server.get("nothing") == .missing)
  }

  @Test func aCertificateThatNobodyVouchesForIsRefused() async throws {
    let server = try Server()
    #expect(try await server.get("a.jpg", trusted: false) == .missing)
  }

  @Test func nothingOfThisHostIsReached() async throws {
    let server = try Server()
    #expect(try await server.get("a.jpg", servers: []) == .missing)
  }
}
