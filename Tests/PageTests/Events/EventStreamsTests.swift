import JSON
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import HTTP
@testable import Page

/// Pages that follow sections, on a real event loop; the test stands for the server.
@Suite struct EventStreamsTests {
  /// A section whose value is its version.
  private final class Counter: PageSection {
    let state = Mutex((version: 1, written: 0, asked: 0, isFollowed: false))

    var version: Int {
      state.withLock {
        $0.asked += 1
        return $0.version
      }
    }

    func write(to json: inout JSONWriter) {
      state.withLock {
        $0.written += 1
        $0.version.write(to: &json)
      }
    }

    func followed(_ isFollowed: Bool) { state.withLock { $0.isFollowed = isFollowed } }
  }

  private struct Rig {
    let loop: any EventLoop
    let streams: EventStreams
    let sections: PageSections
    let player: Counter
    let configuration: PageConfiguration
    let written: Written
    /// False for readers that take nothing.
    let takes: Written.Flag

    func follow(
      _ number: Int, _ names: String? = nil, peer: UInt32 = 7, _ fields: [String: String] = [:]
    ) async throws -> Reply<Answer> {
      try await loop.submit {
        streams.followEvents(
          sections: names,
          APIContext(head: .to("/api/v1/events", fields), peer: .number(peer), id: .number(number)))
      }.get()
    }

    /// Changes the section.
    func change() async throws {
      player.state.withLock { $0.version += 1 }
      try await loop.submit { sections.changed(.player) }.get()
    }

    func end(_ number: Int) async throws {
      try await loop.submit { streams.abandoned(.number(number)) }.get()
    }
    func take(_ number: Int) async throws { try await loop.submit { streams.taken(.number(number)) }.get() }

    func text(_ number: Int) -> String { written.text(.number(number)) }
  }

  /// What was written to whom.
  private final class Written: Sendable {
    final class Flag: Sendable {
      let value = Mutex(true)
    }

    private let texts = Mutex<[RequestID: String]>([:])

    func add(_ piece: ByteBuffer, _ id: RequestID) {
      texts.withLock { $0[id, default: ""] += String(buffer: piece) }
    }

    func end(_ id: RequestID) { texts.withLock { $0[id, default: ""] += "end" } }

    func text(_ id: RequestID) -> String { texts.withLock { $0[id] ?? "" } }
  }

