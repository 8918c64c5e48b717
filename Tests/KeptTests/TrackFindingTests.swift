import Player
import SeededRandom
import Testing

@testable import Kept

@Suite struct TrackFindingTests {
  private static let old = "192.0.2.1:8200"
  private static let new = "192.0.2.7:8201"

  private func track(_ number: Int, at place: String = old, title: String? = nil) -> Media {
    .listed("http://\(place)/MediaItems/\(number).flac", id: "64$\(number)", title: title ?? "Song \(number)")
  }

  private func entries(_ count: Int, server: String? = "server") -> [KeptEntry] {
    (0..<count).map { KeptEntry(id: UInt32($0 + 1), track: KeptTrack(track($0), server: server)) }
  }

  /// Answers all questions; returns how many there were.
  private func run(
    _ finding: inout TrackFinding, object: (String) -> Media?, search: (String) -> [Media] = { _ in [] }
  ) -> Int {
    var requests = 0
    while finding.next != .end {
      requests += 1
      guard requests <= TrackFinding.mostRequests else { return requests }
      switch finding.next {
      case .object(let id, _, _):
        finding.answered([object(id)].compactMap(\.self).map(TrackFinding.Object.init))
      case .search(let words, _): finding.answered(search(words).map(TrackFinding.Object.init))
      case .end: break
      }
    }
    return requests
  }

  private func number(_ id: String) -> Int { Int(id.dropFirst(3)) ?? -1 }

  @Test func nothingIsAskedWhereTheAddressesFit() {
    #expect(TrackFinding(entries(5), servers: ["server": [Self.old]]).next == .end)
    // Nor of a server that isn't there, nor for tracks of no server.
    #expect(TrackFinding(entries(5), servers: [:]).next == .end)
    #expect(TrackFinding(entries(5, server: nil), servers: ["server": [Self.new]]).next == .end)
  }

