import DIDLLite
import Player
import Testing
import UPnP
import XML

@testable import Services

@Suite struct ZoneTransportTests {
  private let zone = ZoneSpeaker()

  @Test func anEmptyQueueIsSelectedAndCantPlay() async throws {
    let media = try await zone.call(zone.transport, "GetMediaInfo")
    #expect(media["CurrentURI"] == zone.queueURI)
    #expect(media["NrTracks"] == "0")
    #expect(media["NextURI"] == "")
    #expect(media["RecordMedium"] == "NOT_IMPLEMENTED")
    #expect(try await zone.transportState == "STOPPED")
    #expect(try await zone.fault(zone.transport, "Play", ["Speed": "1"]) == 701)
    #expect(try await zone.fault(zone.transport, "Pause") == 701)
    let position = try await zone.call(zone.transport, "GetPositionInfo")
    #expect(position["Track"] == "0")
    #expect(position["TrackDuration"] == "0:00:00")
    #expect(position["TrackMetaData"] == "")
  }

  @Test func playsTheQueue() async throws {
    try await zone.add("a", "b", "c")
    try await zone.call(zone.transport, "Play", ["Speed": "1"])
    #expect(try await zone.transportState == "TRANSITIONING")
    zone.speaker.hear()
    #expect(try await zone.transportState == "PLAYING")
    #expect(try await zone.track == "1")
    let position = try await zone.call(zone.transport, "GetPositionInfo")
    #expect(position["TrackURI"] == "http://192.0.2.1/a.flac")
    let item = try #require(DIDL.items(position["TrackMetaData"] ?? "").first)
    #expect(item.title == "a")
    #expect(item.artist == "Singer")
    #expect(item.album == "Album & more")
    try await zone.call(zone.transport, "Next")
    zone.speaker.hear()
    #expect(try await zone.track == "2")
    #expect(try await zone.transportState == "PLAYING")
    try await zone.call(zone.transport, "Previous")
    #expect(try await zone.track == "1")
    #expect(try await zone.fault(zone.transport, "Previous") == 711)
    try await zone.seek("TRACK_NR", "3")
    #expect(try await zone.fault(zone.transport, "Next") == 711)
    try await zone.call(zone.transport, "Stop")
    #expect(try await zone.transportState == "STOPPED")
    #expect(try await zone.track == "3")
  }

  @Test func pausesAndGoesOn() async throws {
    try await zone.add("a")
    try await zone.play()
    zone.speaker.clock.advance(seconds: 75)
    try await zone.call(zone.transport, "Pause")
    #expect(try await zone.transportState == "PAUSED_PLAYBACK")
    #expect(try await zone.value("GetPositionInfo", "RelTime") == "0:01:15")
    try await zone.call(zone.transport, "Play", ["Speed": "1"])
    #expect(try await zone.transportState == "PLAYING")
  }

  @Test func pausedIsPausedBeforeAnythingWasHeard() async throws {
    try await zone.add("a")
    try await zone.call(zone.transport, "Play", ["Speed": "1"])
    #expect(try await zone.transportState == "TRANSITIONING")
    try await zone.call(zone.transport, "Pause")
    #expect(try await zone.transportState == "PAUSED_PLAYBACK")
    try await zone.call(zone.transport, "Play", ["Speed": "1"])
    #expect(try await zone.transportState == "TRANSITIONING")
  }

