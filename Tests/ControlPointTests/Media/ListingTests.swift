import SeededRandom
import Testing
import UPnP

@testable import ControlPoint

@Suite struct ListingTests {
  private var limits: ListingLimits {
    var limits = ListingLimits()
    limits.page = LyingServer.page
    limits.objects = 1000
    limits.requests = 200
    return limits
  }

  private func list(_ server: LyingServer, sort: String = "") -> (
    ids: [String], listing: Listing, requests: Int
  ) {
    var (server, listing, ids, requests) = (server, Listing(sort: sort, limits: limits), [String](), 0)
    while case .ask(let request) = listing.next {
      requests += 1
      switch server.answer(request) {
      case .success(let page): ids += listing.answered(page).map(\.id)
      case .failure(let failure): listing.failed(failure)
      }
    }
    return (ids, listing, requests)
  }

  @Test(arguments: [0, 1, 39, 40, 41, 80, 200]) func anHonestServerIsListedWithoutAnIdleRequest(count: Int) {
    let server = LyingServer(count: count, lies: [])
    let result = list(server)
    #expect(result.ids == server.ids && result.listing.next == .end(.complete))
    // A first page that is full and of the size of the whole looks like one of those servers that count the page.
    #expect(result.requests == max(1, (count + 39) / 40) + (count == 40 ? 1 : 0))
    #expect(!result.listing.hasChanged)
  }

  /// Every lie but these still gives the whole list.
  @Test(
    arguments: LyingServer.Lie.allCases.filter { ![.neverEnds, .oneUnreadable, .onePoisoned].contains($0) })
  func oneLieHidesNothing(lie: LyingServer.Lie) {
    for count in [0, 1, 5, 39, 40, 41, 100, 200] {
      let server = LyingServer(count: count, lies: [lie])
      let result = list(server, sort: "+dc:title")
      #expect(result.ids == server.ids, "\(count)")
      if count > 0 { #expect(result.listing.isSorted == (lie != .refusesSort)) }
    }
  }

  @Test(
    arguments: [nil, .sendsMoreThanAsked, .answersFewer, .sendsAtMostTen, .failsBeyondEnd]
      as [LyingServer.Lie?])
  func aListingMayBeginAnywhere(lie: LyingServer.Lie?) {
    for (count, first, most) in [(100, 40, 50), (100, 60, 50), (100, 99, 50), (100, 100, 50), (100, 130, 50)]
    {
      var server = LyingServer(count: count, lies: lie.map { [$0] } ?? [])
      var limits = limits
      (limits.objects, limits.page) = (most, most)
      var (listing, ids) = (Listing(from: first, limits: limits), [String]())
      while case .ask(let request) = listing.next {
        switch server.answer(request) {
        case .success(let page): ids += listing.answered(page).map(\.id)
        case .failure(let failure): listing.failed(failure)
        }
      }
      #expect(ids == Array(server.ids.dropFirst(first).prefix(most)), "\(first)")
      #expect((listing.next == .end(.limit)) == (first + most < count), "\(first)")
    }
  }

  @Test func anObjectThatCannotBeReadHidesNoOther() {
    for count in [1, 5, 7, 8, 9, 41, 100] {
      for lie in [LyingServer.Lie.oneUnreadable, .onePoisoned] {
        let server = LyingServer(count: count, lies: [lie])
        let result = list(server)
        #expect(result.ids == server.ids.filter { $0 != "id7" }, "\(lie) \(count)")
        #expect(result.requests < 30)
      }
    }
  }

  @Test func listsEndAtTheLimits() {
    let endless = list(LyingServer(count: 0, lies: [.neverEnds]))
    #expect(endless.ids.count == 1000 && endless.listing.next == .end(.limit))
    let slow = list(LyingServer(count: 900, lies: [.answersFewer, .sendsAtMostTen, .totalZero]))
    #expect(slow.requests <= 200)
  }

  @Test func aChangeMeanwhileIsTold() {
    #expect(list(LyingServer(count: 100, lies: [.updateIDCounts])).listing.hasChanged)
  }

  @Test func anyLiesEnd() {
    var random = SeededRandom(seed: 12)
    for _ in 0..<3000 {
      let lies = LyingServer.Lie.allCases.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
      let server = LyingServer(count: Int.random(in: 0..<300, using: &random), lies: Set(lies))
      let result = list(server)
      #expect(result.requests <= limits.requests, "\(lies)")
      #expect(result.ids.count <= limits.objects)
      #expect(Set(result.ids).count == result.ids.count, "an object twice: \(lies)")
      if case .ask = result.listing.next { Issue.record("doesn't end: \(lies)") }
    }
  }

  @Test(arguments: [709, 402, 501, 600, 720]) func asksAgainWithoutSortingAndWithEverything(code: Int) {
    let fault = ActionFailure.fault(UPnPError(code: code, description: ""))
    var listing = Listing(sort: "+dc:title", filter: "dc:title", limits: limits)
    listing.failed(fault)
    #expect(listing.next == .ask(.init(start: 0, count: 40, filter: "dc:title", sort: "")))
    listing.failed(fault)
    #expect(listing.next == .ask(.init(start: 0, count: 40, filter: "*", sort: "")))
    listing.failed(fault)
    #expect(listing.next == (code == 720 ? .end(.complete) : .failed(fault)))
  }

  @Test(arguments: [701, 710]) func anUnknownContainerIsNotAskedForAgain(code: Int) {
    let fault = ActionFailure.fault(UPnPError(code: code, description: ""))
    var listing = Listing(sort: "+dc:title", limits: limits)
    listing.failed(fault)
    #expect(listing.next == .failed(fault))
  }

  @Test(arguments: [ActionFailure.timeout, .unreachable, .cancelled]) func aLostServerFails(
    _ failure: ActionFailure
  ) {
    var listing = Listing(limits: limits)
    _ = listing.answered(BrowsePage(objects: [LyingServer.object("a")], numberReturned: 1, totalMatches: 9))
    listing.failed(failure)
    #expect(listing.next == .failed(failure))
  }

  @Test func pagesThatAreNeverReadableEnd() {
    for failure in [ActionFailure.malformed, .tooLarge] {
      var (listing, requests) = (Listing(limits: limits), 0)
      while case .ask = listing.next {
        requests += 1
        listing.failed(failure)
      }
      #expect(listing.next == .failed(failure))
      #expect(requests < 20)
    }
  }

  @Test func pagesThatWereTooLongAreNotAskedForAgain() {
    var (server, listing, refused) = (
      LyingServer(count: 200, lies: [.tooLargePages]), Listing(limits: limits), 0
    )
    while case .ask(let request) = listing.next {
      switch server.answer(request) {
      case .success(let page): _ = listing.answered(page)
      case .failure(let failure):
        refused += 1
        listing.failed(failure)
      }
    }
    #expect(listing.count == 200 && refused == 1)
  }

  @Test func objectsWithoutIDAreToldApart() {
    var first = LyingServer.object("")
    first.title = "a"
    var second = first
    second.title = "b"
    var listing = Listing(limits: limits)
    #expect(listing.answered(BrowsePage(objects: [first], numberReturned: 1, totalMatches: 0)) == [first])
    #expect(listing.answered(BrowsePage(objects: [second], numberReturned: 1, totalMatches: 0)) == [second])
    #expect(listing.answered(BrowsePage(objects: [second], numberReturned: 1, totalMatches: 0)) == [])
    #expect(listing.next == .end(.complete))
  }
}
