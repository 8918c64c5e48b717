import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import HTTP
@testable import Network
@testable import Page

/// The proxy and the fetcher, against a real server on loopback.
@Suite struct PictureProxyTests {
  /// A host with pictures and with what isn't one.
  private final class Gallery: Responder {
    let asked = Mutex<[RequestHead]>([])
    let port = Mutex(0)

    func methods(at path: String) -> [String]? { ["GET"] }

    func respond(to request: HTTPRequest, from peer: Peer, id: RequestID) -> Answer? {
      asked.withLock { $0.append(request.head) }
      func redirect(_ location: String) -> Answer {
        .complete(HTTPResponse(.found, fields: [HTTPField("LOCATION", location)]))
      }
      switch request.head.path {
      case "/a.jpg": return .complete(Self.picture(PictureTests.jpeg))
      case "/large":
        return .complete(Self.picture(PictureTests.jpeg + Array(repeating: 0, count: Picture.largest)))
      case "/page": return .complete(Self.picture(Array("<html><script>alert(1)</script>".utf8)))
      case "/moved": return redirect("a.jpg")
      case "/round": return redirect("/round")
      case "/inside": return redirect("http://[::1]:\(port.withLock { $0 })/a.jpg")
      case "/file": return redirect("file:///etc/passwd")
      case "/medium":
        let bytes = PictureTests.jpeg + Array(repeating: 0, count: PictureDesk.usualBytes)
        return .complete(Self.picture(bytes))
      case "/1": return redirect("/2")
      case "/2": return redirect("/3")
      case "/3": return redirect("/a.jpg")
      case "/0": return redirect("/1")
      case "/stalled", "/silent": return .later
      case "/slow": return .streaming(HTTPResponse(.ok, contentType: "image/jpeg", body: ByteBuffer()))
      default: return .complete(HTTPResponse(.notFound))
      }
    }

    private static func picture(_ bytes: [UInt8]) -> HTTPResponse {
      HTTPResponse(.ok, contentType: "image/svg+xml", body: ByteBuffer(bytes: bytes))
    }

    func count(_ path: String) -> Int { asked.withLock { $0.count { $0.path == path } } }
  }

  private struct Rig {
    let loop: any EventLoop
    let gallery: Gallery
    let keys: PictureKeys
    let proxy: PictureProxy
    let fetcher: PictureFetcher
    let configuration: PageConfiguration
    let port: Int
    let answers: Answers

    func path(_ name: String) throws -> String {
      try #require(keys.address(of: "http://127.0.0.1:\(port)\(name)"))
    }

    func ask(_ path: String, _ number: Int = 1) async throws -> HTTPResponse? {
      let answer = try await loop.submit {
        proxy.respond(
          to: HTTPRequest(head: .to(path), body: ByteBuffer()), from: .number(7), id: .number(number))
      }.get()
      switch answer {
      case .complete(let response): return response
      case .later: return await answers.next(number)
      default: return nil
      }
    }
  }

  private final class Answers: Sendable {
    private let all = Mutex<[RequestID: HTTPResponse]>([:])

    func add(_ id: RequestID, _ response: HTTPResponse) {
      all.withLock { $0[id] = response }
      response.whenSent?(true)
    }

    func next(_ number: Int) async -> HTTPResponse? {
      for _ in 0..<1000 {
        if let response = all.withLock({ $0.removeValue(forKey: .number(number)) }) { return response }
        try? await Task.sleep(for: .milliseconds(10))
      }
      return nil
    }
  }

