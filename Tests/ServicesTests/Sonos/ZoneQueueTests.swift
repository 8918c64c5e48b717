import DIDLLite
import Kept
import Player
import Testing
import UPnP
import XML

@testable import Services

@Suite struct ZoneQueueTests {
  private let zone = ZoneSpeaker()

  @Test func addsAtTheEndAndBetween() async throws {
    var added = try await zone.addTrack("a")
    #expect(added == ["FirstTrackNumberEnqueued": "1", "NumTracksAdded": "1", "NewQueueLength": "1"])
    try await zone.addTrack("b")
    added = try await zone.addTrack("c", at: 2)
    #expect(added["FirstTrackNumberEnqueued"] == "2")
    #expect(try await zone.titles("Q:0") == ["a", "c", "b"])
    added = try await zone.addTrack("d", at: 1)
    #expect(added["FirstTrackNumberEnqueued"] == "1")
    added = try await zone.addTrack("e", at: 99)
    #expect(added["FirstTrackNumberEnqueued"] == "5")
    added = try await zone.addTrack("f", asNext: true)
    #expect(added["FirstTrackNumberEnqueued"] == "6")
    #expect(try await zone.titles("Q:0") == ["d", "a", "c", "b", "e", "f"])
    #expect(try await zone.transportState == "STOPPED")
  }

  @Test func nextMeansNextWhileShuffling() async throws {
    try await zone.add("a", "b", "c", "d")
    try await zone.call(zone.transport, "SetPlayMode", ["NewPlayMode": "SHUFFLE_NOREPEAT"])
    try await zone.seek("TRACK_NR", "2")
    try await zone.play()
    let added = try await zone.addTrack("x", asNext: true)
    #expect(added["FirstTrackNumberEnqueued"] == "3")
    #expect(zone.state.nextTrack?.uri == "http://192.0.2.1/x.flac")
  }

  @Test func addsSeveral() async throws {
    try await zone.add("a")
    let documents = ["x", "y"].map(ZoneSpeaker.metadata).joined(separator: " ")
    let added = try await zone.call(
      zone.transport, "AddMultipleURIsToQueue",
      [
        "UpdateID": "0", "NumberOfURIs": "2", "EnqueuedURIs": "http://192.0.2.1/x http://192.0.2.1/y",
        "EnqueuedURIsMetaData": documents, "ContainerURI": "", "ContainerMetaData": "",
        "DesiredFirstTrackNumberEnqueued": "1", "EnqueueAsNext": "0",
      ])
    #expect(added["FirstTrackNumberEnqueued"] == "1")
    #expect(added["NumTracksAdded"] == "2")
    #expect(try await zone.titles("Q:0") == ["x", "y", "a"])
  }