  @Test(arguments: [
    // Two controllers put a title in as it is.
    (
      #"<DIDL-Lite xmlns:dc="d"><item id="1" parentID="0"><dc:title>A & B</dc:title></item></DIDL-Lite>"#,
      "A & B"
    ),
    (#"<DIDL-Lite xmlns:dc="d"><item><dc:title>Song</dc:title></item></DIDL-Lite>"#, "Song"),
    ("<DIDL-Lite></DIDL-Lite>", nil), ("{metadata}", nil), ("", nil),
  ])
  func metadataThatOthersCouldNotReadIsWrittenAnew(_ sent: String, _ title: String?) async throws {
    try await zone.setURI("http://192.0.2.1/clip.mp3", sent)
    for metadata in [
      try await zone.value("GetMediaInfo", "CurrentURIMetaData"),
      zone.evented(zone.transport, "AVTransportURIMetaData"),
      zone.evented(zone.transport, "r:EnqueuedTransportURIMetaData"),
    ] {
      let metadata = try #require(metadata)
      #expect(metadata.isEmpty == (title == nil))
      guard let title else { continue }
      let limits = XMLTree.Limits(bytes: 10_000, elements: 20)
      let item = try #require(XMLTree.readStrictly(metadata, limits: limits)?.child("item"))
      #expect(item.text(of: "title") == title)
      #expect(item.text(of: "class") != nil)
      #expect(item.attributes["id"] != nil)
      #expect(item.attributes["parentID"] != nil)
    }
  }

  @Test func metadataThatOthersCanReadStaysAsItWasSent() async throws {
    let sent = ZoneSpeaker.metadata("A & B")
    try await zone.setURI("http://192.0.2.1/clip.mp3", sent)
    #expect(try await zone.value("GetMediaInfo", "CurrentURIMetaData") == sent)
  }

  @Test func playOfWhatPlaysDoesNothing() async throws {
    try await zone.add("a")
    try await zone.play()
    zone.speaker.clock.advance(seconds: 9)
    try await zone.call(zone.transport, "Play", ["Speed": "1"])
    #expect(try await zone.value("GetPositionInfo", "RelTime") == "0:00:09")
  }

  @Test func seeksWhileStoppedAndPlaying() async throws {
    try await zone.add("a", "b")
    try await zone.seek("TRACK_NR", "2")
    try await zone.seek("REL_TIME", "00:00:30")
    #expect(try await zone.transportState == "STOPPED")
    #expect(try await zone.track == "2")
    #expect(try await zone.value("GetPositionInfo", "RelTime") == "0:00:30")
    try await zone.seek("TIME_DELTA", "-00:00:10")
    #expect(try await zone.value("GetPositionInfo", "RelTime") == "0:00:20")
    try await zone.seek("TIME_DELTA", "-00:10:00")
    #expect(try await zone.value("GetPositionInfo", "RelTime") == "0:00:00")
    try await zone.seek("TIME_DELTA", "+0:00:05")
    #expect(try await zone.value("GetPositionInfo", "RelTime") == "0:00:05")
    try await zone.call(zone.transport, "Play", ["Speed": "1"])
    #expect(
      zone.speaker.output.requests.contains {
        if case .start(_, let media, let position, false) = $0 {
          media.uri == "http://192.0.2.1/b.flac" && position == .seconds(5)
        } else {
          false
        }
      })
  }

  @Test(arguments: [
    ("TRACK_NR", "0", 711), ("TRACK_NR", "3", 711), ("TRACK_NR", "x", 711), ("REL_TIME", "x", 711),
    ("TIME_DELTA", "x", 711), ("SECTION", "1", 710),
  ])
  func refusesSeeks(_ unit: String, _ target: String, _ code: Int) async throws {
    try await zone.add("a", "b")
    #expect(try await zone.fault(zone.transport, "Seek", ["Unit": unit, "Target": target]) == code)
  }

  // MARK: Other sources

  @Test func anAnnouncementLeavesTheQueueAsItWas() async throws {
    try await zone.add("a", "b")
    try await zone.seek("TRACK_NR", "2")
    try await zone.play()
    let uri = "http://192.0.2.1/say.mp3?a=1&b=2"
    try await zone.setURI(uri, ZoneSpeaker.metadata("Say"))
    #expect(try await zone.transportState == "STOPPED")
    var media = try await zone.call(zone.transport, "GetMediaInfo")
    #expect(media["CurrentURI"] == uri)
    #expect(media["NrTracks"] == "1")
    #expect(try await zone.track == "1")
    #expect(try await zone.value("GetPositionInfo", "TrackURI") == uri)
    #expect(try await zone.fault(zone.transport, "SetPlayMode", ["NewPlayMode": "SHUFFLE"]) == 712)
    #expect(try await zone.fault(zone.transport, "Seek", ["Unit": "TRACK_NR", "Target": "1"]) == 701)
    try await zone.play()
    #expect(try await zone.transportState == "PLAYING")
    try await zone.setURI(zone.queueURI)
    #expect(try await zone.transportState == "STOPPED")
    media = try await zone.call(zone.transport, "GetMediaInfo")
    #expect(media["CurrentURI"] == zone.queueURI)
    #expect(media["NrTracks"] == "2")
    #expect(try await zone.track == "2")
    #expect(try await zone.titles("Q:0") == ["a", "b"])
  }

  @Test func selectingTheQueueAgainChangesNothing() async throws {
    try await zone.add("a")
    try await zone.play()
    try await zone.setURI("x-rincon-queue:\(zone.uid)#1")
    #expect(try await zone.transportState == "PLAYING")
  }

