import Player
import Testing

@testable import vireod

@Suite struct NestedListsTests {
  private func media(_ names: String...) -> [Media] { names.map { Media(uri: "http://192.0.2.1/\($0)") } }

  private func lists(_ names: String...) -> NestedLists {
    NestedLists(
      names.map { Media(uri: "http://192.0.2.1/\($0)") }, of: "http://192.0.2.1/top.asx", policy: URIPolicy())
  }

  @Test func whatIsFoundTakesTheListsPlace() {
    var lists = lists("a.mp3", "b.m3u", "c.mp3", "d.pls")
    #expect(lists.next == media("b.m3u")[0])
    lists.take(.entries(media("b1", "b2.pls")))
    #expect(lists.next == media("b2.pls")[0])
    lists.take(.entries(media("b21")))
    #expect(lists.next == media("d.pls")[0])
    lists.take(.entries(media("d1", "d2")))
    #expect(lists.next == nil)
    #expect(lists.tracks == media("a.mp3", "b1", "b21", "c.mp3", "d1", "d2"))
  }

  @Test func withoutListsNothingIsRead() {
    #expect(lists("a.mp3", "b").next == nil)
    #expect(lists().next == nil)
    #expect(lists("a.m3u8", "b.M3U8?x=y.m3u").next == nil, "streams by HLS play as they are")
  }

  @Test func whatIsNoListStays() {
    var lists = lists("a.m3u", "b.m3u", "c")
    lists.take(.notAContainer)
    lists.take(.failed(PlaybackFailure(.notFound, "404")))
    #expect(lists.next == nil)
    #expect(lists.tracks == media("a.m3u", "b.m3u", "c"))
  }

  @Test func noListIsReadTwice() {
    var lists = lists("top.asx", "a.m3u", "a.m3u")
    #expect(lists.next == media("a.m3u")[0])
    lists.take(.entries(media("top.asx", "a.m3u", "x")))
    #expect(lists.next == nil)
    #expect(lists.tracks == media("x"), "what leads back is no track")
    #expect(lists.resolution == .entries(media("x")))
  }

  @Test func aListThatOnlyLeadsBackToItselfIsSaidToDoSo() {
    var lists = lists("top.asx", "a.m3u")
    lists.take(.entries(media("top.asx", "a.m3u")))
    #expect(lists.next == nil)
    guard case .failed(let failure) = lists.resolution else {
      Issue.record("it holds something: \(lists.resolution)")
      return
    }
    #expect(failure.message.contains("leads back to itself"))
    // One that is empty is nothing else.
    #expect(self.lists().resolution == .entries([]))
  }

  @Test func depthIsBounded() {
    var lists = lists("0.m3u")
    var reads = 0
    while lists.next != nil, reads < 100 {
      reads += 1
      lists.take(.entries(media("\(reads).m3u")))
    }
    #expect(reads == NestedLists.maximumDepth)
    #expect(lists.tracks == media("\(reads).m3u"))
  }

  @Test func numberIsBounded() {
    let names = (0..<50).map { Media(uri: "http://192.0.2.1/\($0).m3u") }
    var lists = NestedLists(names, of: "http://192.0.2.1/top", policy: URIPolicy())
    var reads = 0
    while let next = lists.next, reads < 100 {
      reads += 1
      lists.take(.entries([Media(uri: next.uri + "/x")]))
    }
    #expect(reads == NestedLists.maximumReads)
    #expect(lists.tracks.count == 50)
  }

  @Test func entriesAreBounded() {
    var lists = lists("a.m3u", "b")
    lists.take(.entries((0..<5000).map { Media(uri: "http://192.0.2.1/\($0)") }))
    #expect(lists.tracks.count == 2000)
    #expect(lists.tracks.last == media("b")[0])
  }

  @Test func whatMayNotBeOpenedIsNotRead() {
    let tracks = [Media(uri: "file:///etc/list.m3u"), Media(uri: "ftp://192.0.2.1/list.m3u")]
    #expect(NestedLists(tracks, of: "http://192.0.2.1/top", policy: URIPolicy()).next == nil)
  }
}
