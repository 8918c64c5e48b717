import ControlPoint
import Network
import Renderers
import Testing

@testable import vireoctl

@Suite struct PlayingTests {
  private let openHome: Set<RendererService> = [.product, .playlist, .radio, .transport]
  private let av: Set<RendererService> = [.avTransport, .renderingControl]

  @Test func thePath() {
    #expect(TransportPath.choose(openHome, source: nil) == .transport)
    let older = openHome.subtracting([.transport]).union(av)
    #expect(TransportPath.choose(older, source: "Playlist") == .playlist)
    #expect(TransportPath.choose(older, source: "Radio") == .radio)
    #expect(TransportPath.choose(older, source: "UpnpAv") == .avTransport)
    #expect(TransportPath.choose(older, source: "Songcast") == .avTransport)
    #expect(TransportPath.choose([.product, .playlist], source: "Songcast") == .playlist)
    #expect(TransportPath.choose(av, source: nil) == .avTransport)
    #expect(TransportPath.choose([], source: nil) == nil)
  }

  @Test func thePlan() {
    func plan(_ place: PlayPlace, _ ids: [UInt32] = [4, 7, 9], current: UInt32? = 7) -> PlayPlan {
      .plan(place, count: 2, services: openHome, queue: (ids, current))
    }
    #expect(plan(.now) == .queue([.insertFirst(after: 7), .choose, .playFirst, .insertRest]))
    #expect(plan(.next) == .queue([.insertFirst(after: 7), .insertRest]))
    #expect(plan(.end) == .queue([.insertFirst(after: 9), .insertRest]))
    #expect(plan(.replace) == .queue([.clear, .insertFirst(after: 0), .choose, .playFirst, .insertRest]))
    #expect(plan(.now, [], current: 0) == .queue([.insertFirst(after: 0), .choose, .playFirst, .insertRest]))
    #expect(plan(.next, current: 5) == .queue([.insertFirst(after: 9), .insertRest]))
    #expect(PlayPlan.plan(.now, count: 9, services: av, queue: nil) == .oneByOne)
    #expect(PlayPlan.plan(.next, count: 1, services: av, queue: nil) == .handOver)
    for (place, count) in [(PlayPlace.next, 2), (.end, 1)] {
      guard case .impossible = PlayPlan.plan(place, count: count, services: av, queue: nil) else {
        Issue.record("\(place)")
        continue
      }
    }
  }

  private func entry(_ id: UInt32, _ title: String) -> QueueEntry {
    QueueEntry(id: id, uri: "http://192.0.2.9/\(title)", metadata: "")
  }

  @Test func queueEntries() {
    #expect(IdList.ids([0, 0, 1, 2, 0, 0, 0, 3, 9]) == [258, 3])
    let text = """
      <TrackList><Entry><Id>3</Id><Uri>http://192.0.2.9/a.flac</Uri><Metadata>&lt;DIDL-Lite \
      xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns="urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/"&gt;&lt;item&gt;\
      &lt;dc:title&gt;A &amp;amp; B&lt;/dc:title&gt;&lt;/item&gt;&lt;/DIDL-Lite&gt;</Metadata></Entry><Entry><Id>x</Id>\
      </Entry><Entry><Id>4</Id><Uri>http://192.0.2.9/b.flac</Uri></Entry></TrackList>
      """
    let entries = EntryDocument.entries(text)
    #expect(entries.map(\.id) == [3, 4])
    #expect(entries.map(\.title) == ["A & B", "b.flac"])
    #expect(EntryDocument.entries("nonsense").isEmpty)
  }

  @Test func moving() throws {
    let queue = QueueList(entries: [entry(1, "a"), entry(2, "b"), entry(3, "c")], current: 1)
    #expect(queue.neighbour(of: queue.entries[2], movedTo: 1) == 0)
    #expect(queue.neighbour(of: queue.entries[0], movedTo: 3) == 3)
    #expect(queue.neighbour(of: queue.entries[0], movedTo: 2) == 2)
    #expect(queue.neighbour(of: queue.entries[1], movedTo: 2) == 2)
    #expect(queue.neighbour(of: queue.entries[1], movedTo: 4) == nil)
    #expect(try queue.entry("2").id == 2)
    #expect(try queue.entry("C").id == 3)
    #expect(throws: Failure.self) { try queue.entry("0") }
  }