  private static func with(
    _ limits: EventStreamLimits = EventStreamLimits(), _ body: (Rig) async throws -> Void
  ) async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = group.next()
    let (sections, player, written) = (PageSections(), Counter(), Written())
    let takes = Written.Flag()
    sections[.player] = player
    let configuration = PageConfiguration()
    let late = Mutex<EventStreams?>(nil)
    let streams = EventStreams(
      eventLoop: loop, sections: sections, bootID: 7, configuration: configuration, limits: limits
    ) { piece, id in
      written.add(piece, id)
      if takes.value.withLock({ $0 }) { late.withLock { $0 }?.taken(id) }
    } end: {
      written.end($0)
    }
    late.withLock { $0 = streams }
    let rig = Rig(
      loop: loop, streams: streams, sections: sections, player: player, configuration: configuration,
      written: written, takes: takes)
    do { try await body(rig) } catch {
      late.withLock { $0 = nil }
      try await group.shutdownGracefully()
      throw error
    }
    for number in 1...32 { try await rig.end(number) }
    late.withLock { $0 = nil }
    try await group.shutdownGracefully()
  }

  private static func until(_ condition: () -> Bool) async throws {
    for _ in 0..<500 where !condition() { try await Task.sleep(for: .milliseconds(10)) }
    #expect(condition())
  }

  @Test func theSectionsComeAtOnceAndThenTheirChanges() async throws {
    try await Self.with { rig in
      guard case .value(.streaming(let response)) = try await rig.follow(1) else {
        Issue.record("no stream")
        return
      }
      #expect(response.contentType == "text/event-stream")
      #expect(response.field("CACHE-CONTROL") == "no-store")
      #expect(response.field("CONTENT-SECURITY-POLICY") != nil)
      let first = "retry: 1000\n\nid: 7.1\nevent: player\ndata: 1\n\n"
      try await Self.until { rig.text(1) == first }
      try await rig.change()
      try await Self.until { rig.text(1) == first + "id: 7.2\nevent: player\ndata: 2\n\n" }
    }
  }

  @Test func aSectionIsWrittenOnceForAllPages() async throws {
    try await Self.with { rig in
      for number in 1...4 { _ = try await rig.follow(number) }
      try await Self.until { (1...4).allSatisfy { rig.text($0).contains("data: 1\n") } }
      let before = rig.player.state.withLock { $0.written }
      try await rig.change()
      try await Self.until { (1...4).allSatisfy { rig.text($0).contains("data: 2\n") } }
      #expect(rig.player.state.withLock { $0.written } == before + 1)
    }
  }

  /// However often something changes, pages get it at most ten times a second, and the last state in the end.
  @Test func manyChangesAreFewEvents() async throws {
    try await Self.with { rig in
      _ = try await rig.follow(1)
      try await Self.until { rig.text(1).contains("data: 1\n") }
      let start = ContinuousClock.now
      for _ in 0..<200 { try await rig.change() }
      try await Self.until { rig.text(1).contains("data: 201\n") }
      let most = (ContinuousClock.now - start) / .milliseconds(100) + 2
      #expect(Double(rig.text(1).components(separatedBy: "event: ").count - 1) <= most)
    }
  }

  @Test func aStalledPageCostsNothingAndGetsTheLatest() async throws {
    var limits = EventStreamLimits()
    limits.spacing = .zero
    try await Self.with(limits) { rig in
      rig.takes.value.withLock { $0 = false }
      _ = try await rig.follow(1)
      try await Self.until { rig.text(1).contains("retry") }
      for _ in 0..<20 { try await rig.change() }
      try await Task.sleep(for: .milliseconds(50))
      #expect(rig.text(1) == "retry: 1000\n\n")
      rig.takes.value.withLock { $0 = true }
      try await rig.take(1)
      try await Self.until { rig.text(1) == "retry: 1000\n\nid: 7.21\nevent: player\ndata: 21\n\n" }
    }
  }

  @Test func nobodyIsAskedWhileNobodyFollows() async throws {
    try await Self.with { rig in
      try await rig.change()
      #expect(rig.player.state.withLock { $0.asked } == 0)
      _ = try await rig.follow(1)
      #expect(rig.player.state.withLock { $0.isFollowed })
      try await Self.until { rig.text(1).contains("data: 2\n") }
      try await rig.end(1)
      #expect(!rig.player.state.withLock { $0.isFollowed })
      let asked = rig.player.state.withLock { $0.asked }
      try await rig.change()
      try await Task.sleep(for: .milliseconds(20))
      #expect(rig.player.state.withLock { $0.asked } == asked)
      #expect(await rig.streams.count == 0)
    }
  }

  @Test func aHeartbeatKeepsAStreamAlive() async throws {
    var limits = EventStreamLimits()
    limits.heartbeat = .milliseconds(20)
    try await Self.with(limits) { rig in
      _ = try await rig.follow(1)
      try await Self.until { rig.text(1).contains("\n\n:\n\n:\n\n") }
      try await rig.end(1)
      let text = rig.text(1)
      try await Task.sleep(for: .milliseconds(80))
      #expect(rig.text(1) == text)
    }
  }

  @Test func tooManyPagesAreToldToAskInstead() async throws {
    try await Self.with { rig in
      rig.configuration.facts.streams = 2
      _ = try await rig.follow(1)
      _ = try await rig.follow(2)
      guard case .problem(let problem) = try await rig.follow(3) else {
        Issue.record("a third stream")
        return
      }
      #expect(problem.status == .serviceUnavailable)
      #expect(problem.retryAfter == 5)
      try await rig.end(1)
      guard case .value = try await rig.follow(4) else {
        Issue.record("no stream although there is room")
        return
      }
    }
  }

  @Test(arguments: ["", "nix", "player,", "player,,queue", "PLAYER", "player queue"])
  func unknownSectionsAreRefused(names: String) async throws {
    try await Self.with { rig in
      guard case .problem(let problem) = try await rig.follow(1, names) else {
        Issue.record("it follows “\(names)”")
        return
      }
      #expect(problem.status == .unprocessableContent)
      #expect(await rig.streams.count == 0)
    }
  }

  /// Each of its streams would take one of the few places of its reader.
  @Test func aForeignPageFollowsNothing() async throws {
    try await Self.with { rig in
      guard case .problem(let problem) = try await rig.follow(1, nil, ["origin": "http://evil.example"])
      else {
        Issue.record("it follows")
        return
      }
      #expect(problem.status == .forbidden)
    }
  }

  /// Whoever may follow no longer must not hear on.
  @Test func streamsEndWhenOthersMayLook() async throws {
    try await Self.with { rig in
      for number in 1...2 { _ = try await rig.follow(number) }
      try await Self.until { (1...2).allSatisfy { rig.text($0).contains("data: 1\n") } }
      try await rig.loop.submit { rig.streams.assumeIsolated { $0.endAll() } }.get()
      #expect((1...2).allSatisfy { rig.text($0).hasSuffix("end") })
      let count = try await rig.loop.submit { rig.streams.assumeIsolated { $0.count } }.get()
      #expect(count == 0)
      try await rig.change()
      #expect(rig.text(1).hasSuffix("end"))
    }
  }

  /// A section that this daemon doesn't have says nothing.
  @Test func aMissingSectionIsSilent() async throws {
    try await Self.with { rig in
      _ = try await rig.follow(1, "servers,player")
      try await Self.until { rig.text(1).contains("event: player") }
      #expect(!rig.text(1).contains("servers"))
    }
  }
}
