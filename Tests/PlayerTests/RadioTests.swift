import Testing

@testable import Player

@Suite struct RadioPresetTests {
  static let x = Media(uri: "http://radio/x", metadata: "<x>")
  static let y = Media(uri: "http://radio/y", metadata: "<y>", contentFormat: "audio/mpeg")
  static let z = Media(uri: "http://radio/z", metadata: "<z>")

  @Test func slotsKeepTheirPlaces() {
    var rig = Rig()
    rig.radio(.setPresets([Self.x, nil, Self.y, nil]))
    let ids = rig.state.radio.idArray
    #expect(ids.count == Radio.channelsMax)
    #expect(ids[0] > 0 && ids[2] > 0 && ids[0] != ids[2])
    #expect(ids.filter { $0 != 0 }.count == 2)
    #expect(rig.state.radio.preset(ids[2])?.media == Self.y)
    #expect(rig.state.radio.preset(0) == nil)
    #expect(rig.state.radio.preset(77) == nil)
  }

  @Test func anIdStandsForItsContents() {
    var rig = Rig()
    rig.radio(.setPresets([Self.x, Self.y]))
    let before = rig.state.radio.idArray
    let token = rig.state.radio.token
    rig.radio(.setPresets([Self.x, Self.y]))
    #expect(rig.state.radio.idArray == before)
    #expect(rig.state.radio.token == token)
    var renamed = Self.x
    renamed.metadata = "<renamed>"
    rig.radio(.setPresets([renamed, Self.y, Self.y]))
    let after = rig.state.radio.idArray
    #expect(after[0] > (before.max() ?? 0), "never used before")
    #expect(after[1] == before[1])
    #expect(Set(after[0..<3]).count == 3)
    #expect(rig.state.radio.token == token + 1)
    rig.radio(.setPresets([Self.y]))
    #expect(rig.state.radio.idArray.filter { $0 != 0 }.count == 1)
    #expect(after.contains(rig.state.radio.idArray[0]))
  }

  @Test func areBounded() {
    var rig = Rig()
    rig.radio(.setPresets((0..<150).map { Media(uri: "http://radio/\($0)") }))
    #expect(rig.state.radio.presets.count == 100)
    #expect(rig.state.radio.idArray.count == 100)
  }

  @Test func choosingByPreset() throws {
    var rig = Rig()
    rig.radio(.setPresets([Self.x, Self.y]))
    let ids = rig.state.radio.idArray
    rig.radio(.setID(ids[1], uri: ""))
    #expect(rig.state.radio.id == ids[1])
    #expect(rig.state.radio.channel == Self.y)
    #expect(rig.state.activeSource == .radio)
    #expect(rig.state.phase == .stopped)
    let before = rig.state
    #expect(throws: PlayerError.invalidChannel) { try rig.attempt(.radio(.setID(0, uri: ""))) }
    #expect(throws: PlayerError.invalidChannel) { try rig.attempt(.radio(.setID(99, uri: "http://radio/q"))) }
    #expect(rig.state == before)
    rig.radio(.setID(ids[0], uri: "http://radio/other"))
    #expect(rig.state.radio.channel == Media(uri: "http://radio/other", metadata: "<x>"))
    rig.radio(.setChannel(Self.z))
    #expect(rig.state.radio.id == 0)
    #expect(!rig.state.radio.isPreset)
  }

  @Test func aPresetThatIsGoneIsNoLongerTheOneChosen() {
    var rig = Rig()
    rig.radio(.setPresets([Self.x, Self.y]))
    rig.radio(.setID(rig.state.radio.idArray[0], uri: ""), .play)
    let id = rig.id
    rig.radio(.setPresets([Self.z, Self.y]))
    #expect(rig.state.radio.id == 0)
    #expect(rig.state.radio.channel == Self.x)
    #expect(rig.id == id, "and plays on")
  }

  @Test func theChosenPresetIsFoundAgainAfterARestart() {
    var rig = Rig()
    rig.radio(.setPresets([Self.x, Self.y]))
    rig.radio(.setID(rig.state.radio.idArray[1], uri: ""))
    var saved = rig.state.snapshot
    saved.player.channel = Media(uri: Self.y.uri, metadata: Self.y.metadata)
    var again = Rig(snapshot: saved)
    #expect(again.state.radio.channel?.uri == Self.y.uri)
    #expect(again.state.snapshot == saved)
    again.radio(.setPresets([Self.z, Self.x, Self.y]))
    #expect(again.state.radio.id == again.state.radio.idArray[2])
    again.radio(.setChannel(Self.x))
    var third = Rig(snapshot: again.state.snapshot)
    third.radio(.setPresets([Self.x]))
    #expect(third.state.radio.id == 0, "it was chosen by address")
  }

