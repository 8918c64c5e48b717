import Testing

@testable import Player

/// Preparing is silent: what another source plays goes on until Play.
@Suite struct PreparationTests {
  @Test func aCastIsPreparedWhileThePlaylistPlays() {
    var rig = Rig.playing(2, of: 3)
    let id = rig.id
    rig.av(.setMedia(a))
    #expect(rig.requests.isEmpty)
    #expect(rig.id == id)
    #expect(rig.state.activeSource == .playlist)
    #expect(rig.phase == .playing)
    #expect(rig.shown == .stopped)
    #expect(rig.state.avMedia == a)
    #expect(rig.state.availableActions == [.play, .seek, .stop])
    #expect(throws: PlayerError.transitionNotAvailable) { try rig.attempt(.av(.pause)) }
    rig.av(.play)
    #expect(rig.requests == [.stop, .start(rig.id, a, position: .zero, paused: false)])
    #expect(rig.state.activeSource == .upnpAV)
    #expect(rig.shown == .transitioning)
    #expect(rig.phase == .stopped)
  }

  /// Somebody's cast that never gets its Play hides what plays; Stop still means silence.
  @Test func stopSilencesWhatPlaysBesideAPreparedCast() {
    var rig = Rig.playing(2, of: 3)
    rig.av(.setMedia(a))
    rig.av(.stop)
    #expect(rig.requests == [.stop])
    #expect(rig.phase == .stopped)
    #expect(rig.shown == .stopped)
    #expect(rig.state.avMedia == a)
    rig.av(.play)
    #expect(rig.state.activeSource == .upnpAV)
  }

  @Test func aPreparedCastCanBeSoughtInAndFollowed() {
    var rig = Rig.playing(1, of: 2)
    let position = rig.position
    rig.av(.setMedia(a), .setNextMedia(b), .seek(to: .seconds(30)))
    #expect(rig.requests.isEmpty)
    #expect(rig.position == position)
    #expect(rig.state.avPosition(at: rig.now) == .seconds(30))
    rig.av(.play)
    #expect(rig.requests.contains(.start(rig.id, a, position: .seconds(30), paused: false)))
    #expect(rig.requestNames == ["stop", "start", "setNext"])
    #expect(rig.state.offer?.track.media == b)
  }

  @Test func aPreparedListIsMovedInSilently() {
    var rig = Rig.playing(1, of: 2)
    rig.av(.setMedia(.container("list")))
    rig.answer(.entries([a, b, c]))
    #expect(rig.requests.isEmpty)
    rig.av(.next)
    #expect(rig.state.avTrack == b)
    rig.av(.seekTrack(3))
    #expect(rig.state.avTrack == c)
    rig.av(.previous)
    #expect(rig.phase == .playing)
    #expect(rig.state.activeSource == .playlist)
    expectHonestActions(rig)
    rig.av(.play)
    #expect(rig.requests.contains(.start(rig.id, b, position: .zero, paused: false)))
  }

  @Test func preparingLeavesStandbyToPlay() {
    var rig = Rig.withPlaylist(1)
    rig.perform(.setStandby(true), .av(.setMedia(a)))
    #expect(rig.state.isStandby)
    #expect(rig.requests.isEmpty)
    rig.av(.play)
    #expect(!rig.state.isStandby)
    #expect(rig.shown == .transitioning)
  }

  @Test func aCastOverItsOwnPlaysOn() {
    var rig = Rig.playing()
    rig.av(.setMedia(b))
    #expect(rig.requests == [.start(rig.id, b, position: .zero, paused: false)])
  }

  @Test(arguments: [RadioCommand.setChannel(.station), .setID(1, uri: "")]) func aStationIsChosen(
    _ choice: RadioCommand
  ) {
    for afterwards in [Command.radio(.play), .transport(.play)] {
      var rig = Rig.playing(1, of: 2)
      rig.radio(.setPresets([.station]))
      let id = rig.id
      rig.radio(choice)
      #expect(rig.requests.isEmpty)
      #expect(rig.id == id)
      #expect(rig.phase == .playing)
      #expect(rig.state.activeSource == .playlist)
      #expect(rig.state.radio.channel == .station)
      rig.perform(afterwards)
      #expect(rig.requests == [.stop, .start(rig.id, .station, position: .zero, paused: false)])
      #expect(rig.state.activeSource == .radio)
    }
  }

