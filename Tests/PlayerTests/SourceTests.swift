import Testing

@testable import Player

@Suite struct SourceTests {
  @Test func whichSourcesThereAre() {
    func sources(_ openHome: Bool, _ av: Bool) -> [SourceKind] {
      Rig(PlayerConfiguration(openHomeEnabled: openHome, avEnabled: av)).state.sources
    }
    #expect(sources(true, true) == [.playlist, .radio, .upnpAV, .receiver])
    #expect(sources(true, false) == [.playlist, .radio, .receiver])
    #expect(Rig(PlayerConfiguration(receiverEnabled: false)).state.sources == [.playlist, .radio, .upnpAV])
    #expect(sources(false, true) == [.upnpAV])
    #expect(sources(false, false) == [.upnpAV])
  }

  @Test func theFirstSourceIsActiveAtFirst() {
    #expect(Rig().state.activeSource == .playlist)
    #expect(Rig().state.sourceIndex == 0)
    #expect(Rig(PlayerConfiguration(openHomeEnabled: false)).state.activeSource == .upnpAV)
    #expect(Rig(PlayerConfiguration(startupSource: .radio)).state.activeSource == .radio)
    let nothing = PlayerConfiguration(avEnabled: false, startupSource: .upnpAV)
    #expect(Rig(nothing).state.activeSource == .playlist)
  }