  @Test func refreshingIsTheDaemonsBusiness() {
    var rig = Rig()
    rig.radio(.refreshPresets)
    #expect(rig.refreshes == 1)
  }
}

@Suite struct RadioTransportTests {
  @Test func choosingIsSilentUntilPlay() {
    var rig = Rig.withPlaylist(1)
    rig.radio(.setChannel(.station))
    #expect(rig.requests.isEmpty)
    #expect(rig.state.activeSource == .radio)
    #expect(rig.state.phase == .stopped)
    #expect(rig.state.currentTrack == .station)
    rig.radio(.play)
    #expect(rig.requests == [.start(rig.id, .station, position: .zero, paused: false)])
    #expect(rig.state.phase == .buffering)
    rig.start()
    #expect(rig.state.phase == .playing)
    rig.radio(.setChannel(RadioPresetTests.x))
    #expect(rig.state.phase == .stopped)
    #expect(rig.requestNames == ["stop"])
  }

  @Test func theSameAddressIsNotConnectedToAgain() {
    var rig = Rig.onAir()
    let id = rig.id
    let renamed = Media(uri: Media.station.uri, metadata: "<renamed>")
    rig.radio(.setChannel(renamed))
    #expect(rig.id == id)
    #expect(rig.requests.isEmpty)
    #expect(rig.state.currentTrack == renamed)
    #expect(rig.state.phase == .playing)
  }

  @Test func playWithoutStationDoesNothing() {
    var rig = Rig()
    rig.radio(.play)
    #expect(rig.state.phase == .stopped)
    #expect(rig.requests.isEmpty)
    rig.radio(.setChannel(.station), .setChannel(Media(uri: "")), .play)
    #expect(rig.requests.isEmpty)
    #expect(rig.state.radio.channel == nil)
  }

  @Test func aLiveStreamReconnectsOnPlayAndStopsOnPause() {
    var rig = Rig.onAir()
    let id = rig.id
    rig.radio(.play)
    #expect(rig.id != id)
    #expect(rig.requestNames == ["start"])
    rig.start()
    rig.radio(.pause)
    #expect(rig.state.phase == .stopped)
    #expect(rig.requestNames == ["stop"])
    rig.radio(.play, .pause)
    #expect(rig.state.phase == .stopped, "not known yet whether it is live")
  }

  @Test func aRecordingIsPausedAndSoughtIn() {
    var rig = Rig.onAir()
    rig.receive(.seekable(rig.id, true), .duration(rig.id, .seconds(100)))
    #expect(rig.state.canPause && rig.state.canSeek)
    rig.radio(.pause)
    #expect(rig.state.phase == .paused)
    rig.radio(.play)
    #expect(rig.requestNames == ["resume"])
    rig.radio(.seek(to: .seconds(50)), .skip(by: .seconds(10)))
    #expect(rig.requests == [.seek(rig.id, .seconds(60))])
    rig = .onAir()
    #expect(!rig.state.canPause && !rig.state.canSeek)
    #expect(throws: PlayerError.seekFailed) { try rig.attempt(.radio(.seek(to: .seconds(1)))) }
  }

  @Test(arguments: [RadioCommand.pause, .stop, .seek(to: .seconds(1)), .skip(by: .seconds(1))])
  func isIgnoredWhenInactive(command: RadioCommand) {
    var rig = Rig.onAir()
    rig.av(.setMedia(a), .play)
    let before = rig.state
    rig.radio(command)
    #expect(rig.state == before)
  }

  @Test(arguments: [RadioCommand.play, .setChannel(RadioPresetTests.x), .setID(1, uri: "")])
  func wakesAndSwitches(command: RadioCommand) {
    var rig = Rig()
    rig.radio(.setPresets([RadioPresetTests.y]), .setChannel(.station))
    rig.perform(.setSource(.playlist), .setStandby(true))
    rig.radio(command)
    #expect(!rig.state.isStandby)
    #expect(rig.state.activeSource == .radio)
  }

  // MARK: Lists of addresses

  static let list = Media(uri: "http://radio/station.pls", metadata: "<list>")
  static let entries = ["1", "2", "3"].map { Media(uri: "http://radio/\($0)") }