  @Test func aStationIsShownAsItWasSet() async throws {
    let uri = "x-rincon-mp3radio://example.org/live"
    try await zone.setURI(uri, ZoneSpeaker.metadata("Radio One"))
    #expect(try await zone.value("GetMediaInfo", "CurrentURI") == uri)
    #expect(try await zone.value("GetPositionInfo", "TrackURI") == uri)
    #expect(zone.evented(zone.transport, "AVTransportURI") == uri)
    #expect(zone.evented(zone.transport, "r:EnqueuedTransportURI") == uri)
    let enqueued = DIDL.items(zone.evented(zone.transport, "r:EnqueuedTransportURIMetaData") ?? "").first
    #expect(enqueued?.title == "Radio One")
    #expect(zone.state.radio.channel?.uri == "http://example.org/live")
    try await zone.call(zone.transport, "Play", ["Speed": "1"])
    #expect(try await zone.value("GetPositionInfo", "TrackMetaData")?.contains("ZPSTR_CONNECTING") == true)
    zone.speaker.hear()
    zone.speaker.output { .tags($0, StreamTags(title: "Singer - Song & Dance", station: "One")) }
    let metadata = try #require(try await zone.value("GetPositionInfo", "TrackMetaData"))
    let item = try #require(LenientXML.parse(metadata)?.child("item"))
    #expect(item.text(of: "streamContent") == "Singer - Song & Dance")
    #expect(item.text(of: "title") == "Radio One")
    #expect(item.text(of: "class") == "object.item")
    #expect(try await zone.value("GetCurrentTransportActions", "Actions") == "Set, Stop, Play")
  }

  /// The controller has replaced the scheme, so both are tried.
  @Test func aStationWithoutASchemeIsTriedOverHTTPS() async throws {
    try await zone.setURI("x-rincon-mp3radio://example.org/live")
    try await zone.call(zone.transport, "Play", ["Speed": "1"])
    zone.speaker.output { .failed($0, PlaybackFailure(.other, "gone")) }
    let started = zone.speaker.output.requests.compactMap {
      if case .start(_, let media, _, _) = $0 { media.uri } else { nil }
    }
    #expect(started == ["http://example.org/live", "https://example.org/live"])
  }