  /// Somebody else has pressed Play in between.
  @Test func aCastsPlayIsItsOwn() {
    for before in [Rig.withPlaylist(2), .withPlaylist(2, active: false), .playing(1, of: 2)] {
      var rig = before
      rig.av(.stop)
      rig.av(.setMedia(a))
      rig.playlist(.playID(2))
      expectHonestActions(rig)
      rig.start()
      #expect(rig.shown == .playing)
      #expect(rig.state.avMedia == .numbered(2), "what is heard is shown")
      #expect(rig.state.availableActions.isSuperset(of: [.play, .pause, .stop]))
      expectHonestActions(rig)
      rig.av(.play)
      #expect(rig.requests.contains(.start(rig.id, a, position: .zero, paused: false)))
      #expect(rig.state.activeSource == .upnpAV)
      #expect(rig.state.avMedia == a)
      #expect(rig.phase == .stopped)
      rig.start()
      // From now on it waits for no Play any more.
      rig.playlist(.play)
      rig.start()
      rig.av(.play)
      #expect(rig.state.activeSource == .playlist)
    }
  }

  /// The playlist that was begun in between has ended, or somebody has stopped it or switched to standby.
  @Test func aCastsPlayIsItsOwnInSilence() {
    for end in [Command.playlist(.stop), .setStandby(true)] {
      var rig = Rig.withPlaylist(1)
      rig.av(.setMedia(a))
      rig.playlist(.playID(1))
      rig.start()
      rig.av(.setNextMedia(b))
      rig.perform(end)
      #expect(rig.shown == .noMediaPresent)
      expectHonestActions(rig)
      rig.av(.play)
      #expect(rig.requests.contains(.start(rig.id, a, position: .zero, paused: false)))
      rig.start()
      #expect(rig.state.avMedia == a)
      #expect(rig.state.avNextMedia == b)
      expectHonestActions(rig)
    }
  }

  /// What another source plays was paused, stopped or skipped by the AV device: Play is for that.
  @Test(arguments: [AVCommand.pause, .stop, .next, .seek(to: .seconds(9))])
  func whoHandlesWhatPlaysIsNotWaitedFor(_ command: AVCommand) {
    var rig = Rig.withPlaylist(3)
    rig.av(.setMedia(a))
    rig.playlist(.playID(2))
    rig.start()
    rig.av(command)
    rig.start()
    expectHonestActions(rig)
    rig.av(.play)
    #expect(rig.state.activeSource == .playlist)
  }

  /// Whoever has paused the playlist, Play goes on with it.
  @Test func playGoesOnWithWhatIsPaused() {
    var rig = Rig.withPlaylist(3)
    rig.av(.setMedia(a))
    rig.playlist(.playID(2))
    rig.start()
    rig.playlist(.pause)
    rig.receive(.paused(rig.id, position: rig.position))
    expectHonestActions(rig)
    rig.av(.play)
    #expect(rig.state.activeSource == .playlist)
    #expect(rig.phase == .playing)
  }

  @Test func aStationThatWasChosenWaitsForNobodyElsesPlay() {
    var rig = Rig.playing(1, of: 2)
    rig.radio(.setChannel(.station))
    rig.playlist(.playID(2))
    rig.start()
    rig.perform(.transport(.pause), .transport(.play))
    #expect(rig.state.activeSource == .playlist)
    rig.radio(.setChannel(Media(uri: "")))
    rig.perform(.transport(.pause), .transport(.play))
    #expect(rig.state.activeSource == .playlist, "there is no station any more")
  }

