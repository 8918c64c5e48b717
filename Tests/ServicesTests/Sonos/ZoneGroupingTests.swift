import Player
import Synchronization
import Testing
import UPnP

@testable import Services

/// What this zone tells others, and whether they do it.
private final class ScriptedNeighbours: ZoneNeighbours {
  private let log = Mutex<[(String, ZoneCall)]>([])
  private let deaf = Mutex<Set<String>>([])

  var calls: [(uid: String, call: ZoneCall)] { log.withLock { $0.map { (uid: $0.0, call: $0.1) } } }
  private let hook = Mutex<@Sendable () -> Void>({})
  func onCall(_ hook: @escaping @Sendable () -> Void) { self.hook.withLock { $0 = hook } }
  func silence(_ uids: String...) { deaf.withLock { $0.formUnion(uids) } }

  nonisolated(nonsending) func call(_ call: ZoneCall, of uid: String) async -> Bool {
    log.withLock { $0.append((uid, call)) }
    hook.withLock(\.self)()
    return !deaf.withLock { $0.contains(uid) }
  }

  func check(_ uid: String) {}

  func names(to uid: String) -> [String] {
    calls.filter { $0.uid == uid }.map { sent in
      ([sent.call.action]
        + sent.call.arguments.filter { ["CurrentURI", "Zone", "Target", "NewPlayMode"].contains($0.name) }
        .map(\.text)).joined(separator: " ")
    }
  }
}

@Suite struct ZoneGroupingTests {
  private let neighbours = ScriptedNeighbours()
  private let zone: ZoneSpeaker

  init() throws {
    zone = ZoneSpeaker(neighbours: neighbours)
    zone.playback.home.setSender { ZoneSender(zoneSender(0)) }
    try enableRooms(true)
  }

  private var home: ZoneHome { zone.playback.home }

  private func enableRooms(_ isOn: Bool) throws {
    try zone.speaker.player.assumeIsolated { try $0.perform(.senderChanged(SenderState(isEnabled: isOn))) }
  }

  private func hear(_ zones: ZoneFacts...) {
    for var facts in zones {
      facts.household = home.household
      home.take(facts, now: 0)
    }
  }

  /// A zone joins this one as soon as this one calls another.
  private func joinsMeanwhile(_ number: Int) {
    neighbours.onCall { [home] in
      var late = zoneFacts(number, listensTo: 0)
      late.household = home.household
      home.take(late, now: 0)
    }
  }

  private func join(_ number: Int) async throws { try await zone.setURI("x-rincon:\(zoneUID(number))") }