  @Test(arguments: [
    ("x-rincon-mp3radio://http://192.0.2.1/s", 714), ("{uri}", 714), ("x-file-cifs://nas/a", 714),
    ("x-rincon-playlist:RINCON_1#A:ALBUM/x", 716), ("file:///jffs/settings/savedqueues.rsq#9", 716),
  ])
  func refuses(_ uri: String, _ code: Int) async throws {
    #expect(
      try await zone.fault(zone.transport, "AddURIToQueue", ["EnqueuedURI": uri, "EnqueuedURIMetaData": ""])
        == code)
  }

  @Test func aFullQueueSaysSo() async throws {
    let zone = ZoneSpeaker(configuration: PlayerConfiguration(tracksMax: 1))
    try await zone.add("a")
    #expect(
      try await zone.fault(
        zone.transport, "AddURIToQueue", ["EnqueuedURI": "http://192.0.2.1/b", "EnqueuedURIMetaData": ""])
        == 709)
  }

  @Test func removes() async throws {
    try await zone.add("a", "b", "c", "d")
    try await zone.call(zone.transport, "RemoveTrackFromQueue", ["ObjectID": "Q:0/2"])
    #expect(try await zone.titles("Q:0") == ["a", "c", "d"])
    let before = zone.playback.queueUpdateID
    let answer = try await zone.call(
      zone.transport, "RemoveTrackRangeFromQueue", ["StartingIndex": "2", "NumberOfTracks": "2"])
    #expect(UInt32(answer["NewUpdateID"] ?? "") ?? 0 > before)
    #expect(try await zone.titles("Q:0") == ["a"])
    #expect(try await zone.fault(zone.transport, "RemoveTrackFromQueue", ["ObjectID": "Q:0/2"]) == 402)
    try await zone.call(zone.transport, "RemoveAllTracksFromQueue")
    // Controllers would take an error for one.
    try await zone.call(zone.transport, "RemoveAllTracksFromQueue")
    #expect(try await zone.titles("Q:0") == [])
  }

  @Test func reordersWithoutRestart() async throws {
    try await zone.add("a", "b", "c")
    try await zone.play()
    let requests = zone.speaker.output.requests.count
    try await zone.call(
      zone.transport, "ReorderTracksInQueue",
      ["StartingIndex": "1", "NumberOfTracks": "1", "InsertBefore": "4", "UpdateID": "0"])
    #expect(try await zone.titles("Q:0") == ["b", "c", "a"])
    #expect(try await zone.track == "3")
    #expect(
      !zone.speaker.output.requests.dropFirst(requests).contains {
        if case .start = $0 { true } else { false }
      })
    #expect(
      try await zone.fault(
        zone.transport, "ReorderTracksInQueue",
        ["StartingIndex": "3", "NumberOfTracks": "2", "InsertBefore": "1", "UpdateID": "0"]) == 402)
  }

  // MARK: The service Queue

  @Test func theOtherServiceHasTheSameQueue() async throws {
    let added = try await zone.call(
      zone.queue, "AddURI",
      ["QueueID": "0", "EnqueuedURI": "http://192.0.2.1/a", "EnqueuedURIMetaData": ZoneSpeaker.metadata("a")])
    #expect(added["NewUpdateID"] == zone.evented(zone.queue, "UpdateID"))
    try await zone.add("b", "c")
    let page = try await zone.call(
      zone.queue, "Browse", ["QueueID": "0", "StartingIndex": "1", "RequestedCount": "1"])
    #expect(page["NumberReturned"] == "1")
    #expect(page["TotalMatches"] == "3")
    #expect(DIDL.items(page["Result"] ?? "").first?.title == "b")
    try await zone.call(
      zone.queue, "ReorderTracks",
      ["QueueID": "0", "StartingIndex": "3", "NumberOfTracks": "1", "InsertBefore": "1", "UpdateID": "0"])
    #expect(try await zone.titles("Q:0") == ["c", "a", "b"])
    #expect(try await zone.fault(zone.queue, "RemoveAllTracks", ["QueueID": "1"]) == 800)
    try await zone.call(zone.queue, "RemoveAllTracks", ["QueueID": "0"])
    #expect(zone.state.playlist.isEmpty)
  }

  // MARK: Stored playlists

  private func create(_ title: String) async throws -> String {
    let answer = try await zone.call(
      zone.transport, "CreateSavedQueue", ["Title": title, "EnqueuedURI": "", "EnqueuedURIMetaData": ""])
    return try #require(answer["AssignedObjectID"])
  }

  private func addTo(_ id: String, _ name: String, at index: UInt32 = .max) async throws -> [String: String] {
    try await zone.call(
      zone.transport, "AddURIToSavedQueue",
      [
        "ObjectID": id, "UpdateID": "0", "EnqueuedURI": "http://192.0.2.1/\(name)",
        "EnqueuedURIMetaData": ZoneSpeaker.metadata(name), "AddAtIndex": String(index),
      ])
  }

  private func reorder(_ id: String, _ tracks: String, _ positions: String) async throws -> [String: String] {
    try await zone.call(
      zone.transport, "ReorderTracksInSavedQueue",
      ["ObjectID": id, "UpdateID": "0", "TrackList": tracks, "NewPositionList": positions])
  }

  @Test func editsStoredPlaylists() async throws {
    let id = try await create("Evening")
    #expect(id == "SQ:1")
    #expect(try await zone.titles("SQ:") == ["Evening"])
    for (index, name) in ["a", "b", "c", "d"].enumerated() {
      let added = try await addTo(id, name)
      #expect(added["NumTracksAdded"] == "1")
      #expect(added["NewQueueLength"] == String(index + 1))
    }
    let updateID = try await addTo(id, "front", at: 0)["NewUpdateID"]
    #expect(try await zone.titles(id) == ["front", "a", "b", "c", "d"])
    var answer = try await reorder(id, "0", "")
    #expect(answer["QueueLengthChange"] == "-1")
    #expect(answer["NewQueueLength"] == "4")
    #expect(UInt32(answer["NewUpdateID"] ?? "") ?? 0 > UInt32(updateID ?? "") ?? 0)
    answer = try await reorder(id, "3,2,1,0", "0,1,2,3")
    #expect(answer["QueueLengthChange"] == "0")
    #expect(try await zone.titles(id) == ["d", "c", "b", "a"])
    _ = try await reorder(id, "0,2", ",0")
    #expect(try await zone.titles(id) == ["b", "c", "a"])
    #expect(
      try await zone.fault(
        zone.transport, "ReorderTracksInSavedQueue",
        ["ObjectID": id, "UpdateID": "0", "TrackList": "7", "NewPositionList": "0"]) == 402)
    #expect(
      try await zone.fault(
        zone.transport, "AddURIToSavedQueue",
        [
          "ObjectID": "SQ:9", "UpdateID": "0", "EnqueuedURI": "http://192.0.2.1/x", "EnqueuedURIMetaData": "",
          "AddAtIndex": "0",
        ]) == 701)
  }

  @Test func savesTheQueueAndFillsItAgain() async throws {
    try await zone.add("a", "b")
    let saved = try await zone.call(zone.transport, "SaveQueue", ["Title": "Mine", "ObjectID": ""])
    let id = try #require(saved["AssignedObjectID"])
    #expect(try await zone.titles(id) == ["a", "b"])
    // A controller thinks that names are free.
    let other = try await zone.call(zone.transport, "SaveQueue", ["Title": "Mine", "ObjectID": ""])
    #expect(other["AssignedObjectID"] != id)
    try await zone.add("c")
    #expect(
      try await zone.call(zone.transport, "SaveQueue", ["Title": "Mine", "ObjectID": id])["AssignedObjectID"]
        == id)
    #expect(try await zone.titles(id) == ["a", "b", "c"])
    try await zone.call(zone.transport, "RemoveAllTracksFromQueue")
    let uri = "file:///jffs/settings/savedqueues.rsq#\(id.dropFirst(3))"
    let added = try await zone.call(
      zone.transport, "AddURIToQueue",
      ["EnqueuedURI": uri, "EnqueuedURIMetaData": ZoneSpeaker.metadata("Mine")])
    #expect(added["NumTracksAdded"] == "3")
    #expect(zone.evented(zone.transport, "r:EnqueuedTransportURI") == uri)
    #expect(
      zone.evented(zone.transport, "r:EnqueuedTransportURIMetaData") == ZoneSpeaker.metadata("Mine"))
    // Whoever empties it.
    try zone.speaker.player.changeZone(.playlist(.deleteEach(zone.state.playlist.tracks.ids)))
    #expect(zone.evented(zone.transport, "r:EnqueuedTransportURI") == zone.queueURI)
  }
}