  private static func with(
    times: PictureFetcher.Times = .init(), findServers: @escaping @Sendable () -> Void = {},
    _ body: (Rig) async throws -> Void
  ) async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = group.next()
    let gallery = Gallery()
    var settings = HTTPConfiguration()
    settings.ipv6 = false
    let server = HTTPServer(eventLoop: loop, configuration: settings, logger: Logger(label: "test"))
    let port = try await server.start([gallery]).port
    gallery.port.withLock { $0 = port }
    let fetcher = PictureFetcher(
      eventLoop: loop, userAgent: "Test/1", times: times, secure: SecureFetcher(), findServers: findServers)
    fetcher.setReach { $0.servers = [port] }
    let (keys, configuration, answers) = (PictureKeys(), PageConfiguration(), Answers())
    let proxy = PictureProxy(
      eventLoop: loop, keys: keys, configuration: configuration, fetcher: fetcher
    ) { answers.add($0, $1) }
    let rig = Rig(
      loop: loop, gallery: gallery, keys: keys, proxy: proxy, fetcher: fetcher, configuration: configuration,
      port: port, answers: answers)
    do { try await body(rig) } catch {
      await server.shutdown()
      try await group.shutdownGracefully()
      throw error
    }
    await server.shutdown()
    try await group.shutdownGracefully()
  }

  /// What controllers of the Sonos class ask for by the address of a track.
  @Test func coversOfTracksAreRelayed() async throws {
    try await Self.with { rig in
      let base = "http://127.0.0.1:\(rig.port)"
      let covers = CoverResponder(
        eventLoop: rig.loop, fetcher: rig.fetcher,
        cover: { uri in
          switch uri {
          case "http://h/a b&c": .address("\(base)/a.jpg")
          case "http://h/none": .address("file:///etc/passwd")
          default: nil
          }
        }
      ) { rig.answers.add($0, $1) }
      func ask(_ query: String?, _ number: Int, method: String = "GET") async throws -> HTTPResponse? {
        var head = RequestHead.to(CoverResponder.path)
        (head.query, head.method) = (query, method)
        let request = HTTPRequest(head: head, body: ByteBuffer())
        let answer = try await rig.loop.submit {
          covers.respond(to: request, from: .number(7), id: .number(number))
        }.get()
        switch answer {
        case .complete(let response): return response
        case .later: return await rig.answers.next(number)
        default: return nil
        }
      }
      let found = try #require(try await ask("s=1&u=http%3A%2F%2Fh%2Fa%20b%26c&v=12", 1))
      #expect(found.status == .ok && found.contentType == "image/jpeg")
      #expect(found.field("CACHE-CONTROL") == "private, max-age=3600")
      #expect(rig.gallery.count("/a.jpg") == 1)
      for (place, query) in [
        nil, "", "u=", "s=1", "u=%", "u=%ff", "u=http%3A%2F%2Fh%2Fnone", "u=\(base)/a.jpg",
      ].enumerated() {
        #expect(try await ask(query, 10 + place)?.status == .notFound, "\(query ?? "-")")
      }
      #expect(rig.gallery.asked.withLock { $0.count } == 1)
      #expect(try await ask("u=a", 30, method: "POST") == nil)
      #expect(covers.methods(at: "/art/x") == nil)
    }
  }

  @Test func aPictureIsPassedOnWithATypeOfOurs() async throws {
    try await Self.with { rig in
      let response = try #require(try await rig.ask(try rig.path("/a.jpg")))
      #expect(response.status == .ok)
      #expect(response.contentType == "image/jpeg")
      #expect(Array(response.body.readableBytesView) == PictureTests.jpeg)
      #expect(response.field("CACHE-CONTROL") == "private, max-age=31536000, immutable")
      #expect(response.field("X-CONTENT-TYPE-OPTIONS") == "nosniff")
      let head = try #require(rig.gallery.asked.withLock { $0.first })
      #expect(head.fields.first("accept") == "image/*")
      #expect(head.fields.first("user-agent") == "Test/1")
      #expect(!head.fields.contains("cookie") && !head.fields.contains("referer"))
    }
  }

  @Test(arguments: ["/page", "/nothing", "/large", "/round", "/file"])
  func whatIsNoPictureIsMissing(name: String) async throws {
    try await Self.with { rig in
      let response = try #require(try await rig.ask(try rig.path(name)))
      #expect(response.status == .notFound)
      #expect(response.body.readableBytes == 0)
      #expect(response.field("CACHE-CONTROL") == "no-store")
      // It isn't asked for again for a while.
      let asked = rig.gallery.count(name)
      _ = try await rig.ask(try rig.path(name))
      #expect(rig.gallery.count(name) == asked)
      #expect(asked <= PictureFetcher.mostRedirects + 1)
    }
  }

  @Test func aRedirectIsFollowedToWhatMayBeAsked() async throws {
    try await Self.with { rig in
      let path = try rig.path("/moved")
      #expect(try await rig.ask(path)?.status == .ok)
    }
  }

  @Test func threeRedirectsAreFollowedAndNoMore() async throws {
    try await Self.with { rig in
      let status = try await rig.ask(rig.path("/1"))?.status
      #expect(status == .ok)
      let refused = try await rig.ask(rig.path("/0"))?.status
      #expect(refused == .notFound)
      #expect(rig.gallery.count("/a.jpg") == 1)
    }
  }

  /// It comes with the second fetch, which may bring more.
  @Test func aLargerPictureComesToo() async throws {
    try await Self.with { rig in
      let path = try rig.path("/medium")
      let response = try #require(try await rig.ask(path))
      #expect(response.status == .ok)
      #expect(response.body.readableBytes == PictureDesk.usualBytes + PictureTests.jpeg.count)
      #expect(rig.gallery.count("/medium") == 2)
    }
  }

  @Test func aServerHasItsTime() {
    let times = PictureFetcher.Times()
    #expect(times.firstByte == .seconds(5))
    #expect(times.whole == .seconds(15))
  }

  /// Nothing comes: neither a head nor, behind one, the picture.
  @Test(arguments: [("/silent", 200, 60_000), ("/slow", 60_000, 200)])
  func aServerThatIsTooSlowIsGivenUp(name: String, firstByte: Int64, whole: Int64) async throws {
    var times = PictureFetcher.Times()
    (times.firstByte, times.whole) = (.milliseconds(firstByte), .milliseconds(whole))
    try await Self.with(times: times) { rig in
      let status = try await rig.ask(rig.path(name))?.status
      #expect(status == .notFound)
    }
  }

  /// Once it has begun, it may take longer.
  @Test func theFirstByteIsEnoughInTime() async throws {
    var times = PictureFetcher.Times()
    (times.firstByte, times.whole) = (.milliseconds(300), .seconds(2))
    try await Self.with(times: times) { rig in
      let began = NIODeadline.now()
      let status = try await rig.ask(rig.path("/slow"))?.status
      #expect(status == .notFound)
      #expect(NIODeadline.now() - began > .milliseconds(1500))
    }
  }

  private final class Found: Sendable {
    private let action = Mutex<(@Sendable () -> Void)?>(nil)
    var value: (@Sendable () -> Void)? { action.withLock { $0 } }
    func set(_ value: @escaping @Sendable () -> Void) { action.withLock { $0 = value } }
  }

  /// A media server on this host is looked for when a picture is named that it might have.
  @Test func aMediaServerOfThisHostIsFoundFirst() async throws {
    let found = Found()
    let look: @Sendable () -> Void = { found.value?() }
    try await Self.with(findServers: look) { rig in
      let (fetcher, port) = (rig.fetcher, rig.port)
      fetcher.setReach { $0.servers = [] }
      found.set { fetcher.setReach { $0.servers = [port] } }
      let status = try await rig.ask(rig.path("/a.jpg"))?.status
      #expect(status == .ok)
    }
  }

  /// The address that is connected to counts, also behind a redirect.
  @Test func nothingOfThisHostIsReached() async throws {
    try await Self.with { rig in
      rig.fetcher.setReach { $0.servers = [] }
      for name in ["/a.jpg", "/inside"] {
        let path = try rig.path(name)
        let response = try await rig.ask(path)
        #expect(response?.status == .notFound)
      }
      let named = try #require(rig.keys.address(of: "http://localhost:\(rig.port)/a.jpg"))
      let response = try await rig.ask(named)
      #expect(response?.status == .notFound)
      let isUntouched = rig.gallery.asked.withLock { $0.isEmpty }
      #expect(isUntouched)
    }
  }

  @Test func anUnknownKeyIsMissing() async throws {
    try await Self.with { rig in
      for path in ["/art/", "/art/0123", "/art/../status", "/art/http://127.0.0.1/"] {
        let response = try await rig.ask(path)
        #expect(response?.status == .notFound)
      }
      let isUntouched = rig.gallery.asked.withLock { $0.isEmpty }
      #expect(isUntouched)
    }
  }

  @Test func manyAskAndOneFetches() async throws {
    try await Self.with { rig in
      let path = try rig.path("/a.jpg")
      try await withThrowingTaskGroup(of: HTTPStatus?.self) { group in
        for number in 1...8 { group.addTask { try await rig.ask(path, number)?.status } }
        for try await status in group { #expect(status == .ok) }
      }
      #expect(rig.gallery.count("/a.jpg") < 8)
    }
  }

  /// Who stops waiting frees the place of the picture.
  @Test func aPictureThatNobodyWaitsForIsGivenUp() async throws {
    try await Self.with { rig in
      for number in 1...4 {
        let path = try rig.path("/stalled?\(number)")
        _ = try await rig.loop.submit {
          rig.proxy.respond(
            to: HTTPRequest(head: .to(path), body: ByteBuffer()), from: .number(7), id: .number(number))
        }.get()
      }
      for number in 1...4 { try await rig.loop.submit { rig.proxy.abandoned(.number(number)) }.get() }
      let path = try rig.path("/a.jpg")
      #expect(try await rig.ask(path, 9)?.status == .ok)
    }
  }

  @Test func withoutAPageThereAreNoPictures() async throws {
    try await Self.with { rig in
      let path = try rig.path("/a.jpg")
      rig.configuration.facts.access = .off
      #expect(rig.proxy.methods(at: path) == nil)
      #expect(try await rig.ask(path) == nil)
    }
  }
}