  @Test func sources() {
    let sources = RendererSource.list(
      """
      <SourceList><Source><Name>Playlist</Name><Type>Playlist</Type><Visible>true</Visible></Source>\
      <Source><Name>Radio</Name><Type>Radio</Type><Visible>1</Visible></Source>\
      <Source><Name>UPnP AV</Name><Type>UpnpAv</Type><Visible>false</Visible></Source></SourceList>
      """)
    #expect(sources.map(\.isVisible) == [true, true, false])
    #expect(RendererSource.choose("radio", among: sources)?.index == 1)
    #expect(RendererSource.choose("up", among: sources)?.index == 2)
    #expect(RendererSource.choose("upnpav", among: sources)?.index == 2)
    #expect(RendererSource.choose("0", among: sources)?.name == "Playlist")
    #expect(RendererSource.choose("x", among: sources) == nil)
  }

  @Test func placesOnServers() {
    func server(_ name: String, _ udn: String) -> DeviceFacts {
      DeviceFacts(
        udn: udn, name: name, kind: .server, address: .v4(0xc000_0209), port: udn.utf8.count,
        addresses: [.v4(0xc000_0209)],
        url: "http://192.0.2.9:8200/rootDesc.xml")
    }
    let servers = [server("NAS", "a"), server("NAS: root", "bb"), server("Other", "ccc")]
    func place(_ text: String) -> (String, ServerPath.Place)? {
      ServerPath.parse(text, among: servers).map { ($0.server.udn, $0.place) }
    }
    #expect(place("NAS")?.0 == "a")
    #expect(place("NAS:64$1/2")! == ("a", .id("64$1/2")))
    #expect(place("nas: root/Music//Album")! == ("bb", .path(["Music", "Album"])))
    #expect(place("nas: root:0")! == ("bb", .id("0")))
    #expect(place("oth/x")! == ("ccc", .path(["x"])))
    #expect(place("x") == nil)
    #expect(place("192.0.2.9") == nil)
    func children(_ text: String, _ titles: String...) -> [String] {
      ServerPath.children(text, among: titles, title: \.self)
    }
    #expect(children("mus", "Music", "Video") == ["Music"])
    #expect(children("m", "Music", "Movies", "Video") == ["Music", "Movies"])
    #expect(children("music", "Music", "Music 2") == ["Music"])
    #expect(children("Live", "Live", "Studio", "Live") == ["Live", "Live"])
    #expect(children("live", "Live", "LIVE", "live") == ["live"])
    #expect(children("lIVE", "Live", "LIVE", "Live 2") == ["Live", "LIVE"])
    #expect(children("x", "Live").isEmpty)
  }

  @Test func whatToldNothingIsAsked() {
    var coverage = EventCoverage([.volume, .info])
    #expect(coverage.isIncomplete)
    coverage.take(.all([]), of: .volume)
    coverage.take(.changed([]), of: .info)
    #expect(!coverage.isIncomplete)
    coverage.take(.interrupted, of: .info)
    #expect(coverage.isIncomplete)
    coverage.take(.all([]), of: .info)
    #expect(!coverage.isIncomplete)
  }

  @Test func theLastListingIsKept() {
    var listing = LastListing()
    for title in ["a\tb", "c\n\\d", "é"] {
      var object = MediaObject(
        id: "i\t1", isContainer: title == "é", title: title, mediaClass: MediaClass("object.container\t"))
      object.parentID = "64$\n"
      listing.add(object, on: "u")
    }
    let read = LastListing(listing.text)
    #expect(read == listing)
    #expect(read[3]?.title == "é")
    #expect(read[1]?.parentID == "64$\n" && read[1]?.container == nil && read[3]?.container?.id == "i\t1")
    #expect(read.line("i\t1", on: "u") == read[1] && read.line("i\t1", on: "v") == nil)
    // As an earlier version wrote it.
    let old = LastListing("u\ti\tT\nu\tj\t\n")
    #expect(old[1] == .init(serverUDN: "u", id: "i", title: "T") && old[2]?.id == "j")
    // What is too long is cut, after a whole line.
    let cut = LastListing(listing.text(maximum: listing.text.utf8.count - 1))
    #expect(cut.lines == Array(listing.lines.dropLast()))
    #expect(listing.text(maximum: 3).isEmpty)
  }
}
