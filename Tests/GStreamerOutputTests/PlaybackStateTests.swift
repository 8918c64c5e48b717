import Testing

@testable import GStreamerOutput

/// Every state of playback, and everything that can happen in it.
@Suite struct PlaybackStateTests {
  enum Input: CaseIterable {
    case requestPause, requestPlay, load, stop, silence, fadedOut, run, isHeard, isReady, isEmpty, starve,
      refill
    case sendEnd, end
  }

  /// True if the input meant something.
  private static func perform(_ input: Input, _ playback: inout Playback) -> Bool {
    let before = playback
    switch input {
    case .requestPause: return playback.requestPause()
    case .requestPlay: return playback.requestPlay()
    case .load: playback.load()
    case .stop: playback.stop()
    case .silence: return playback.silence()
    case .fadedOut: playback.fadedOut()
    case .run: return playback.run()
    case .isHeard: return playback.isHeard()
    case .isReady: return playback.isReady(hasSamples: true)
    case .isEmpty: return playback.isReady(hasSamples: false)
    case .starve: return playback.starve()
    case .refill: return playback.refill()
    case .sendEnd: return playback.sendEnd()
    case .end: playback.end()
    }
    return playback != before
  }

  private static func playback(_ inputs: Input..., paused: Bool = false) -> Playback {
    var playback = Playback()
    playback.start(paused: paused)
    playback.load()
    for input in inputs { _ = perform(input, &playback) }
    return playback
  }

  /// All states that can be reached.
  private static let states: [Playback] = {
    var found = [Playback()]
    var at = 0
    while at < found.count {
      for input in Input.allCases {
        var next = found[at]
        _ = perform(input, &next)
        if !found.contains(next) { found.append(next) }
      }
      at += 1
    }
    return found
  }()

  @Test func everyPhaseIsReached() {
    #expect(Set(Self.states.map(\.phase)) == Set(Playback.Phase.allCases))
    #expect(Self.states.count <= 20)
  }

  @Test(arguments: Input.allCases)
  func anInputLeadsWhereItShall(_ input: Input) {
    for state in Self.states {
      var after = state
      let applies = Self.perform(input, &after)
      let (from, to) = (state.phase, after.phase)
      switch input {
      case .requestPause:
        #expect(applies == !state.isPaused)
        #expect(after.isPaused && from == to)
      case .requestPlay:
        #expect(applies == state.isPaused)
        #expect(!after.isPaused && from == to)
      case .load: #expect(to == .loading && !after.isEndSent)
      case .stop: #expect(to == .idle && !after.isEndSent)
      case .silence:
        #expect(applies == [.playing, .paused, .buffering].contains(from))
        #expect(to == (applies ? .paused : from))
      case .fadedOut: #expect(to == .paused)
      case .run:
        #expect(applies == [.paused, .loading].contains(from))
        #expect(to == (applies ? .loading : from))
      case .isHeard:
        #expect(applies == (from == .loading && !state.isPaused))
        #expect(to == (applies ? .playing : from))
      case .isReady, .isEmpty:
        let hasSamples = input == .isReady || state.isEndSent
        #expect(applies == (from == .loading && state.isPaused && hasSamples))
        #expect(to == (applies ? .paused : from))
      case .starve:
        #expect(applies == (from == .playing && !state.isEndSent))
        #expect(to == (applies ? .buffering : from))
      case .refill:
        #expect(applies == (from == .buffering))
        #expect(to == (applies ? .loading : from))
      case .sendEnd:
        #expect(applies == (from == .buffering))
        #expect(after.isEndSent && to == (applies ? .loading : from))
      case .end: #expect(!after.isEndSent && from == to)
      }
    }
  }

  @Test func aTrackPlaysPausesAndGoesOn() {
    #expect(Self.playback().phase == .loading)
    #expect(Self.playback(.isHeard).phase == .playing)
    #expect(Self.playback(.isHeard, .requestPause, .fadedOut).phase == .paused)
    #expect(Self.playback(.isHeard, .requestPause, .silence, .requestPlay, .run).phase == .loading)
    #expect(Self.playback(.isHeard, paused: true).phase == .loading)
    #expect(Self.playback(.isReady, paused: true).phase == .paused)
    #expect(Self.playback(.isHeard, .starve, .refill, .isHeard).phase == .playing)
  }
}
