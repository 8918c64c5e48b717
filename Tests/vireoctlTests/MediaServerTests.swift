import ControlPoint
import Testing

@testable import vireoctl

/// What is played of a media server whose faults are known.
@Suite(.timeLimit(.minutes(2))) struct MediaServerTests {
  private static func track(_ id: String, in parent: String) -> String {
    "<item id=\"\(id)\" parentID=\"\(parent)\"><dc:title>\(id)</dc:title><upnp:class>object.item.audioItem</upnp:class>"
      + "<res protocolInfo=\"http-get:*:audio/flac:*\">http://127.0.0.1/\(id).flac</res></item>"
  }

  /// A server whose root has the folders `c` and twice `Live`, with two tracks in each.
  private func device(tellsOfObjects: Bool) -> FakeDevice {
    FakeDevice(
      type: "urn:schemas-upnp-org:device:MediaServer:1",
      services: ["urn:schemas-upnp-org:service:ContentDirectory:1"]
    ) { call in
      let id = call["ObjectID"]
      guard call.action == "Browse" else { return .fault(401) }
      if call["BrowseFlag"] == "BrowseMetadata", !tellsOfObjects { return .fault(501) }
      let objects: [String] =
        switch (call["BrowseFlag"], id) {
        case ("BrowseMetadata", _) where id.contains("-"): [Self.track(id, in: String(id.prefix(1)))]
        case ("BrowseMetadata", _): ["<container id=\"0\"><dc:title>root</dc:title></container>"]
        case (_, "0"):
          [("c", "c"), ("d", "Live"), ("e", "Live")].map { id, title in
            "<container id=\"\(id)\" parentID=\"0\"><dc:title>\(title)</dc:title></container>"
          }
        case (_, "c"), (_, "d"), (_, "e"): (1...2).map { Self.track("\(id)-\($0)", in: id) }
        default: []
        }
      guard !objects.isEmpty else { return .fault(701) }
      let page = objects.dropFirst(Int(call["StartingIndex"]) ?? 0)
      return .results([
        "Result": "<DIDL-Lite>\(page.joined())</DIDL-Lite>", "NumberReturned": "\(page.count)",
        "TotalMatches": "\(objects.count)", "UpdateID": "1",
      ])
    }
  }

  private func with(
    tellsOfObjects: Bool, _ body: (MediaServer, FakeDevice) async throws -> Void
  ) async throws {
    let device = device(tellsOfObjects: tellsOfObjects)
    try await device.with { session in
      let found = try #require(try await session.controlPoint.devices(at: device.url).first)
      try await body(try MediaServer(found, session), device)
    }
  }

  private func line(_ id: String, isContainer: Bool, parent: String) -> LastListing.Line {
    LastListing.Line(
      serverUDN: "fake", id: id, parentID: parent, isContainer: isContainer,
      mediaClass: isContainer ? "object.container" : "object.item.audioItem", title: id)
  }

  @Test(arguments: [true, false]) func whatWasListedIsPlayed(tellsOfObjects: Bool) async throws {
    try await with(tellsOfObjects: tellsOfObjects) { server, device in
      let folder = try await server.object(line("c", isContainer: true, parent: "0"))
      #expect(device.actions.isEmpty, "of a folder, only its children are asked for")
      #expect(try await server.playables(folder).map(\.object.id) == ["c-1", "c-2"])
      #expect(try await server.playables(folder).first?.source.map(\.description) == ["127.0.0.1"])
      let track = try await server.object(line("c-2", isContainer: false, parent: "c"))
      #expect(track.id == "c-2" && track.resources.count == 1)
      do {
        _ = try await server.object(line("c-3", isContainer: false, parent: "x"))
        #expect(tellsOfObjects)
      } catch { #expect((error as? Failure)?.status == .refused && !tellsOfObjects) }
    }
  }

  @Test func anIdIsAFolderIfItHasChildren() async throws {
    try await with(tellsOfObjects: false) { server, _ in
      #expect(try await server.object(at: .id("0")).isContainer)
      let folder = try await server.object(at: .id("c"))
      #expect(folder.isContainer && folder.id == "c")
      await #expect(throws: Failure.self) { try await server.object(at: .id("nothing")) }
    }
    try await with(tellsOfObjects: true) { server, _ in
      // It answers with the root.
      await #expect(throws: Failure(.noInput, "Fake has no object \"nothing\"")) {
        try await server.object(at: .id("nothing"))
      }
    }
  }

  @Test func ambiguousTitlesAreRefused() async throws {
    try await with(tellsOfObjects: true) { server, _ in
      #expect(try await server.object(at: .path(["c", "c-1"])).id == "c-1")
      do {
        _ = try await server.object(at: .path(["live"]))
        Issue.record("one of two was chosen")
      } catch {
        let failure = try #require(error as? Failure)
        #expect(failure.status == .noInput && failure.hints == ["Fake:d  Live", "Fake:e  Live"])
      }
      await #expect(throws: Failure.self) { try await server.object(at: .path(["x"])) }
    }
  }
}
