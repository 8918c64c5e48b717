import Testing

@testable import Player

/// What every source promises, and how little a new one has to say.
@Suite struct PlayerSourceTests {
  /// A fourth source, with nothing but what has no default.
  private struct LineInput: PlayerSource {
    var track: Media? = Media(uri: "http://line/in")
  }

  @Test func aSourceNeedsOnlyATrack() throws {
    var line = LineInput()
    var random = SplitMix64(seed: 1)
    let cue = try #require(line.track)
    #expect(line.cue == .track(cue))
    #expect(LineInput(track: nil).cue == .nothing)
    let changes: [SourceChange] = [
      .open(.empty), .prepareFollower, .advance, .move(.ahead), .move(.back), .rewind,
      .dropFollower(because: broken), .dataArrived, .heard,
    ]
    let before = line
    for change in changes { _ = line.apply(change, using: &random) }
    #expect(line == before)
    for direction in [SkipDirection.ahead, .back] { #expect(!line.canSkip(direction)) }
    #expect(!line.canRepeat && !line.canShuffle && !line.canPauseLive && !line.canResume)
    var saved = Rig().state.saved()
    line.save(in: &saved)
    #expect(saved == Rig().state.saved())
  }

  /// The rules that a new source gets act on whichever source is active.
  @Test func theRulesHaveDefaults() throws {
    var transition = Transition(Rig.playing(a).state, at: Rig().now)
    LineInput.selected(&transition)
    LineInput.left(&transition)
    LineInput.willReconnect(&transition)
    #expect(transition.effects.isEmpty)
    #expect(throws: PlayerError.notSupported) { try LineInput.skip(.ahead, &transition) }
    LineInput.stop(&transition)
    #expect(transition.state.transport == .stopped)
    try LineInput.play(&transition)
    #expect(transition.state.transport.continuation == .playing)
    LineInput.failed(broken, &transition)
    #expect(transition.state.transport == .stopped)
    #expect(transition.state.failure == broken)
    var nothing = Transition(Rig().state, at: Rig().now)
    try LineInput.play(&nothing)
    #expect(nothing.state == Rig().state)
  }

  @Test func theSourcesKeepTheirWord() throws {
    check(LineInput())
    check(LineInput(track: nil))
    check(Radio(channel: nil, wasPreset: false))
    check(Radio(channel: .station, wasPreset: false))
    let list = try #require(TrackList(container: .container("list"), entries: [a, b, c]))
    for mode in PlayMode.allCases {
      for next in [MediaContent.empty, .tracks(TrackList(track: c)), .unresolved(.container("next"))] {
        var queue = AVQueue()
        check(queue)
        var random = SplitMix64(seed: 2)
        queue.setPlayMode(mode, using: &random)
        queue.replaceNext(with: next)
        queue.open(.tracks(list), using: &random)
        for _ in 0..<4 {
          check(queue)
          _ = queue.advance(using: &random)
        }
      }
    }
    for (isRepeating, isShuffling) in [(false, false), (false, true), (true, false), (true, true)] {
      for count in 0...3 {
        var random = SplitMix64(seed: UInt64(count))
        var playlist = Playlist(
          tracks: PlaylistTracks((0..<count).map { PlaylistTrack(id: UInt32($0 + 1), media: a) }, lastID: 0),
          isRepeating: isRepeating, isShuffling: isShuffling, using: &random)
        for _ in 0..<4 {
          check(playlist)
          _ = playlist.advance(using: &random)
        }
      }
    }
  }

  /// What is said to follow does follow, and what isn't there doesn't change anything.
  private func check(_ source: some PlayerSource) {
    var random = SplitMix64(seed: 3)
    var prepared = source
    prepared.prepareFollower(using: &random)
    var next = prepared
    let hasAdvanced = next.advance(using: &random)
    if let follower = prepared.follower {
      #expect(hasAdvanced && next.track == follower, "\(source)")
    }
    if !hasAdvanced { #expect(next == prepared, "\(source)") }
    for direction in [SkipDirection.ahead, .back] {
      var moved = source
      let isMoved = moved.move(direction, using: &random)
      #expect(isMoved == source.hasTrack(direction), "\(source)")
      if isMoved { #expect(source.canSkip(direction), "\(source)") }
    }
    var first = source
    first.rewind(using: &random)
    #expect(first.skipped == 0, "\(source)")
  }

  @Test func everySourceIsFound() {
    var state = Rig().state
    let types = SourceKind.allCases.map { ObjectIdentifier(state.rules(of: $0)) }
    #expect(Set(types).count == SourceKind.allCases.count)
    let before = state
    for source in SourceKind.allCases {
      state.change(source, .open(.unresolved(.container("list"))))
      #expect(
        (state.ask(source) { $0.cue } != .nothing) == ([.radio, .upnpAV].contains(source)),
        "the others know their tracks")
    }
    #expect(state.playlist == before.playlist)
  }
}
