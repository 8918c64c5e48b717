import ControlPoint
import Renderers
import Testing

@testable import vireoctl

/// Commands that change a queue, on a renderer that isn't one.
@Suite(.timeLimit(.minutes(2))) struct QueueTests {
  private func tracks(_ count: Int) -> [Playable] {
    (0..<count).map { Playable(object: MediaObject(address: "http://192.0.2.9/new\($0).flac")) }
  }

  private func put(
    _ count: Int, _ place: PlayPlace, in queue: FakeQueue, _ given: GivenTracks = GivenTracks()
  ) async throws -> (device: FakeDevice, json: String) {
    let device = queue.device()
    var json = ""
    try await device.with { session in
      json = try await Playing(device.renderer(session), given: given).put(tracks(count), place).json.text
    }
    return (device, json)
  }

  @Test(arguments: [Int.min, Int.min + 1, -1, 0, 3, Int(UInt32.max), Int.max])
  func extremeNumbersNameNothing(number: Int) {
    let queue = QueueList(
      entries: [QueueEntry(id: 7, uri: "a", metadata: ""), QueueEntry(id: 8, uri: "b", metadata: "")],
      current: 7)
    #expect(throws: Failure.self) { try queue.entry("\(number)") }
    #expect(queue.neighbour(of: queue.entries[0], movedTo: number) == nil)
    #expect(["a", "b"][number: number] == nil)
    #expect(LastListing()[number] == nil)
  }

  @Test func aTrackStandsBehindAnotherOne() {
    let ids = [5, 6, 7, 8]
    #expect((1...4).map { ids.predecessor(of: 6, movedTo: $0) } == [0, 5, 7, 8])
    #expect((1...4).map { ids.predecessor(of: 8, movedTo: $0) } == [0, 5, 6, 7])
    // A device that gives one id to all of them.
    #expect([5, 5, 5].predecessor(of: 5, movedTo: 3) == nil)
  }

  @Test func noMoreIsInsertedThanThereIsRoomFor() async throws {
    let queue = FakeQueue(["a", "b"], maximum: 4)
    let (device, json) = try await put(5, .now, in: queue)
    #expect(queue.uris == ["a", "http://192.0.2.9/new0.flac", "http://192.0.2.9/new1.flac", "b"])
    #expect(json.contains("new1") && !json.contains("new2"))
    // The first plays before the others are given, which may take long.
    #expect(device.actions.filter { ["Insert", "SeekId"].contains($0) } == ["Insert", "SeekId", "Insert"])
  }

  @Test func whatDoesNotGetThereInTimeIsLeftOut() async throws {
    let queue = FakeQueue(["a"])
    let device = queue.device()
    try await device.with { session in
      let remote = try await device.renderer(session).remote
      let tracks = (0..<5).map { RendererTrack(title: "", uri: "new\($0)", metadata: "") }
      let outcome = try await remote.put(tracks, .replace, until: .now)
      #expect(outcome == .queued([tracks[0]], room: nil, failure: nil))
    }
    #expect(queue.uris == ["new0"])
  }

  @Test func aFullQueueStaysAsItIs() async throws {
    let queue = FakeQueue(["a", "b"], maximum: 2)
    await #expect(throws: Failure.self) { try await put(1, .end, in: queue) }
    #expect(queue.uris == ["a", "b"])
    _ = try await put(3, .replace, in: queue)
    #expect(queue.uris == ["http://192.0.2.9/new0.flac", "http://192.0.2.9/new1.flac"])
  }

  @Test func whatWasInsertedIsPlayedAlthoughMoreIsRefused() async throws {
    let queue = FakeQueue([], refusing: 3)
    let (device, json) = try await put(5, .replace, in: queue)
    #expect(queue.uris == ["http://192.0.2.9/new0.flac", "http://192.0.2.9/new1.flac"])
    #expect(device.calls.last { $0.action == "SeekId" }?["Value"] == "100")
    #expect(json.contains("new1") && !json.contains("new2"))
    await #expect(throws: Failure.self) { try await put(2, .end, in: FakeQueue([], refusing: 1)) }
  }

  @Test func whatWasServedIsTakenOutAgain() async throws {
    let queue = FakeQueue(["a"])
    let given = GivenTracks()
    let device = queue.device()
    try await device.with { session in
      let renderer = try await device.renderer(session)
      _ = try await Playing(renderer, given: given).put(tracks(3), .end)
      // As after Ctrl-C.
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        await given.remove(from: renderer) { !$0.contains("new1") }
      }
      await task.value
    }
    #expect(queue.uris == ["a", "http://192.0.2.9/new1.flac"])
  }

  @Test func eachTrackIsRemovedOnce() async throws {
    let queue = FakeQueue(["a", "b", "c"])
    let device = queue.device()
    try await device.with { session in
      let command = try #require(
        try Vireoctl.parseAsRoot(["queue", "remove", "1", "1", "3"]) as? QueueRemoveCommand)
      let report = try await command.perform(session)
      #expect(report?.json.text.contains("\"removed\": 2") == true)
    }
    #expect(queue.uris == ["b"])
  }

  @Test func ambiguousTitlesAreRefused() throws {
    let entries = ["One", "Two", "two", "Twofold"].enumerated().map { index, title in
      QueueEntry(id: UInt32(index), uri: "http://192.0.2.9/\(title)", metadata: "")
    }
    let queue = QueueList(entries: entries, current: nil)
    #expect(try queue.entry("o").id == 0)
    #expect(try queue.entry("two").id == 2)
    do {
      _ = try queue.entry("TWO")
      Issue.record("one of two was chosen")
    } catch {
      let failure = try #require(error as? Failure)
      #expect(failure.status == .noInput && failure.hints == ["2  Two", "3  two"])
    }
    #expect(throws: Failure.self) { try queue.entry("5") }
    #expect(throws: Failure.self) { try queue.entry("x") }
  }

  @Test func theOwnTracksAreKnownByTheirIds() {
    let given = GivenTracks()
    given.add("http://192.0.2.9/a%20b.flac", id: nil)
    var status = PlayerStatus(renderer: "", udn: "")
    // It doesn't say what it plays.
    #expect(given.contains(status))
    status.uri = "http://192.0.2.9/a b.flac"
    #expect(given.contains(status))
    status.uri = "http://192.0.2.9/other.flac"
    #expect(!given.contains(status))
    status.givenURI = "http://192.0.2.9/a%20b.flac"
    #expect(given.contains(status))
    // The same address may be in the queue already.
    let queued = GivenTracks()
    queued.add("http://192.0.2.9/a%20b.flac", id: 7)
    status.trackID = 6
    #expect(!queued.contains(status))
    status.trackID = 7
    #expect(queued.contains(status))
  }

  @Test func seekingWhereNothingPlaysIsSaidPlainly() async throws {
    let device = FakeDevice(
      type: "urn:schemas-upnp-org:device:MediaRenderer:1",
      services: ["urn:schemas-upnp-org:service:AVTransport:1"]
    ) { call in
      switch call.action {
      case "GetTransportInfo":
        .results(["CurrentTransportState": "STOPPED", "CurrentTransportStatus": "OK", "CurrentSpeed": "1"])
      case "GetPositionInfo": .results(["TrackDuration": "0:03:00", "RelTime": "0:00:00"])
      default: .fault(804)
      }
    }
    try await device.with { session in
      let renderer = try await device.renderer(session)
      for target in [SeekTarget.absolute(5), .relative(10)] {
        await #expect(throws: Failure(.refused, "nothing is playing on Fake")) {
          try await renderer.seek(target)
        }
      }
    }
  }
}