  @Test func joiningListens() async throws {
    hear(zoneFacts(1), zoneFacts(2, listensTo: 1), zoneFacts(3))
    try await join(2)
    #expect(
      zone.state.activeSource == .receiver && zone.state.receiver.sender?.uri == zoneSenderURI(1),
      "its coordinator")
    #expect(home.coordinator?.uid == zoneUID(1))
    #expect(try await zone.transportState == "PLAYING")
    #expect(try await zone.value("GetMediaInfo", "CurrentURI") == "x-rincon:\(zoneUID(1))")
    #expect(try await zone.value("GetPositionInfo", "TrackURI") == "x-rincon:\(zoneUID(1))")
    #expect(try await zone.value("GetPositionInfo", "TrackMetaData") == "")
    #expect(zone.evented(zone.transport, "AVTransportURI") == "x-rincon:\(zoneUID(1))")
    #expect(zone.evented(zone.transport, "CurrentTrackURI") == "x-rincon:\(zoneUID(1))")
    let group = ZoneGroupView(home: home)
    #expect(!group.groupCoordinatorIsLocal && group.localGroupUUID.hasPrefix("\(zoneUID(1)):"))
    #expect(home.group.members.count == 3)
  }

  /// A controller asks the coordinator for something at once: it has to know of it before the controller goes on.
  @Test func whoIsConcernedIsToldAtOnce() async throws {
    hear(zoneFacts(1), zoneFacts(2), zoneFacts(3))
    try await join(1)
    #expect(neighbours.calls.map(\.uid) == [zoneUID(1)])
    #expect(neighbours.calls.last?.call == .listens(home.facts) && home.facts.listensTo == zoneSenderURI(1))
    try await join(1)
    #expect(neighbours.calls.count == 1, "nothing has changed")
    try await join(2)
    #expect(neighbours.calls.dropFirst().map(\.uid).sorted() == [zoneUID(1), zoneUID(2)])
    try await zone.setURI("http://192.0.2.1/b.flac")
    #expect(neighbours.calls.count == 4 && neighbours.calls.last?.uid == zoneUID(2))
    try await join(3)
    _ = try await zone.call(zone.transport, "BecomeCoordinatorOfStandaloneGroup")
    #expect(neighbours.calls.count == 6 && neighbours.calls.last?.call == .listens(home.facts))
    #expect(home.facts.listensTo == "")
  }

  @Test func whatAZoneSaysOfItselfIsTaken() async throws {
    hear(zoneFacts(1), zoneFacts(2))
    let service = ZoneHouseholdService(home: home, grouping: zone.playback.grouping)
    func tell(_ number: Int, to uri: String = "") async throws -> Int? {
      try await zone.fault(service, "Listens", ["Zone": zoneUID(number), "To": uri, "ItsTurn": "7"])
    }
    // The tests call from 192.0.2.1.
    #expect(try await tell(1, to: zoneSenderURI(0)) == nil)
    #expect(home.group.members.map(\.uid) == [zone.uid, zoneUID(1)])
    #expect(home.neighbours.first { $0.uid == zoneUID(1) }?.turn == 7)
    #expect(try await tell(2, to: zoneSenderURI(0)) == 402, "somebody else says so")
    #expect(try await tell(9) == 402)
    #expect(try await tell(1, to: String(repeating: "x", count: 1025)) == 402)
    #expect(home.group.members.count == 2)
    #expect(try await tell(1) == nil && home.group.members.count == 1)
  }

  @Test func aMemberRefusesWhatOnlyTheCoordinatorCanDo() async throws {
    try await zone.add("a", "b")
    hear(zoneFacts(1))
    try await join(1)
    for action in ["Play", "Pause", "Stop", "Next", "Previous", "RemoveAllTracksFromQueue"] {
      #expect(
        try await zone.fault(zone.transport, action, action == "Play" ? ["Speed": "1"] : [:]) == 800,
        "\(action)")
    }
    #expect(try await zone.fault(zone.transport, "Seek", ["Unit": "TRACK_NR", "Target": "1"]) == 701)
    #expect(try await zone.fault(zone.transport, "SetPlayMode", ["NewPlayMode": "NORMAL"]) == 712)
    #expect(try await zone.fault(zone.group, "GetGroupVolume") == 701)
    #expect(try await zone.fault(zone.group, "SetGroupVolume", ["DesiredVolume": "3"]) == 701)
    #expect(try await zone.fault(zone.queue, "RemoveAllTracks", ["QueueID": "0", "UpdateID": "0"]) == 800)
    #expect(
      try await zone.fault(zone.rendering, "SetVolume", ["Channel": "Master", "DesiredVolume": "3"]) == nil)
    #expect(zone.state.playlist.tracks.count == 2, "its own queue rests")
    // Anything else to play takes it out.
    try await zone.setURI(zone.queueURI)
    #expect(home.coordinator == nil)
    #expect(try await zone.fault(zone.transport, "Play", ["Speed": "1"]) == nil)
  }

  @Test func whomItCannotListenToIsRefused() async throws {
    hear(zoneFacts(1), zoneFacts(2, listensTo: 0))
    for uid in [zoneUID(9), zone.uid, ""] {
      #expect(
        try await zone.fault(
          zone.transport, "SetAVTransportURI", ["CurrentURI": "x-rincon:\(uid)", "CurrentURIMetaData": ""])
          == 701)
    }
    try enableRooms(false)
    #expect(
      try await zone.fault(
        zone.transport, "SetAVTransportURI",
        ["CurrentURI": "x-rincon:\(zoneUID(1))", "CurrentURIMetaData": ""]) == 701)
    #expect(zone.state.activeSource == .playlist)
  }

  @Test func leavingStops() async throws {
    try await zone.add("a")
    hear(zoneFacts(1))
    let alone = try await zone.call(zone.transport, "BecomeCoordinatorOfStandaloneGroup")
    #expect(alone["NewGroupID"] == home.group.id && alone["DelegatedGroupCoordinatorID"] == "")
    try await join(1)
    let turn = home.facts.turn
    _ = try await zone.call(zone.transport, "BecomeCoordinatorOfStandaloneGroup")
    #expect(home.coordinator == nil && zone.state.activeSource == .playlist)
    #expect(try await zone.transportState == "STOPPED")
    #expect(try await zone.value("GetMediaInfo", "CurrentURI") == zone.queueURI)
    #expect(neighbours.names(to: zoneUID(1)).allSatisfy { $0.hasPrefix("Listens") })
    #expect(home.facts.turn == turn + 1)
  }

  @Test func whoListensToAMemberThatLeavesIsNotLeftBehind() async throws {
    hear(zoneFacts(1))
    try await join(1)
    hear(zoneFacts(2, listensTo: 0))
    _ = try await zone.call(zone.transport, "BecomeCoordinatorOfStandaloneGroup")
    #expect(neighbours.names(to: zoneUID(2)) == ["Follow \(zoneUID(1))"])
  }

  @Test func aCoordinatorThatLeavesHandsOver() async throws {
    let names = (1...130).map { "t\($0)" }
    for name in names { try await zone.addTrack(name) }
    try await zone.call(zone.transport, "SetPlayMode", ["NewPlayMode": "SHUFFLE_NOREPEAT"])
    try await zone.seek("TRACK_NR", "7")
    try await zone.play()
    zone.speaker.clock.advance(seconds: 65)
    hear(zoneFacts(1, listensTo: 0), zoneFacts(2, listensTo: 0), zoneFacts(3))
    neighbours.silence(zoneUID(1))
    let left = try await zone.call(zone.transport, "BecomeCoordinatorOfStandaloneGroup")
    #expect(left["DelegatedGroupCoordinatorID"] == zoneUID(2))
    #expect(
      neighbours.names(to: zoneUID(1)) == ["BecomeCoordinatorOfStandaloneGroup", "Follow \(zoneUID(2))"])
    #expect(
      neighbours.names(to: zoneUID(2)) == [
        "BecomeCoordinatorOfStandaloneGroup", "RemoveAllTracksFromQueue", "AddMultipleURIsToQueue",
        "AddMultipleURIsToQueue", "AddMultipleURIsToQueue",
        "SetAVTransportURI x-rincon-queue:\(zoneUID(2))#0",
        "SetPlayMode SHUFFLE_NOREPEAT", "Seek 7", "Seek 0:01:05", "Play",
      ])
    #expect(neighbours.names(to: zoneUID(3)).isEmpty)
    #expect(try await zone.transportState == "STOPPED" && zone.state.playlist.tracks.count == 130)
  }

  /// What is handed over is what the other one then has.
  @Test func theOtherOneHasTheSameQueue() async throws {
    for name in ["a", "b c", "d"] { try await zone.addTrack(name) }
    try await zone.call(zone.transport, "SetPlayMode", ["NewPlayMode": "REPEAT_ALL"])
    try await zone.seek("TRACK_NR", "2")
    try await zone.play()
    let other = ZoneSpeaker()
    try await other.add("old")
    for call in ZoneHandover.queueCalls(zone.state)
      + ZoneHandover.playCalls(zone.transport.view, to: other.uid)
    {
      let arguments = Dictionary(call.arguments.map { ($0.name, $0.text) }) { first, _ in first }
      try await other.call(other.transport, call.action, arguments)
    }
    #expect(try await other.titles("Q:0") == ["a", "b c", "d"])
    #expect(try await other.track == "2")
    #expect(other.state.playlist.zoneMode == zone.state.playlist.zoneMode)
    #expect(other.state.transport != .stopped)
  }

  @Test func filesOfThisMachineStay() async throws {
    let zone = ZoneSpeaker(configuration: PlayerConfiguration(uriPolicy: URIPolicy(directories: ["/music"])))
    let files = ["file:///music/a.flac", "http://192.0.2.1/b.flac", "http://192.0.2.1/c.flac"].map {
      Media(uri: $0, metadata: "")
    }
    try zone.speaker.player.changeZone(.playlist(.insertEach(after: 0, files)))
    try await zone.seek("TRACK_NR", "3")
    let calls =
      ZoneHandover.queueCalls(zone.state) + ZoneHandover.playCalls(zone.transport.view, to: zoneUID(1))
    #expect(
      calls[2].arguments.contains(SOAPArgument(name: "EnqueuedURIs", text: files[1].uri + " " + files[2].uri))
    )
    #expect(calls.contains { $0.arguments.contains(SOAPArgument(name: "Target", text: "2")) })
  }

  @Test func aStationIsHandedOverAsItIs() async throws {
    try await zone.setURI("x-rincon-mp3radio://radio.example/stream", "<DIDL-Lite/>")
    try await zone.play()
    let calls = ZoneHandover.playCalls(zone.transport.view, to: zoneUID(1))
    #expect(calls.map(\.action) == ["SetAVTransportURI", "Play"])
    #expect(
      calls[0].arguments.contains(
        SOAPArgument(name: "CurrentURI", text: "x-rincon-mp3radio://radio.example/stream")))
  }

  @Test func whenNobodyTakesOverNobodyListensToSilence() async throws {
    try await zone.add("a")
    hear(zoneFacts(1, listensTo: 0), zoneFacts(2, listensTo: 0))
    neighbours.silence(zoneUID(1), zoneUID(2))
    let left = try await zone.call(zone.transport, "BecomeCoordinatorOfStandaloneGroup")
    #expect(left["DelegatedGroupCoordinatorID"] == "")
    #expect(neighbours.names(to: zoneUID(2)).last == "BecomeCoordinatorOfStandaloneGroup")
  }

  @Test func aCoordinatorThatJoinsOthersHandsOverFirst() async throws {
    try await zone.add("a")
    hear(zoneFacts(1, listensTo: 0), zoneFacts(2))
    // Its own member asks for all, `partymode`: they are together already.
    try await zone.setURI("x-rincon:\(zoneUID(1))")
    #expect(neighbours.calls.isEmpty && zone.state.activeSource == .playlist)
    #expect(
      try await zone.fault(
        zone.transport, "SetAVTransportURI",
        ["CurrentURI": "x-rincon:\(zoneUID(9))", "CurrentURIMetaData": ""]) == 701)
    #expect(neighbours.calls.isEmpty, "who can't join doesn't leave")
    try await zone.setURI("x-rincon:\(zoneUID(2))")
    #expect(neighbours.names(to: zoneUID(1)).first == "BecomeCoordinatorOfStandaloneGroup")
    #expect(neighbours.names(to: zoneUID(1)).contains("AddMultipleURIsToQueue"))
    #expect(zone.state.receiver.sender?.uri == zoneSenderURI(2) && zone.state.activeSource == .receiver)
    // What it plays itself is for its group.
    try await zone.setURI(zone.queueURI)
    let told = neighbours.calls.count
    try await zone.setURI("http://192.0.2.1/b.flac")
    #expect(neighbours.calls.count == told && zone.state.activeSource == .upnpAV)
  }

  @Test func whoJoinsDuringAHandoverIsNotLeftBehind() async throws {
    try await zone.add("a")
    hear(zoneFacts(1, listensTo: 0), zoneFacts(2))
    joinsMeanwhile(2)
    _ = try await zone.call(zone.transport, "BecomeCoordinatorOfStandaloneGroup")
    #expect(neighbours.names(to: zoneUID(2)) == ["Follow \(zoneUID(1))"])
  }

  /// Two that join each other at the same time would both hear nothing.
  @Test func nobodyJoinsWhoHasJoinedItMeanwhile() async throws {
    try await zone.add("a")
    hear(zoneFacts(1, listensTo: 0), zoneFacts(2))
    joinsMeanwhile(2)
    #expect(
      try await zone.fault(
        zone.transport, "SetAVTransportURI",
        ["CurrentURI": "x-rincon:\(zoneUID(2))", "CurrentURIMetaData": ""]) == 701)
    #expect(zone.state.activeSource == .playlist && home.coordinator == nil)
  }

  @Test func itHandsOverOnceAtATime() async throws {
    hear(zoneFacts(1, listensTo: 0))
    #expect(home.beginHandover())
    #expect(try await zone.fault(zone.transport, "BecomeCoordinatorOfStandaloneGroup") == 501)
    home.endHandover()
    #expect(try await zone.fault(zone.transport, "BecomeCoordinatorOfStandaloneGroup") == nil)
  }

  @Test func aSlowHandoverEnds() async throws {
    for number in 1...200 { try await zone.addTrack("t\(number)") }
    hear(zoneFacts(1, listensTo: 0))
    neighbours.onCall { [clock = zone.speaker.clock] in clock.advance(seconds: 3) }
    let left = try await zone.call(zone.transport, "BecomeCoordinatorOfStandaloneGroup")
    #expect(left["DelegatedGroupCoordinatorID"] == "" && neighbours.calls.count == 4)
  }

  @Test func coordinationIsDelegated() async throws {
    try await zone.add("a")
    hear(zoneFacts(1, listensTo: 0), zoneFacts(2, listensTo: 0), zoneFacts(3))
    func delegate(_ number: Int) async throws -> Int? {
      try await zone.fault(
        zone.transport, "DelegateGroupCoordinationTo",
        ["NewCoordinator": zoneUID(number), "RejoinGroup": "1"])
    }
    #expect(try await delegate(3) == 701, "it isn't in the group")
    #expect(try await delegate(2) == nil)
    #expect(zone.state.receiver.sender?.uri == zoneSenderURI(2) && zone.state.activeSource == .receiver)
    #expect(neighbours.names(to: zoneUID(1)) == ["Follow \(zoneUID(2))"])
    neighbours.silence(zoneUID(1))
    try await zone.setURI(zone.queueURI)
    #expect(try await delegate(1) == 501)
    #expect(zone.state.activeSource == .playlist, "it stays what it was")
  }

  @Test func theGroupHasOneVolume() async throws {
    try await zone.call(zone.rendering, "SetVolume", ["Channel": "Master", "DesiredVolume": "20"])
    hear(zoneFacts(1, listensTo: 0, volume: 40), zoneFacts(2, volume: 99))
    func volume() async throws -> String? {
      try await zone.call(zone.group, "GetGroupVolume")["CurrentVolume"]
    }
    #expect(try await volume() == "30")
    try await zone.call(zone.group, "SnapshotGroupVolume")
    try await zone.call(zone.group, "SetGroupVolume", ["DesiredVolume": "15"])
    #expect(try await volume() == "15")
    #expect(zone.state.volume.step(of: .master) == 10)
    #expect(neighbours.calls.map(\.uid) == [zoneUID(1)])
    #expect(neighbours.calls[0].call == .setVolume(20))
    #expect(
      try await zone.call(zone.group, "SetRelativeGroupVolume", ["Adjustment": "15"])["NewVolume"] == "30")
    #expect(neighbours.calls.last?.call == .setVolume(40))
    try await zone.call(zone.group, "SetGroupMute", ["DesiredMute": "1"])
    #expect(zone.evented(zone.group, "GroupMute") == "1")
    hear(zoneFacts(1, listensTo: 0, isMuted: false))
    #expect(zone.evented(zone.group, "GroupMute") == "0")
  }
}
