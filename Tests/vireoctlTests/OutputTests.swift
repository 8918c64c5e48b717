import ControlPoint
import Foundation
import Network
import Renderers
import Testing
import UPnP

@testable import vireoctl

@Suite struct OutputTests {
  @Test func controlCharactersNeverReachATerminal() {
    let hostile = "a\u{1b}[31mb\u{7}\n\u{9b}c\u{202e}d\u{2028}e\t\u{e0041}"
    let clean = TerminalText.clean(hostile)
    #expect(clean == "a\u{fffd}[31mb\u{fffd} \u{fffd}c\u{fffd}d e \u{fffd}")
    let report = Report(json: .string(hostile), body: .lines([hostile], plain: [hostile]))
    for style in [OutputStyle.plain, .json, .terminal(width: 80, isStyled: false)] {
      for line in report.lines(style) {
        #expect(
          line.unicodeScalars.allSatisfy {
            $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) && $0 != "\u{202e}"
          })
      }
    }
  }

  @Test func onlyPeopleAreShownLess() {
    let long = String(repeating: "x", count: 5000)
    let report = Report(
      json: .string(long), body: .fields([.init(name: "Value", value: long)]))
    #expect(report.lines(.plain) == ["Value: \(long)"])
    #expect(report.lines(.json) == ["\"\(long)\""])
    #expect(report.lines(.terminal(width: 80, isStyled: false))[0].count == TerminalText.limit + 1)
    #expect(Report.lines([long], json: .null).lines(.plain) == [long])
  }

  @Test func widths() {
    #expect(TerminalText.width("Björk") == 5)
    #expect(TerminalText.width("e\u{301}") == 1)
    #expect(TerminalText.width("音楽") == 4)
    #expect(TerminalText.fitted("音楽家", to: 5) == "音楽…")
    #expect(TerminalText.fitted("abc", to: 3) == "abc")
    #expect(TerminalText.fitted("abcd", to: 3) == "ab…")
  }

  @Test func tables() {
    var table = Table(["NAME", "N"], rightAligned: [1])
    table.add(["a\tb", "1"])
    table.add([nil, "20"])
    #expect(table.plain == ["a b\t1", "\t20"])
    #expect(table.lines(width: 80) == ["NAME   N", "a b    1", "      20"])
    #expect(Table(["NAME"]).lines(width: 80).isEmpty)
    var wide = Table(["A", "B", "C"])
    wide.add([String(repeating: "a", count: 100), String(repeating: "b", count: 60), "c"])
    for width in 40...200 {
      #expect(wide.lines(width: width).allSatisfy { TerminalText.width($0) <= width }, "\(width)")
    }
  }

  @Test func linesThatComeOneByOneAreInColumns() {
    let facts = { (name: String) in
      DeviceFacts(
        udn: "u", name: name, kind: .server, address: .v4(0xc000_0209), port: 1, addresses: [],
        url: "http://192.0.2.9:1/")
    }
    for width in [60, 80, 200] {
      let style = OutputStyle.terminal(width: width, isStyled: false)
      let lines = [
        DeviceList.lines([.init(facts("A"), secondsAgo: 0)], style, hasHeadings: true),
        DeviceList.lines(
          [.init(facts(String(repeating: "long ", count: 20)), secondsAgo: 0)], style, hasHeadings: false),
      ].flatMap(\.self)
      #expect(lines.count == 3 && lines.allSatisfy { TerminalText.width($0) <= width }, "\(lines)")
      let columns = lines.map { line in line.firstRange(of: "server")?.lowerBound.utf16Offset(in: line) }
      #expect(columns[1] == columns[2] && columns[1] != nil, "\(lines)")
    }
  }

  @Test func json() {
    let value = JSON.members([
      "a": .string("\"\\\n\u{1}\u{1b}é\u{2028}\u{e0041}\u{feff}"), "b": .number(-1),
      "c": .array([.null, true]), "d": nil,
      "e": .decimal(.nan),
    ])
    #expect(
      value.text
        == #"{"a": "\"\\\n\u0001\u001bé\u2028\udb40\udc41\ufeff", "b": -1, "c": [null, true], "e": null}"#)
  }

  @Test func status() {
    var status = PlayerStatus(renderer: "Kitchen", udn: "x")
    status.state = PlayerStatus.State(wire: "PAUSED_PLAYBACK")
    (status.title, status.artist, status.position, status.duration, status.volume) = (
      "T\u{1b}", "A", 61, 200, 30
    )
    #expect(status.report.lines(.plain) == ["Paused"])
    let lines = status.report.lines(.terminal(width: 80, isStyled: false))
    #expect(lines == ["Paused", "  A – T\u{fffd}", "  1:01 / 3:20", "  Kitchen, volume 30"])
    status.page = "http://192.0.2.7:49494/"
    #expect(
      status.report.lines(.terminal(width: 80, isStyled: false)).last == "  http://192.0.2.7:49494/")
    #expect(status.formatted("{page}") == "http://192.0.2.7:49494/")
    #expect(status.report.lines(.plain) == ["Paused"])
    #expect(status.formatted("{artist} – {position} {nothing}{album}{") == "A – 1:01 {nothing}{")
    for (wire, state) in [
      ("Playing", "Playing"), ("TRANSITIONING", "Buffering"), ("Waiting", "Buffering"),
      ("NO_MEDIA_PRESENT", "Stopped"),
      ("junk", "Stopped"), ("PLAYING", "Playing"), ("Buffering", "Buffering"),
    ] {
      #expect(PlayerStatus.State(wire: wire).rawValue == state)
    }
  }

  @Test func devicesAreListedWithTheirPages() {
    var device = DeviceFacts(
      udn: "u", name: "Kitchen", kind: .renderer, address: .v4(0xc000_0207), port: 49494, addresses: [],
      url: "http://192.0.2.7:49494/d.xml", model: "Vireo")
    device.page = "http://192.0.2.7:49494/"
    let entries = [DeviceList.Entry(device, secondsAgo: 0)]
    let report = DeviceList.report(entries)
    let plain = ["Kitchen\trenderer\tVireo\t192.0.2.7\tnow\tu\thttp://192.0.2.7:49494/"]
    #expect(report.lines(.plain) == plain)
    #expect(DeviceList.lines(entries, .plain, hasHeadings: true) == plain)
    let lines = DeviceList.lines(entries, .terminal(width: 60, isStyled: false), hasHeadings: false)
    #expect(lines.count == 2 && lines.last == "  http://192.0.2.7:49494/")
    #expect(report.lines(.json)[0].contains(#""page": "http://192.0.2.7:49494/""#))
  }

  @Test func exitStatuses() {
    #expect(Failure(.timeout, from: "x").status == .timedOut)
    #expect(Failure(.unreachable, from: "x").status == .unreachable)
    #expect(Failure(.malformed, from: "x").status == .nonsense)
    #expect(Failure(.status(403), from: "x").status == .notAllowed)
    #expect(Failure(.status(401), from: "x").status == .notAllowed)
    #expect(Failure(.fault(UPnPError(code: 606, description: "")), from: "x").status == .notAllowed)
    #expect(Failure(.status(500), from: "x").status == .nonsense)
    #expect(Failure(.fault(.invalidAction), from: "x").status == .refused)
  }

  @Test func whatCannotBeWrittenIsAFailure() throws {
    let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
    defer { close(full) }
    do {
      try Output.write("text", to: full)
      Issue.record("it was written")
    } catch {
      let failure = try #require(error as? Failure)
      #expect(failure.status == .software && failure.message.hasPrefix("can't write"))
    }
    var ends: [CInt] = [0, 0]
    #expect(pipe(&ends) == 0)
    close(ends[0])
    defer { close(ends[1]) }
    signal(SIGPIPE, SIG_IGN)
    #expect(throws: Failure(.interrupted, "nobody reads")) { try Output.write("text", to: ends[1]) }
  }

  @Test func aPipeThatDoesNotWaitGetsEverything() async throws {
    var ends: [CInt] = [0, 0]
    #expect(pipe(&ends) == 0)
    let (input, output) = (ends[0], ends[1])
    #expect(fcntl(output, F_SETFL, O_NONBLOCK) == 0)
    let text = String(repeating: "0123456789abcdef", count: 64 * 1024)
    // A thread of its own: tasks that wait for each other may have no more than one thread.
    let (counts, told) = AsyncStream<Int>.makeStream()
    Thread.detachNewThread {
      var count = 0
      var piece = [UInt8](repeating: 0, count: 4096)
      while case let read = read(input, &piece, piece.count), read > 0 { count += read }
      close(input)
      told.yield(count)
    }
    try Output.write(text, to: output)
    close(output)
    #expect(await counts.first { _ in true } == text.utf8.count)
    // While nobody reads, Ctrl-C ends it.
    #expect(pipe(&ends) == 0)
    let (unread, full) = (ends[0], ends[1])
    #expect(fcntl(full, F_SETFL, O_NONBLOCK) == 0)
    let writer = Task.detached { try Output.write(text, to: full) }
    writer.cancel()
    await #expect(throws: Failure.self) { try await writer.value }
    close(unread)
    close(full)
  }

  private struct Shelf: ContentSource {
    let count: Int

    func browse(children container: String, _ request: Listing.Request) async throws(ActionFailure)
      -> BrowseAnswer
    {
      guard request.start < count else { throw .timeout }
      let items = (request.start..<request.start + request.count).map { number in
        "<item id=\"\(number)\"><dc:title>\(number)</dc:title></item>"
      }
      return BrowseAnswer(
        result: "<DIDL-Lite>\(items.joined())</DIDL-Lite>", numberReturned: UInt32(items.count),
        totalMatches: 10_000)
    }
    func browse(metadata object: String) async throws(ActionFailure) -> BrowseAnswer { throw .malformed }
    func search(_ container: String, _ criteria: SearchCriteria, _ request: Listing.Request)
      async throws(ActionFailure) -> BrowseAnswer
    { throw .malformed }
    func searchCapabilities() async throws(ActionFailure) -> String { "" }
    func sortCapabilities() async throws(ActionFailure) -> String { "" }
  }

  @Test func aListingThatCannotBeWrittenIsNoInterruption() async throws {
    let server = DeviceFacts(
      udn: "u", name: "NAS", kind: .server, address: .v4(0xc000_0209), port: 1, addresses: [],
      url: "http://192.0.2.9:1/")
    let pages = MediaLibrary(Shelf(count: 400)).pages(of: "0")
    var printer = ListingPrinter(.plain, namesServers: false)
    await #expect(throws: Failure(.software, "full")) {
      _ = try await printer.print(pages, of: server) { _ in throw Failure(.software, "full") }
    }
    #expect(printer.last[1]?.title == "0")
    // The document of a listing that breaks off stays one.
    var other = ListingPrinter(.json, namesServers: false)
    var text = ""
    await #expect(throws: Failure(.timedOut, "NAS didn't answer in time")) {
      _ = try await other.print(pages, of: server) { text += $0 }
    }
    #expect(text.filter { $0 == "{" }.count == 400 && text.hasSuffix("]\n"))
  }

  @Test func thePagesOfAListingHaveTheSameColumns() {
    let server = DeviceFacts(
      udn: "u", name: "NAS", kind: .server, address: .v4(0xc000_0209), port: 1, addresses: [],
      url: "http://192.0.2.9:1/")
    func object(_ title: String, _ artist: String) -> MediaObject {
      var object = MediaObject(
        id: "i", isContainer: false, title: title, mediaClass: MediaClass("object.item.audioItem"))
      object.artist = artist
      return object
    }
    for width in [60, 80, 200] {
      var printer = ListingPrinter(.terminal(width: width, isStyled: false), namesServers: false)
      let lines = [
        printer.text([object("short", "Xx")], of: server),
        printer.text([object(String(repeating: "long ", count: 20), "Xx and others")], of: server),
        printer.text([object("short", "Xx"), object("a little longer", "Xx")], of: server),
      ].joined().split(separator: "\n")
      #expect(lines.count == 5 && lines.allSatisfy { TerminalText.width(String($0)) <= width })
      let columns = lines.dropFirst().map { line in
        line.firstRange(of: "Xx").map { TerminalText.width(String(line[..<$0.lowerBound])) }
      }
      #expect(Set(columns).count == 1 && columns[0] != nil, "\(lines)")
    }
  }

  @Test func listingsOfManyPagesAreOneDocument() {
    let server = DeviceFacts(
      udn: "u", name: "NAS", kind: .server, address: .v4(0xc000_0209), port: 1, addresses: [],
      url: "http://192.0.2.9:1/")
    func object(_ title: String) -> MediaObject {
      MediaObject(id: "i", isContainer: false, title: title, mediaClass: MediaClass("object.item.audioItem"))
    }
    var printer = ListingPrinter(.json, namesServers: false)
    let text =
      printer.text([object("a"), object("b")], of: server) + printer.text([object("c")], of: server)
      + printer.end
    #expect(text.filter { $0 == "{" }.count == 3)
    #expect(text.first == "[" && text.hasSuffix("]\n"))
    #expect(ListingPrinter(.json, namesServers: false).end == "[]\n")
    var people = ListingPrinter(.terminal(width: 80, isStyled: false), namesServers: false)
    #expect(people.text([object("a")], of: server).split(separator: "\n").count == 2)
    #expect(people.text([object("b")], of: server).split(separator: "\n").count == 1)
    #expect(people.last[2]?.title == "b")
    #expect(people.last[3] == nil)
  }
}
