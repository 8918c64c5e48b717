import Synchronization
import Testing
import UPnP

@testable import ControlPoint

@Suite(.timeLimit(.minutes(5))) struct MediaLibraryTests {
  /// Answers with DIDL-Lite, as a server does.
  private final class Source: ContentSource {
    let children: [String: [String]]
    let refusals: Set<String>
    let asked = Mutex<[String]>([])

    init(_ children: [String: [String]], refusing refusals: Set<String> = []) {
      self.children = children
      self.refusals = refusals
    }

    private func answer(_ what: String, _ objects: [String]?, _ request: Listing.Request)
      throws(ActionFailure)
      -> BrowseAnswer
    {
      asked.withLock { $0.append("\(what) \(request.start)") }
      guard let objects, !refusals.contains(what) else {
        throw .fault(UPnPError(code: 701, description: "No such object"))
      }
      let page = objects.dropFirst(request.start).prefix(request.count)
      return BrowseAnswer(
        result: "<DIDL-Lite>\(page.joined())</DIDL-Lite>", numberReturned: UInt32(page.count),
        totalMatches: UInt32(objects.count))
    }

    func browse(children container: String, _ request: Listing.Request) async throws(ActionFailure)
      -> BrowseAnswer
    { try answer(container, children[container], request) }

    func browse(metadata object: String) async throws(ActionFailure) -> BrowseAnswer {
      if refusals.contains("metadata") { throw .fault(.invalidAction) }
      // As Gerbera: the root for what it doesn't know.
      let known = children.values.joined().first { $0.contains("id=\"\(object)\"") }
      let text = known ?? "<container id=\"0\"/>"
      return BrowseAnswer(result: "<DIDL-Lite>\(text)</DIDL-Lite>", numberReturned: 1, totalMatches: 1)
    }

    func search(_ container: String, _ criteria: SearchCriteria, _ request: Listing.Request)
      async throws(ActionFailure) -> BrowseAnswer
    { try answer(criteria.text, children["search"], request) }

    func searchCapabilities() async throws(ActionFailure) -> String {
      if refusals.contains("caps") { throw .fault(.invalidAction) }
      return "dc:title,upnp:class"
    }
    func sortCapabilities() async throws(ActionFailure) -> String { "dc:title" }
  }

  private static func track(_ id: String) -> String {
    "<item id=\"\(id)\"><dc:title>\(id)</dc:title><upnp:class>object.item.audioItem</upnp:class>"
      + "<res protocolInfo=\"http-get:*:audio/flac:*\">/\(id).flac</res></item>"
  }

  @Test func listsPageByPage() async throws {
    let source = Source(["0": (0..<450).map { Self.track("t\($0)") }])
    let library = MediaLibrary(source, base: "http://192.0.2.1:8200/root.xml")
    var sizes: [Int] = []
    for try await page in library.pages(of: "0") { sizes.append(page.count) }
    #expect(sizes == [200, 200, 50])
    let whole = try await library.children(of: "0")
    #expect(whole.objects.map(\.id) == (0..<450).map { "t\($0)" } && whole.end == .complete)
    #expect(whole.objects[7].resources.first?.address == "http://192.0.2.1:8200/t7.flac")
  }

  @Test func aReaderThatStopsAsksForNoMore() async throws {
    let source = Source(["0": (0..<450).map { Self.track("t\($0)") }])
    for try await _ in MediaLibrary(source).pages(of: "0") { break }
    #expect(source.asked.withLock { $0 } == ["0 0"])
  }

  /// Passes only when it is told to, or when somebody waits while nothing else goes on.
  private final class FakeClock: Sendable {
    private let passed = Mutex(Duration.zero)
    private let isHanging = Mutex(false)
    private let start = ContinuousClock.now

    func pass(_ time: Duration) { passed.withLock { $0 += time } }
    func hang() { isHanging.withLock { $0 = true } }

    var clock: ListingPages.Clock {
      ListingPages.Clock {
        self.start + self.passed.withLock { $0 }
      } wait: { time in
        while !Task.isCancelled {
          if self.isHanging.withLock({ $0 }) { return self.pass(time) }
          try? await Task.sleep(for: .milliseconds(1))
        }
      }
    }
  }

  @Test func theTimeOfTheReaderDoesNotCount() async throws {
    let source = Source(["0": (0..<450).map { Self.track("t\($0)") }])
    let time = FakeClock()
    var pages = MediaLibrary(source).pages(of: "0")
    pages.clock = time.clock
    var count = 0
    for try await page in pages {
      time.pass(.seconds(1000))
      count += page.count
    }
    #expect(count == 450)
  }

  /// Some pages, and then nothing, until the request is cancelled.
  private func hangingPages(_ count: Int) -> ListingPages {
    let time = FakeClock()
    var pages = ListingPages(listing: Listing(), base: nil, time: .seconds(300)) {
      request throws(ActionFailure) in
      if request.start < count * 200 {
        let page = (request.start..<request.start + 200).map { Self.track("t\($0)") }
        return BrowseAnswer(
          result: "<DIDL-Lite>\(page.joined())</DIDL-Lite>", numberReturned: 200, totalMatches: 1000)
      }
      time.hang()
      try? await Task.sleep(for: .seconds(3600))
      throw .cancelled
    }
    pages.clock = time.clock
    return pages
  }

  @Test func eachPageHasTheTimeThatIsLeft() async throws {
    var pages = hangingPages(1).makeAsyncIterator()
    #expect(try await pages.next()?.count == 200)
    #expect(try await pages.next() == nil)
    #expect(pages.listing.next == .end(.limit))
    await #expect(throws: ActionFailure.timeout) {
      var pages = hangingPages(0).makeAsyncIterator()
      _ = try await pages.next()
    }
  }

  @Test func aCancelledReaderIsTold() async throws {
    let pages = ListingPages(listing: Listing(), base: nil, time: .seconds(300)) { _ throws(ActionFailure) in
      try? await Task.sleep(for: .seconds(3600))
      throw .cancelled
    }
    let task = Task {
      var pages = pages.makeAsyncIterator()
      return try await pages.next()?.count
    }
    task.cancel()
    await #expect(throws: ActionFailure.cancelled) { try await task.value }
  }

  @Test func anUnknownObjectIsNotTheRoot() async throws {
    let library = MediaLibrary(Source(["0": [Self.track("a")]]))
    #expect(try await library.object("a")?.title == "a")
    #expect(try await library.object("b") == nil)
  }

  @Test func anObjectIsFoundWhereItWasListed() async throws {
    let children = ["0": ["<container id=\"c\"/>"], "c": (0..<450).map { Self.track("t\($0)") }]
    let source = Source(children, refusing: ["metadata"])
    let library = MediaLibrary(source)
    #expect(try await library.object("t300", in: "c")?.title == "t300")
    #expect(source.asked.withLock { $0 } == ["c 0", "c 200"])
    #expect(try await library.object("gone", in: "c") == nil)
    // The parent is gone, too: what was said of the object counts.
    await #expect(throws: ActionFailure.fault(.invalidAction)) { try await library.object("t1", in: "gone") }
    // Where single objects are told of, nothing is listed; where another one comes, the parent has the right one.
    let able = Source(children)
    #expect(try await MediaLibrary(able).object("t300", in: "c")?.title == "t300")
    #expect(able.asked.withLock { $0 }.isEmpty)
  }

  @Test func searchesDifferentlyIfRefused() async throws {
    let album = "<container id=\"1\"><upnp:class>object.container.album.musicAlbum</upnp:class></container>"
    let other = "<container id=\"2\"><upnp:class>object.container.person</upnp:class></container>"
    let exact = #"(upnp:class = "object.container.album.musicAlbum") and (dc:title contains "x")"#
    let source = Source(["search": [album, other]], refusing: [exact])
    let library = MediaLibrary(source)
    let capabilities = try await library.capabilities()
    let found = try #require(try await library.search("x", for: .album, capabilities))
    #expect(found.objects.map(\.id) == ["1"])
    #expect(source.asked.withLock { $0.count } == 2)
    // Rygel fails on the right criteria, and finds nothing by the others.
    let nothing = MediaLibrary(Source(["search": []], refusing: [exact]))
    #expect(try await nothing.search("x", for: .album, capabilities) == nil)
    // With other words it refuses nothing, and finds nothing either.
    let blind = Source(["search": []])
    #expect(try await MediaLibrary(blind).search("x", for: .album, capabilities) == nil)
    #expect(blind.asked.withLock { $0.last } == #"upnp:class derivedfrom "object.container.album" 0"#)
    #expect(try await MediaLibrary(blind).search("x", for: .track, capabilities) == nil)
    let untold = ContentCapabilities(search: "dc:title", sort: "")
    #expect(try await MediaLibrary(blind).search("x", for: .track, untold)?.objects == [])
    let none = ContentCapabilities(search: "", sort: "")
    #expect(try await library.search("x", for: .album, none) == nil)
  }

  @Test func looksThroughEverythingWhereNothingCanSearch() async throws {
    let album =
      "<container id=\"c\"><dc:title>b side</dc:title><upnp:class>object.container.album.musicAlbum</upnp:class></container>"
    let source = Source([
      "0": [Self.track("b1"), album, "<container id=\"no such\"><dc:title>b</dc:title></container>"],
      "c": (0..<450).map { Self.track("a\($0)") } + [Self.track("b2"), Self.track("b1")],
    ])
    let library = MediaLibrary(source, base: "http://192.0.2.1/")
    let found = try await library.find("B", of: [.album, .track])
    #expect(found.objects.map(\.id) == ["c", "b1", "b2"])
    #expect(found.end == .complete && found.containers == 3)
    #expect(try await library.find("b", of: [.artist]).objects.isEmpty)
    var limits = WalkLimits()
    limits.tracks = 1
    #expect(try await library.find("b", of: [.track], limits: limits).end == .limit)
    await #expect(throws: ActionFailure.self) { try await library.find("b", of: [.track], below: "nothing") }
  }

  @Test func aServerThatTellsOfNoObjectAloneIsListed() async throws {
    let library = MediaLibrary(Source(["0": [Self.track("a")], "c": []], refusing: ["metadata"]))
    let root = try #require(try await library.object("0"))
    #expect(root.isContainer && root.id == "0" && root.title == "0")
    for id in ["a", "c"] {
      await #expect(throws: ActionFailure.fault(.invalidAction)) { try await library.object(id) }
    }
  }

  @Test func aServerThatDoesNotSayCanDoNothing() async throws {
    let capabilities = try await MediaLibrary(Source([:], refusing: ["caps"])).capabilities()
    #expect(!capabilities.canSearch && capabilities.sorting(by: [.title]) == "+dc:title")
  }

  /// Says nothing about one container.
  private struct SlowSource: ContentSource {
    let source: Source
    let slow: String

    func browse(
      children container: String, _ request: Listing.Request
    ) async throws(ActionFailure) -> BrowseAnswer {
      guard container == slow else { return try await source.browse(children: container, request) }
      try? await Task.sleep(for: .seconds(3600))
      throw .cancelled
    }

    func browse(metadata object: String) async throws(ActionFailure) -> BrowseAnswer {
      try await source.browse(metadata: object)
    }

    func search(
      _ container: String, _ criteria: SearchCriteria, _ request: Listing.Request
    ) async throws(ActionFailure) -> BrowseAnswer {
      try await source.search(container, criteria, request)
    }

    func searchCapabilities() async throws(ActionFailure) -> String { try await source.searchCapabilities() }
    func sortCapabilities() async throws(ActionFailure) -> String { try await source.sortCapabilities() }
  }

  @Test func whatWasFoundCountsWhenTheTimeIsOver() async throws {
    let source = Source(["0": [Self.track("1"), "<container id=\"c\"/>", Self.track("2")]])
    let root = MediaObject(id: "0", isContainer: true, title: "", mediaClass: MediaClass(""))
    var limits = WalkLimits()
    limits.time = .milliseconds(300)
    let library = MediaLibrary(SlowSource(source: source, slow: "c"), base: "http://192.0.2.1/")
    let begun = ContinuousClock.now
    let found = try await library.tracks(below: root, limits: limits)
    #expect(found.tracks.first?.id == "1" && found.end == .limit)
    #expect(ContinuousClock.now - begun < .seconds(30), "no request outlasts the time of all")
    let silent = MediaLibrary(SlowSource(source: source, slow: "0"), base: "http://192.0.2.1/")
    await #expect(throws: ActionFailure.timeout) { try await silent.tracks(below: root, limits: limits) }
  }

  @Test func collectsTheTracksBelow() async throws {
    let source = Source([
      "0": ["<container id=\"c\"/>", Self.track("2")], "c": [Self.track("1"), "<container id=\"0\"/>"],
    ])
    let root = MediaObject(id: "0", isContainer: true, title: "", mediaClass: MediaClass(""))
    let library = MediaLibrary(source, base: "http://192.0.2.1/")
    let all = try await library.tracks(below: root)
    #expect(all.tracks.map(\.id) == ["1", "2"] && all.end == .complete && all.refused == 0)
    var limits = WalkLimits()
    limits.time = .zero
    #expect(try await library.tracks(below: root, limits: limits).end == .limit)
  }
}