  @Test func theObjectIsThereAtAnotherPlace() {
    var finding = TrackFinding(entries(3), servers: ["server": [Self.new]])
    #expect(finding.next == .object("64$0", parent: "p", server: "server"))
    #expect(run(&finding, object: { track(number($0), at: Self.new) }) == 3)
    #expect(
      finding.result == [1: track(0, at: Self.new), 2: track(1, at: Self.new), 3: track(2, at: Self.new)])
    #expect(finding.places.allSatisfy { $0.server == "server" && $0.authority == Self.new })
  }

  /// Servers may give their tracks another port than their description: one question tells.
  @Test func aServerWithTwoPorts() {
    var finding = TrackFinding(entries(50), servers: ["server": ["192.0.2.1:9000"]])
    #expect(run(&finding, object: { track(number($0)) }) == 1)
    #expect(finding.result.isEmpty)
    #expect(finding.places.map(\.authority) == [Self.old])
  }

  @Test func aLongListNeedsNoQuestionForEachTrack() {
    var finding = TrackFinding(entries(3000), servers: ["server": [Self.new]])
    #expect(run(&finding, object: { track(number($0), at: Self.new) }) == TrackFinding.samples)
    #expect(finding.result.count == 3000)
    #expect(finding.result[2345] == track(2344, at: Self.new), "the metadata too")
  }

  /// A server that has counted anew gives ids to other tracks: then each is asked for, and searched for.
  @Test func otherTracksHaveTheIdsNow() {
    var finding = TrackFinding(entries(40), servers: ["server": [Self.new]])
    // The first half is as it was.
    let now = { (number: Int) in self.track(number < 20 ? number : number + 1, at: Self.new) }
    let requests = run(
      &finding, object: { now(number($0)) },
      search: { words in
        let found = Int(words.dropFirst(5)) ?? -1
        return [.listed("http://\(Self.new)/elsewhere/\(found)", id: "x\(found)", title: "Song \(found)")]
      })
    #expect(requests > 40 && finding.result.count == 40)
    #expect(finding.result[5]?.uri == "http://\(Self.new)/MediaItems/4.flac")
    #expect(finding.result[31]?.uri == "http://\(Self.new)/elsewhere/30")
  }

  @Test func aSearchTakesNoOtherVersion() {
    let wanted = entries(1)
    func found(_ others: Media...) -> Media? {
      var finding = TrackFinding(wanted, servers: ["server": [Self.new]])
      _ = run(&finding, object: { _ in nil }, search: { _ in others })
      return finding.result[1]
    }
    let base = "http://\(Self.new)/x"
    let live = Media.listed(base, title: "Song 0", album: "Live")
    let long = Media.listed(base, title: "Song 0", seconds: 203)
    let other = Media.listed(base, title: "Song 0", artist: "Cover Band")
    let same = Media.listed(base, title: "SONG 0 ", seconds: 202)
    let bare = Media.listed(base, title: "Song 0", artist: nil, album: nil, seconds: nil)
    #expect(found(live) == nil && found(long) == nil && found(other) == nil && found() == nil)
    #expect(found(live, long, same) == same)
    #expect(found(bare) == bare)
  }

  @Test func whatIsntFoundKeepsItsAddress() {
    var finding = TrackFinding(entries(20), servers: ["server": [Self.new]])
    // Two are missing, so that the others aren't simply elsewhere: each is asked for.
    _ = run(&finding, object: { [3, 7].contains(number($0)) ? nil : track(number($0), at: Self.new) })
    #expect(finding.result.count == 18 && finding.result[4] == nil && finding.result[8] == nil)
  }

  @Test func aServerThatIsSilentIsLeftAlone() {
    var finding = TrackFinding(entries(50), servers: ["server": [Self.new]])
    var requests = 0
    while finding.next != .end {
      finding.failed(isSilent: true)
      requests += 1
    }
    #expect(requests == 2 && finding.result.isEmpty)
  }

  @Test func aServerThatRefusesIsSearched() {
    var finding = TrackFinding(entries(1), servers: ["server": [Self.new]])
    finding.failed(isSilent: false)
    #expect(finding.next == .search("Song 0", server: "server"))
    finding.failed(isSilent: false)
    #expect(finding.next == .end && finding.result.isEmpty)
  }

  @Test func tracksWithoutIdsAreSearchedFor() {
    let media = Media.listed("http://\(Self.old)/a", id: "0", title: "Song 1")
    let bare = Media(uri: "http://\(Self.old)/b")
    var finding = TrackFinding(
      [
        KeptEntry(id: 1, track: KeptTrack(bare, server: "server")),
        KeptEntry(id: 2, track: KeptTrack(media, server: "server")),
      ],
      servers: ["server": [Self.new]])
    #expect(finding.next == .search("Song 1", server: "server"))
    finding.answered([])
    #expect(finding.next == .end)
  }

  @Test func itEndsWhenTimeIsOver() {
    var finding = TrackFinding(entries(30), servers: ["server": [Self.new]])
    finding.answered([TrackFinding.Object(track(0, at: Self.new))])
    finding.stop()
    #expect(finding.next == .end)
    // What was seen of one is taken for the others: their old addresses are of no use.
    #expect(finding.result.count == 30)
  }

  /// Whatever servers answer: it ends, asks no more than it may, and changes no track that it wasn't given.
  @Test(arguments: 0..<200) func itAlwaysEnds(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let servers = ["a", "b", "c"]
    let places = [Self.old, Self.new, "192.0.2.9:80", "[2001:db8::1]:9000"]
    let given = (0..<Int.random(in: 0...400, using: &random)).map { number in
      let media = Media.listed(
        [
          "http://\(places.randomElement(using: &random)!)/\(number % 50)", "file:///x", "rtsp://x/",
          "http://",
        ]
        .randomElement(using: &random)!,
        id: ["", "0", "\(number)"].randomElement(using: &random)!, title: "Song \(number % 50)")
      return KeptEntry(
        id: UInt32(number + 1),
        track: KeptTrack(media, server: (servers + [nil]).randomElement(using: &random)!))
    }
    var there: [String: Set<String>] = [:]
    for server in servers where Bool.random(using: &random) {
      there[server] = [places.randomElement(using: &random)!]
    }
    var finding = TrackFinding(given, servers: there)
    var requests = 0
    while finding.next != .end, requests < 10_000 {
      requests += 1
      switch Int.random(in: 0..<12, using: &random) {
      case 0: finding.failed(isSilent: Bool.random(using: &random))
      case 1: finding.answered([])
      default:
        finding.answered(
          (0..<Int.random(in: 0...3, using: &random)).map { _ in
            let number = Int.random(in: 0..<50, using: &random)
            return TrackFinding.Object(
              .listed(
                "http://\(places.randomElement(using: &random)!)/\(number)", id: "\(number)",
                title: "Song \(number)"))
          })
      }
    }
    #expect(requests <= TrackFinding.mostRequests)
    let byID = Dictionary(uniqueKeysWithValues: given.map { ($0.id, $0.track) })
    for (id, media) in finding.result {
      #expect(byID[id]?.server.map { there[$0] != nil } == true)
      #expect(media.uri != byID[id]?.media.uri && media.uri.hasPrefix("http://"))
    }
  }

  @Test(arguments: [
    ("http://192.0.2.1/a", "192.0.2.1:80"), ("HTTPS://Host.Example?x", "host.example:443"),
    ("http://user:pass@192.0.2.1:8200/a:b@c", "192.0.2.1:8200"),
    ("http://[2001:DB8::1]/a", "[2001:db8::1]:80"),
    ("http://[2001:db8::1]:9000", "[2001:db8::1]:9000"),
  ]) func hostAndPort(address: String, authority: String) { #expect(HostAndPort.of(address) == authority) }

  @Test(arguments: ["", "file:///a", "http:", "http:///a", "http", "x"]) func noHost(address: String) {
    #expect(HostAndPort.of(address) == nil)
  }

  @Test func onlyTheLastPlacesAreRemembered() {
    var places = ServerPlaces()
    for number in 0..<200 { places.learn("192.0.2.1:\(number)", of: "server-\(number)") }
    #expect(places.server(at: "192.0.2.1:0") == nil && places.server(at: "192.0.2.1:199") == "server-199")
    places.learn("192.0.2.1:199", of: "another")
    #expect(places.server(at: "192.0.2.1:199") == "another")
    #expect((0..<200).count { places.server(at: "192.0.2.1:\($0)") != nil } == ServerPlaces.most)
  }
}
