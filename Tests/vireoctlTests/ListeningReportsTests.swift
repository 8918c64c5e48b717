import Foundation
import Renderers
import Testing

@testable import vireoctl

/// What a Vireo says of its reports, and how people are told.
@Suite struct ListeningReportsTests {
  private static let text = """
    {"enabled": true, "clock": false, "pause": {"seconds": 3000}, "servers": [
      {"name": "listenbrainz", "address": "https://api.listenbrainz.org", "state": "waiting", "detail": "it answers 500",
       "next": 45, "waiting": 12, "lost": 1, "refused": 2}, {"name": "webhook", "state": "asleep"}],
     "sent": [{"server": "listenbrainz", "event": "heard", "title": "T", "artist": "A", "age": 130}]}
    """

  private func read(_ text: String) -> ListeningReports? { ListeningReports(reading: Array(text.utf8)) }

  @Test func theyAreRead() throws {
    let reports = try #require(read(Self.text))
    #expect(reports.isEnabled && !reports.isClockSet && reports.pause == .time(3000))
    #expect(reports.servers.map(\.name) == ["listenbrainz", "webhook"])
    #expect(reports.servers[0].state == .waiting && reports.servers[0].next == 45)
    #expect(reports.servers[1].state == nil && reports.servers[1].waiting == 0)
    #expect(reports.sent.first?.title == "T")
  }

  @Test func whatMakesNoSenseIsLeftOut() throws {
    for text in ["", "[]", "{}", "{\"enabled\": 1}"] { #expect(read(text) == nil) }
    let odd = try #require(
      read(#"{"enabled": false, "pause": {"album": "B", "seconds": -1}, "servers": [1, {}], "sent": 5}"#))
    #expect(odd.pause == .album("B") && odd.servers.isEmpty && odd.sent.isEmpty)
    let many = "{\"enabled\": true, \"sent\": [\(Array(repeating: "{}", count: 500).joined(separator: ","))]}"
    #expect(try #require(read(many)).sent.count == 64)
  }

  @Test func peopleAreTold() throws {
    let reports = try #require(read(Self.text))
    let lines = ReportsView.report(reports).lines(.plain)
    #expect(lines == ["listenbrainz\twaiting\t12\t3\tit answers 500; again in 45 s", "webhook\t?\t0\t0\t"])
    #expect(
      ReportsView.notes(reports) == [
        "paused for another 50 min", "the speaker's clock isn't set, so reports wait until it is",
        "last sent 2 min ago, to listenbrainz: heard, A – T",
      ])
    let json = ReportsView.report(reports).lines(.json).joined()
    #expect(
      json.hasPrefix(
        #"{"enabled": true, "clock": false, "pause": {"seconds": 3000}, "servers": [{"name": "listenbrainz","#
      ))
  }

  @Test func sessionsAreWrittenForTheirOwnerOnly() throws {
    let folder = NSTemporaryDirectory() + "/vireoctl-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/session"
    for key in ["first", "second"] {
      try SessionFile.write(key, to: path)
      #expect(try SessionFile.read(path) == key)
    }
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["session"])
    #expect(throws: Failure.self) { try SessionFile.write("a", to: folder + "/none/session") }
    #expect(throws: Failure.self) { try SessionFile.read(folder + "/none") }
  }
}