  @Test func whatOthersPlayIsShown() async throws {
    try zone.speaker.setChannel("http://192.0.2.1/station")
    try zone.speaker.call(zone.speaker.radio, "Play")
    #expect(
      try await zone.value("GetMediaInfo", "CurrentURI") == "x-rincon-mp3radio://http://192.0.2.1/station")
    try zone.speaker.setURI("http://192.0.2.1/cast.flac")
    try zone.speaker.play()
    #expect(try await zone.value("GetMediaInfo", "CurrentURI") == "http://192.0.2.1/cast.flac")
  }

  @Test(arguments: [
    ("x-rincon:RINCON_000000000000001400", 701), ("x-rincon-queue:RINCON_000000000000001400#0", 701),
    ("x-rincon-stream:RINCON_1", 714), ("x-file-cifs://nas/a.mp3", 714), ("x-sonosapi-stream:s1", 714),
    ("file:///etc/passwd", 714), ("", 714),
  ])
  func refusesAddresses(_ uri: String, _ code: Int) async throws {
    try await zone.add("a")
    try await zone.play()
    #expect(
      try await zone.fault(
        zone.transport, "SetAVTransportURI", ["CurrentURI": uri, "CurrentURIMetaData": ""])
        == code)
    #expect(try await zone.transportState == "PLAYING")
  }

  @Test func whatFollowsATrackIsKept() async throws {
    let next = ["NextURI": "http://192.0.2.1/b.mp3", "NextURIMetaData": ""]
    #expect(try await zone.fault(zone.transport, "SetNextAVTransportURI", next) == 701)
    try await zone.setURI("http://192.0.2.1/a.mp3")
    try await zone.call(zone.transport, "SetNextAVTransportURI", next)
    #expect(try await zone.value("GetMediaInfo", "NextURI") == "http://192.0.2.1/b.mp3")
  }

  // MARK: Modes

  @Test(arguments: [
    "NORMAL", "REPEAT_ALL", "REPEAT_ONE", "SHUFFLE_NOREPEAT", "SHUFFLE", "SHUFFLE_REPEAT_ONE",
  ])
  func modesReadBack(_ mode: String) async throws {
    try await zone.add("a", "b")
    try await zone.call(zone.transport, "SetPlayMode", ["NewPlayMode": mode])
    #expect(try await zone.value("GetTransportSettings", "PlayMode") == mode)
    #expect(zone.evented(zone.transport, "CurrentPlayMode") == mode)
    #expect(zone.state.playlist.isShuffling == mode.hasPrefix("SHUFFLE"))
    #expect(zone.state.playlist.isRepeating == !["NORMAL", "SHUFFLE_NOREPEAT"].contains(mode))
  }

  @Test func oneTrackRepeats() async throws {
    try await zone.add("a", "b")
    try await zone.call(zone.transport, "SetPlayMode", ["NewPlayMode": "REPEAT_ONE"])
    try await zone.play()
    #expect(zone.state.nextTrack?.uri == "http://192.0.2.1/a.flac")
    try await zone.call(zone.transport, "Next")
    #expect(try await zone.track == "2")
    // Who switches Repeat off elsewhere means this too.
    try zone.speaker.call(zone.speaker.playlist, "SetRepeat", ["Value": "0"])
    #expect(try await zone.value("GetTransportSettings", "PlayMode") == "NORMAL")
  }

  @Test func crossfadeReadsBack() async throws {
    for value in ["1", "0"] {
      try await zone.call(zone.transport, "SetCrossfadeMode", ["CrossfadeMode": value])
      #expect(try await zone.value("GetCrossfadeMode", "CrossfadeMode") == value)
    }
  }

  // MARK: The sleep timer

  @Test func pausesWhenTheTimeIsOver() async throws {
    try await zone.add("a")
    try await zone.play()
    try await zone.call(zone.transport, "ConfigureSleepTimer", ["NewSleepTimerDuration": "02:00:00"])
    zone.speaker.clock.advance(seconds: 1)
    let timer = try await zone.call(zone.transport, "GetRemainingSleepTimerDuration")
    #expect(timer["RemainingSleepTimerDuration"] == "1:59:59")
    #expect(timer["CurrentSleepTimerGeneration"] == "1")
    let wake = zone.speaker.effects.compactMap { effect -> WakeID? in
      if case .wake(let time, let id) = effect, time == .seconds(7200) { id } else { nil }
    }
    zone.speaker.clock.advance(seconds: 7199)
    try zone.speaker.player.change(.wake(try #require(wake.first)))
    #expect(try await zone.transportState == "PAUSED_PLAYBACK")
    #expect(try await zone.value("GetRemainingSleepTimerDuration", "RemainingSleepTimerDuration") == "")
  }

  @Test func theTimerIsSwitchedOff() async throws {
    try await zone.call(zone.transport, "ConfigureSleepTimer", ["NewSleepTimerDuration": "0:10:00"])
    try await zone.call(zone.transport, "ConfigureSleepTimer", ["NewSleepTimerDuration": ""])
    #expect(try await zone.value("GetRemainingSleepTimerDuration", "RemainingSleepTimerDuration") == "")
  }

  @Test(arguments: ["x", "10", "0:10", "-0:10:00", "24:00:00", "0:60:00", "0:00:00:00"])
  func refusesTimes(_ time: String) async throws {
    #expect(
      try await zone.fault(zone.transport, "ConfigureSleepTimer", ["NewSleepTimerDuration": time]) == 402)
  }

  // MARK: Rest

  @Test func actionsOfTheQueue() async throws {
    #expect(
      try await zone.value("GetCurrentTransportActions", "Actions")
        == "Set, Stop, Pause, Play, X_DLNA_SeekTime, Next, Previous, X_DLNA_SeekTrackNr")
  }

  @Test func aZoneAloneStaysAsItIs() async throws {
    try await zone.add("a")
    try await zone.play()
    let answer = try await zone.call(zone.transport, "BecomeCoordinatorOfStandaloneGroup")
    #expect(answer["NewGroupID"]?.hasPrefix(zone.uid + ":") == true)
    #expect(try await zone.transportState == "PLAYING")
  }

  @Test(arguments: ["SnoozeAlarm", "RunAlarm", "StartAutoplay", "ChangeCoordinator"])
  func devicesDontCommandEachOther(_ action: String) async throws {
    let index = try #require(zone.transport.description.actionIndex(named: action))
    let inputs = zone.transport.description.actions[index].inputs.map(\.name)
    var arguments = Dictionary(uniqueKeysWithValues: inputs.map { ($0, "0") })
    if arguments["PlayMode"] != nil { arguments["PlayMode"] = "NORMAL" }
    #expect(try await zone.fault(zone.transport, action, arguments) == 800)
  }

  /// Controllers fail without them.
  @Test func eventsAreComplete() async throws {
    try await zone.add("a", "b")
    try await zone.play()
    let names = zone.transport.eventedValues().map(\.name)
    #expect(Set(names).count == names.count)
    for name in [
      "TransportState", "CurrentPlayMode", "CurrentCrossfadeMode", "NumberOfTracks", "CurrentTrack",
      "CurrentTrackURI", "CurrentTrackDuration", "CurrentTrackMetaData", "r:NextTrackMetaData",
      "r:EnqueuedTransportURI", "r:EnqueuedTransportURIMetaData", "AVTransportURI", "CurrentTransportActions",
    ] {
      #expect(names.contains(name), "\(name)")
    }
    #expect(zone.evented(zone.transport, "r:EnqueuedTransportURI") == zone.queueURI)
    #expect(zone.evented(zone.transport, "CurrentTrack") == "1")
    #expect(zone.evented(zone.transport, "r:NextTrackURI") == "http://192.0.2.1/b.flac")
    #expect(names == ZoneSpeaker().transport.eventedValues().map(\.name))
  }
}