  /// Whoever handles what plays means that with the next Play, too, and not a station that somebody has chosen.
  @Test(arguments: [
    [Command.transport(.pause), .transport(.play)], [.playlist(.pause), .transport(.play)],
    [.playlist(.stop), .transport(.play)], [.transport(.stop), .transport(.play)],
    [.av(.pause), .transport(.play)],
    [.av(.stop), .transport(.play)], [.playlist(.next), .transport(.play)],
    [.av(.seek(to: .seconds(1))), .transport(.play)],
  ])
  func whoHandlesThePlaylistGoesOnWithIt(commands: [Command]) {
    var rig = Rig.playing(1, of: 3)
    rig.radio(.setChannel(.station))
    for command in commands { rig.perform(command) }
    #expect(rig.state.activeSource == .playlist)
    #expect(rig.phase != .stopped)
  }

  @Test func editingDoesNotHandleThePlaylist() {
    var rig = Rig.playing(1, of: 3)
    rig.radio(.setChannel(.station))
    rig.playlist(.setRepeat(true))
    rig.perform(.setVolume(.master, 10), .transport(.play))
    #expect(rig.state.activeSource == .radio)
  }

  @Test func aStationIsChosenAtOnceInSilence() {
    var rig = Rig.withPlaylist(1)
    rig.radio(.setChannel(.station))
    #expect(rig.state.activeSource == .radio)
    #expect(rig.state.currentTrack == .station)
  }
}

/// The UPnP AV device shows what plays, whoever has started it.
@Suite struct AVShowsOthersTests {
  @Test func whatThePlaylistPlaysIsShownAndHandled() {
    var rig = Rig.playing(1, of: 3)
    #expect(rig.shown == .playing)
    #expect(rig.state.avMedia == .numbered(1))
    #expect(rig.state.availableActions == [.pause, .stop, .seek, .next])
    rig.av(.pause)
    #expect(rig.phase == .paused)
    #expect(rig.shown == .pausedPlayback)
    rig.av(.play)
    #expect(rig.requestNames == ["resume"])
    rig.av(.play)
    #expect(rig.requests.isEmpty, "it plays already")
    rig.av(.next)
    #expect(rig.currentID == 2)
    rig.start()
    rig.av(.previous, .seek(to: .seconds(20)))
    #expect(rig.currentID == 1)
    #expect(rig.state.avPosition(at: rig.now) == .seconds(20))
    #expect(throws: PlayerError.illegalSeekTarget) { try rig.attempt(.av(.previous)) }
    #expect(throws: PlayerError.illegalSeekTarget) { try rig.attempt(.av(.seekTrack(2))) }
    #expect(throws: PlayerError.transitionNotAvailable) { try rig.attempt(.av(.setNextMedia(b))) }
    #expect(rig.state.activeSource == .playlist)
  }

  @Test func whoeverSaysStopSeesItAndMaySayPlay() {
    var rig = Rig.playing(2, of: 3)
    rig.av(.stop)
    #expect(rig.requestNames == ["stop"])
    #expect(rig.phase == .stopped)
    #expect(rig.shown == .stopped)
    #expect(rig.state.avMedia == .numbered(2))
    #expect(rig.state.availableActions == [.play, .seek, .next, .previous])
    expectHonestActions(rig)
    rig.av(.play)
    #expect(rig.shown == .transitioning)
    #expect(rig.currentID == 2)
    #expect(rig.state.activeSource == .playlist)
  }

  /// UPnP AV's Next moves, in whatever state it is; only OpenHome's plays as well.
  @Test func skippingPlaysNothing() {
    var rig = Rig.playing(2, of: 3)
    rig.av(.stop)
    rig.av(.next)
    #expect(rig.requests.isEmpty)
    #expect(rig.shown == .stopped)
    #expect(rig.state.avTrack == .numbered(3))
    rig.av(.previous)
    #expect(rig.currentID == 2)
    #expect(rig.requests.isEmpty)
    rig.perform(.setStandby(true), .av(.previous))
    #expect(rig.state.isStandby)
    #expect(rig.shown == .stopped)
    #expect(rig.currentID == 1)
    rig.perform(.setStandby(false), .av(.play))
    #expect(rig.requests.first == .start(rig.id, .numbered(1), position: .zero, paused: false))
    rig.start()
    rig.playlist(.stop, .next)
    #expect(rig.phase == .buffering)
  }