  @Test(arguments: SourceKind.allCases, SourceKind.allCases) func switching(from: SourceKind, to: SourceKind)
  {
    var rig = Rig.onAir()
    rig.playlist(.insert(after: 0, a))
    rig.av(.setMedia(b))
    rig.perform(.receiver(.setSender(Media(uri: "ohu://192.0.2.7:51000"))))
    switch from {
    case .playlist: rig.playlist(.play)
    case .radio: rig.radio(.play)
    case .receiver: rig.perform(.receiver(.play))
    case .upnpAV: rig.av(.play)
    }
    rig.start()
    let id = rig.id
    rig.perform(.setSource(to))
    #expect(rig.state.activeSource == to)
    if from == to {
      #expect(rig.id == id, "nothing happens")
      #expect(rig.requests.isEmpty)
    } else {
      #expect(rig.requestNames == ["stop"])
      for source in SourceKind.allCases { #expect(rig.state.phase(of: source) == .stopped) }
      #expect(rig.state.currentTrack != nil, "it shows what would play")
      #expect(rig.position == .zero)
      #expect(rig.state.facts == TrackFacts())
    }
  }

  @Test func aSourceThatIsNotThereIsRefused() {
    var rig = Rig(PlayerConfiguration(avEnabled: false))
    rig.perform(.setStandby(true))
    let before = rig.state
    #expect(throws: PlayerError.sourceNotFound) { try rig.attempt(.setSource(.upnpAV)) }
    #expect(rig.state == before)
  }

  @Test func avControlTakesOverAndLeavesThePlaylistAlone() {
    var rig = Rig.playing(2, of: 3)
    let playlist = rig.state.playlist
    rig.av(.setMedia(a), .play)
    #expect(rig.state.activeSource == .upnpAV)
    #expect(rig.phase == .stopped)
    #expect(rig.state.playlist == playlist)
    rig.playlist(.play)
    #expect(rig.currentID == 2)
    #expect(rig.state.av.media == a)
  }

  @Test func clearingAVTakesNothingFromOthers() {
    var rig = Rig.playing(2, of: 3)
    let id = rig.id
    rig.av(.setMedia(nil))
    #expect(rig.id == id)
    #expect(rig.requests.isEmpty)
  }

  @Test func avPlayModeAndNextMediaDoNotTouchThePlaylist() {
    var rig = Rig.playing()
    rig.playlist(.insert(after: 0, a), .insert(after: 1, b), .insert(after: 2, c), .play)
    rig.start()
    rig.receive(.failed(rig.nextID, broken))
    let before = rig.state.failuresInRow
    rig.av(.setPlayMode(.repeatAll), .setMedia(a), .setNextMedia(c))
    #expect(rig.state.failuresInRow == before)
    #expect(rig.requests.isEmpty)
    #expect(rig.phase == .playing)
  }

  @Test func aFailureIsForgottenWithItsSource() {
    var rig = Rig.playing(1, of: 1)
    rig.receive(.failed(rig.id, broken))
    #expect(rig.state.failure == broken)
    rig.perform(.setSource(.upnpAV))
    #expect(rig.state.failure == nil)
  }

  @Test func aSourceThatIsSwitchedOffIsLeft() {
    var rig = Rig.playing()
    rig.perform(.configure(PlayerConfiguration(avEnabled: false)))
    #expect(rig.state.activeSource == .playlist)
    #expect(rig.requestNames == ["stop"])
  }

  // MARK: Standby

  @Test func standbyStopsAndLetsGoOfTheDevice() {
    var rig = Rig.playing(1, of: 2)
    rig.perform(.setStandby(true))
    #expect(rig.state.isStandby)
    #expect(rig.requestNames == ["stop", "release"])
    #expect(rig.phase == .stopped)
    rig.perform(.setStandby(true))
    #expect(rig.requests.isEmpty)
    rig.perform(.setStandby(false))
    #expect(!rig.state.isStandby)
    #expect(rig.requests.isEmpty)
    #expect(rig.state.activeSource == .playlist)
    #expect(rig.currentID == 1)
  }

  @Test func whatWakes() {
    let wakes: [(Command, Bool)] = [
      (.av(.setMedia(b)), false), (.av(.play), true), (.av(.setMedia(nil)), false),
      (.av(.setNextMedia(b)), false),
      (.setVolume(.master, 5), false), (.setSource(.upnpAV), true), (.leaveStandby, true),
      (.playlist(.play), true), (.playlist(.playID(1)), true), (.playlist(.insert(after: 0, a)), false),
      (.playlist(.delete(1)), false), (.playlist(.deleteAll), false), (.playlist(.next), false),
      (.playlist(.setShuffle(true)), false), (.radio(.play), true), (.radio(.setChannel(.station)), true),
      (.radio(.stop), false), (.radio(.setPresets([.station])), false), (.transport(.play), true),
      (.transport(.skipNext), true), (.transport(.pause), false), (.transport(.stop), false),
    ]
    for (command, isAwake) in wakes {
      var rig = Rig.withPlaylist(2)
      rig.perform(.av(.setMedia(a)), .setSource(.playlist), .setStandby(true), command)
      #expect(rig.state.isStandby == !isAwake, "\(command)")
    }
  }

  @Test func startUpSettingsApplyWhenStandbyIsLeft() {
    let configuration = PlayerConfiguration(
      volumeLimit: 30, factoryVolume: 10, startupSource: .radio, startupVolume: 40)
    var rig = Rig(configuration)
    #expect(rig.state.volume.step(of: .master) == 30, "within the limit")
    rig.perform(.setVolume(.master, 7), .setSource(.playlist), .setStandby(true), .setStandby(false))
    #expect(rig.state.volume.step(of: .master) == 30)
    #expect(rig.state.activeSource == .radio)
    for command in [Command.setSource(.upnpAV), .playlist(.play), .leaveStandby] {
      rig.perform(.setSource(.upnpAV), .setVolume(.master, 7), .setStandby(true), command)
      #expect(rig.state.activeSource != .radio, "an action chooses its own source")
      #expect(rig.state.volume.step(of: .master) == 30)
    }
  }

  @Test func standbySurvivesARestart() {
    var rig = Rig.withPlaylist(1)
    rig.perform(.setSource(.radio), .setStandby(true))
    let again = Rig(PlayerConfiguration(startupVolume: 3), snapshot: rig.state.snapshot)
    #expect(again.state.isStandby)
    #expect(again.state.activeSource == .radio)
    #expect(again.state.volume.step(of: .master) != 3, "only when it is left")
  }

  // MARK: Transport:1

  @Test func transportSpeaksToTheActiveSource() {
    var rig = Rig.playing(1, of: 3)
    rig.perform(.transport(.pause))
    #expect(rig.phase == .paused)
    rig.perform(.transport(.play), .transport(.skipNext))
    #expect(rig.currentID == 2)
    rig.perform(.transport(.skipPrevious), .transport(.stop))
    #expect(rig.currentID == 1)
    #expect(rig.phase == .stopped)
    rig = .onAir()
    #expect(throws: PlayerError.notSupported) { try rig.attempt(.transport(.skipNext)) }
    rig.perform(.transport(.pause))
    #expect(rig.state.phase == .stopped, "a live stream can't be paused")
    rig.perform(.transport(.play))
    #expect(rig.state.phase == .buffering)
    rig = .playing()
    rig.perform(.av(.setNextMedia(b)), .transport(.pause))
    #expect(rig.shown == .pausedPlayback)
    rig.perform(.transport(.play))
    #expect(rig.shown == .playing)
    #expect(throws: PlayerError.notSupported) { try rig.attempt(.transport(.skipPrevious)) }
    rig.perform(.transport(.skipNext))
    #expect(rig.state.currentTrack == b)
    rig.perform(.transport(.stop))
    #expect(rig.shown == .stopped)
    var empty = Rig(PlayerConfiguration(openHomeEnabled: false))
    empty.perform(.transport(.play), .transport(.stop), .transport(.pause))
    #expect(empty.shown == .noMediaPresent)
  }

  @Test func seeksAreForTheCurrentStream() {
    var rig = Rig.playing(1, of: 2)
    let stream = rig.state.streamID
    #expect(stream != 0)
    rig.perform(.transport(.seek(to: .seconds(3), stream: stream)))
    #expect(rig.requests == [.seek(rig.id, .seconds(3))])
    rig.perform(.transport(.skip(by: .seconds(2), stream: stream)))
    #expect(rig.requests == [.seek(rig.id, .seconds(5))])
    rig.receive(.started(rig.nextID))
    #expect(rig.state.streamID != stream)
    #expect(throws: PlayerError.streamNotCurrent) {
      try rig.attempt(.transport(.seek(to: .zero, stream: stream)))
    }
    rig.perform(.setSource(.radio))
    #expect(rig.state.streamID == 0)
    #expect(throws: PlayerError.streamNotCurrent) { try rig.attempt(.transport(.skip(by: .zero, stream: 0))) }
  }

  @Test func seekingLeavesStandby() {
    var rig = Rig.playing(1, of: 2)
    rig.perform(.setStandby(true))
    rig.perform(.transport(.seek(to: .seconds(3), stream: rig.state.streamID)))
    #expect(!rig.state.isStandby)
    #expect(rig.phase == .buffering)
  }
}