  @Test func aListIsReadAndItsEntriesAreTriedInTurn() {
    var rig = Rig()
    rig.radio(.setChannel(Self.list), .play)
    #expect(rig.state.phase == .buffering)
    #expect(rig.requests.isEmpty)
    rig.answer(.entries(Self.entries))
    #expect(rig.requests == [.start(rig.id, Self.entries[0], position: .zero, paused: false)])
    #expect(rig.state.currentTrack == Self.list, "the station is what is shown")
    rig.receive(.failed(rig.id, dropped))
    #expect(rig.requests == [.start(rig.id, Self.entries[1], position: .zero, paused: false)])
    #expect(rig.reports == [.skipped(Self.entries[0], dropped)])
    rig.receive(.failed(rig.id, dropped))
    rig.receive(.failed(rig.id, dropped))
    #expect(rig.state.phase == .stopped)
    #expect(rig.state.failure == dropped)
    #expect(rig.reports == [.failed(Self.list, dropped)])
    let first = rig.lastResolve
    rig.radio(.play)
    #expect(rig.lastResolve != first, "the list is read anew, its addresses may be others by now")
    rig.answer(.entries([Media(uri: "http://radio/moved")]))
    #expect(
      rig.requests == [.start(rig.id, Media(uri: "http://radio/moved"), position: .zero, paused: false)])
  }

  @Test func aListThatCannotBeReadIsAFailure() {
    var rig = Rig()
    rig.radio(.setChannel(Self.list), .play)
    rig.answer(.failed(broken))
    #expect(rig.state.phase == .stopped)
    #expect(rig.state.failure == broken)
    let first = rig.lastResolve
    rig.radio(.play)
    #expect(rig.lastResolve != first, "Play tries again")
  }

  @Test func aLateAnswerForAnotherSourceStartsNothing() {
    var rig = Rig()
    rig.radio(.setChannel(Self.list), .play)
    let id = rig.lastResolve
    rig.av(.setMedia(.container("list")), .play)
    rig.answer(.entries(Self.entries), of: id)
    #expect(rig.requests.isEmpty)
    #expect(rig.shown == .transitioning)
  }

  /// A list is asked for; before it has come another station is chosen, with a list of its own.
  @Test func aLateAnswerForAnotherStationIsLeftAlone() {
    var rig = Rig.playing(1, of: 2)
    rig.radio(.setPresets([Self.list]))
    rig.radio(.setID(rig.state.radio.idArray[0], uri: ""))
    let late = rig.lastResolve
    let other = Media(uri: "http://radio/other.pls")
    rig.radio(.setChannel(other))
    #expect(rig.lastResolve != late)
    var before = rig.state
    rig.answer(.entries(Self.entries), of: late)
    #expect(rig.state == before)
    #expect(rig.reports.isEmpty)
    rig.radio(.play)
    before = rig.state
    rig.answer(.failed(broken), of: late)
    #expect(rig.state == before)
    rig.answer(.entries([a]))
    #expect(rig.requests == [.start(rig.id, a, position: .zero, paused: false)])
  }

  /// What was chosen while another source played isn't what the transport's Play is for once a source was chosen.
  @Test func aChoiceIsOverWhenTheSourceChanges() {
    let changes: [(inout Rig) -> Void] = [
      { $0.perform(.setStandby(true), .setStandby(false)) },
      { $0.perform(.setSource(.upnpAV), .setSource(.playlist)) },
      { $0.perform(.av(.setMedia(a)), .av(.play), .av(.stop)) },
    ]
    for (index, change) in changes.enumerated() {
      var rig = Rig.playing(1, of: 2, configuration: PlayerConfiguration(startupSource: .playlist))
      rig.radio(.setChannel(Self.list))
      let late = rig.lastResolve
      change(&rig)
      let before = (rig.state.transport, rig.state.activeSource)
      rig.answer(.entries(Self.entries), of: late)
      #expect(rig.requests.isEmpty)
      #expect((rig.state.transport, rig.state.activeSource) == before)
      rig.perform(.transport(.play))
      #expect(rig.state.activeSource == before.1, "\(index)")
    }
  }

  @Test func whatIsNotSoundIsLookedInto() {
    let unsupported = PlaybackFailure(.unsupportedFormat, "text")
    var rig = Rig()
    rig.radio(.setChannel(.station), .play)
    rig.receive(.failed(rig.id, unsupported))
    #expect(rig.state.phase == .buffering)
    rig.answer(.entries(Self.entries))
    #expect(rig.requests == [.start(rig.id, Self.entries[0], position: .zero, paused: false)])
    rig = Rig()
    rig.radio(.setChannel(.station), .play)
    rig.receive(.failed(rig.id, unsupported))
    rig.answer(.notAContainer)
    rig.receive(.failed(rig.id, unsupported))
    #expect(rig.state.phase == .stopped, "once is enough")
    #expect(rig.state.failure == unsupported)
  }

  @Test func aRefusedAddressIsNeitherReadNorOpened() {
    var rig = Rig()
    rig.radio(.setChannel(Media(uri: "file:///etc/list.m3u")), .play)
    #expect(rig.lastResolve == nil)
    #expect(!rig.requestNames.contains("start"))
    #expect(rig.state.failure?.kind == .refusedURI)
  }
}