  @Test func skippingKeepsAPause() {
    var rig = Rig.playing(1, of: 3)
    rig.av(.pause)
    rig.receive(.paused(rig.id, position: rig.position))
    rig.av(.next)
    #expect(rig.shown == .pausedPlayback)
    #expect(rig.requests.first == .start(rig.id, .numbered(2), position: .zero, paused: true))
  }

  /// The next media of a cast that is stopped becomes its media, and waits for Play.
  @Test func skippingToTheNextMediaPlaysNothing() {
    var rig = Rig.playing()
    rig.av(.setNextMedia(b), .stop, .next)
    #expect(rig.requests.isEmpty)
    #expect(rig.shown == .stopped)
    #expect(rig.state.avMedia == b)
    #expect(rig.state.avNextMedia == nil)
    rig.perform(.setStandby(true), .av(.setNextMedia(c)), .av(.next))
    #expect(rig.state.isStandby)
    #expect(rig.state.avMedia == c)
    rig.av(.play)
    #expect(rig.requests.first == .start(rig.id, c, position: .zero, paused: false))
  }

  /// A control point that goes on with its next track whenever it reads STOPPED would take over from whoever has stopped
  /// the music.
  @Test func noCastIsToldOfAnEndThatIsNotItsOwn() {
    let ends: [(inout Rig) -> Void] = [
      { $0.playlist(.stop) }, { $0.perform(.transport(.stop)) }, { $0.playlist(.deleteAll) },
      { $0.perform(.setStandby(true)) }, { $0.perform(.setSource(.radio)) },
      { $0.receive(.ended($0.id)) }, { $0.receive(.failed($0.id, broken)) },
    ]
    for (index, end) in ends.enumerated() {
      var rig = Rig.playing()
      rig.playlist(.insert(after: 0, b), .play)
      #expect(rig.shown == .transitioning, "never stopped on the way")
      rig.start()
      #expect(rig.shown == .playing)
      #expect(rig.state.avMedia == b)
      end(&rig)
      #expect(rig.shown == .noMediaPresent, "\(index)")
      #expect(rig.state.avMedia == nil)
      #expect(rig.state.availableActions == [])
      #expect(throws: PlayerError.transitionNotAvailable) { try rig.attempt(.av(.play)) }
    }
  }

  @Test func aCastThatIsEndedByChoosingASourceIsOver() {
    var rig = Rig.playing()
    rig.perform(.setSource(.playlist))
    #expect(rig.shown == .noMediaPresent)
    rig.perform(.setSource(.upnpAV))
    #expect(rig.shown == .stopped, "and can be played again when its source is chosen")
    #expect(rig.state.avMedia == a)
  }

  @Test func aStationCantBePausedOrSkipped() {
    var rig = Rig.onAir()
    #expect(rig.shown == .playing)
    #expect(rig.state.avMedia == .station)
    #expect(rig.state.availableActions == [.stop])
    expectHonestActions(rig)
    rig.av(.stop)
    #expect(rig.shown == .stopped)
    #expect(rig.state.availableActions == [.play])
    rig.av(.play)
    #expect(rig.state.phase(of: .radio) == .buffering)
  }

  @Test func whatTakesOverIsShownInPlaceOfWhatWasPrepared() {
    var rig = Rig.playing(1, of: 3)
    rig.av(.setMedia(a))
    rig.receive(.started(rig.nextID))
    #expect(rig.shown == .stopped, "the next track of what plays anyway takes nothing over")
    rig.playlist(.stop)
    #expect(rig.shown == .stopped)
    rig.playlist(.play)
    #expect(rig.shown == .transitioning)
    #expect(rig.state.avMedia == .numbered(2))
  }

  @Test func nothingIsShownThatNobodyPlays() {
    var rig = Rig.withPlaylist(3)
    #expect(rig.shown == .noMediaPresent)
    rig.radio(.setChannel(.station))
    #expect(rig.shown == .noMediaPresent)
  }
}
