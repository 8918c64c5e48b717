import Renderers
import Testing

@testable import vireoctl

/// What a Vireo says of its party, and how people are told.
@Suite struct PartyStateTests {
  private static let text = """
    {"version": 3, "isRunning": true, "mode": "ask", "code": "ABCD2345", "seconds": 7200, "guests": 2, "requests": [
      {"id": 2, "guest": 1, "state": "queued", "title": "T", "artist": "A", "votes": 3, "next": false},
      {"id": 1, "guest": 1, "name": "Ann", "state": "asked", "title": "U", "votes": 0, "next": true}]}
    """

  private func read(_ text: String) -> PartyState? {
    PartyState(reading: Array(text.utf8), base: "http://192.0.2.7:49494/")
  }

  @Test func itIsRead() throws {
    let party = try #require(read(Self.text))
    #expect(party.isRunning && party.mode == .ask && party.guests == 2)
    #expect(party.address == "http://192.0.2.7:49494/#/party/ABCD2345")
    #expect(party.requests.map(\.id) == [2, 1] && party.requests[1].isNext)
    let off = try #require(read(#"{"isRunning": false, "mode": "dance"}"#))
    #expect(!off.isRunning && off.mode == nil && off.address == nil)
    #expect(
      read(#"{"isRunning": true, "code": "X", "address": "http://a/"}"#)?.address == "http://a/#/party/X")
    for text in ["", "[]", "{}", #"{"isRunning": 1}"#] { #expect(read(text) == nil) }
    let odd = try #require(read(#"{"isRunning": true, "requests": [1, {}, {"id": -1, "state": "asked"}]}"#))
    #expect(odd.requests.isEmpty)
  }

  @Test func peopleAreTold() throws {
    let party = try #require(read(Self.text))
    #expect(
      PartyView.report(party).lines(.plain) == [
        "mode: ask", "code: ABCD2345", "address: http://192.0.2.7:49494/#/party/ABCD2345", "ends in: 2 h",
        "guests: 2", "waiting: 2",
      ])
    #expect(PartyView.requests(party).lines(.plain) == ["2\tqueued\t3\tA – T\t", "1\tasked\t0\tU\tAnn"])
    let off = try #require(read(#"{"isRunning": false}"#))
    #expect(PartyView.report(off).whenEmpty == "there is no party")
    #expect(PartyView.requests(off).whenEmpty == "there is no party")
  }
}
