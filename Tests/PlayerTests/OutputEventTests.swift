import Testing

@testable import Player

@Suite struct OutputEventTests {
  enum Event: CaseIterable {
    case started, playing, paused, buffering, ended, failed

    func event(_ id: PlayID) -> OutputEvent {
      switch self {
      case .started: .started(id)
      case .playing: .playing(id, position: .seconds(3))
      case .paused: .paused(id, position: .seconds(3))
      case .buffering: .buffering(id)
      case .ended: .ended(id)
      case .failed: .failed(id, broken)
      }
    }
  }

  /// What is shown after each event about the current track.
  static let table: [Situation: [Event: AVTransportState]] = [
    .loading: [
      .started: .playing, .playing: .playing, .paused: .transitioning, .buffering: .transitioning,
      .ended: .stopped, .failed: .stopped,
    ],
    .pausedWhileLoading: [
      .started: .transitioning, .playing: .transitioning, .paused: .pausedPlayback,
      .buffering: .transitioning, .ended: .stopped, .failed: .stopped,
    ],
    .playing: [
      .started: .playing, .playing: .playing, .paused: .playing, .buffering: .transitioning,
      .ended: .stopped, .failed: .stopped,
    ],
    .buffering: [
      .started: .playing, .playing: .playing, .paused: .transitioning, .buffering: .transitioning,
      .ended: .stopped, .failed: .stopped,
    ],
    .paused: [
      .started: .pausedPlayback, .playing: .pausedPlayback, .paused: .pausedPlayback,
      .buffering: .pausedPlayback, .ended: .stopped, .failed: .stopped,
    ],
    .cued: [
      .started: .pausedPlayback, .playing: .pausedPlayback, .paused: .pausedPlayback,
      .buffering: .pausedPlayback, .ended: .stopped, .failed: .stopped,
    ],
  ]

  @Test(arguments: Array(table.keys), Event.allCases) func pair(situation: Situation, event: Event) throws {
    var rig = situation.rig
    rig.receive(event.event(rig.id))
    let expected = try #require(Self.table[situation]?[event])
    #expect(rig.shown == expected, "\(event) when \(situation)")
    if event == .failed { #expect(rig.state.failure == broken) }
  }

  @Test(arguments: Situation.allCases, Event.allCases) func staleEventsChangeNothing(
    situation: Situation, event: Event
  ) {
    var rig = situation.rig
    let before = rig.state
    // Older than the current attempt, and (when stopped) the last attempt itself.
    for value in 0..<max(rig.id.value, 1) { rig.receive(event.event(PlayID(value))) }
    #expect(rig.state == before)
    #expect(rig.requests.isEmpty)
  }

  @Test func eventsOfAStoppedTrackFallThrough() {
    var rig = Rig.playing()
    let id = rig.id
    rig.av(.stop)
    let before = rig.state
    for event in Event.allCases { rig.receive(event.event(id)) }
    #expect(rig.state == before)
  }

  @Test func idsAreNeverReused() {
    var rig = Rig.playing()
    var seen: Set<PlayID> = [rig.id]
    for _ in 0..<10 {
      rig.av(.stop, .play)
      #expect(seen.insert(rig.id).inserted)
    }
  }

  @Test func failureShowsUntilSomethingIsHeard() {
    var rig = Rig.playing()
    rig.receive(.failed(rig.id, broken))
    #expect(rig.shown == .stopped)
    #expect(rig.state.failure == broken)
    #expect(rig.reports == [.failed(a, broken)])
    #expect(rig.state.av.media == a)
    rig.av(.play)
    #expect(rig.state.failure == broken)
    rig.start()
    #expect(rig.state.failure == nil)
    #expect(rig.shown == .playing)
  }

  @Test func otherMediaClearsTheFailure() {
    var rig = Rig.playing()
    rig.receive(.failed(rig.id, broken))
    rig.av(.setMedia(b))
    #expect(rig.state.failure == nil)
  }

  @Test func factsBelongToTheTrack() {
    var rig = Rig.playing(.track("a", duration: .seconds(9)))
    #expect(rig.state.duration == .seconds(9))
    let details = StreamDetails(codecName: "FLAC", isLossless: true, sampleRate: 44100, channels: 2)
    rig.receive(
      .duration(rig.id, .seconds(10)), .details(rig.id, details), .tags(rig.id, StreamTags(title: "T")),
      .seekable(rig.id, true))
    #expect(rig.state.duration == .seconds(10))
    #expect(rig.state.facts.details == details)
    #expect(rig.state.facts.tags?.title == "T")
    rig.receive(.duration(rig.id, .zero))
    #expect(rig.state.duration == .seconds(9), "0 means unknown")
    rig.av(.setMedia(b))
    #expect(rig.state.facts == TrackFacts())
  }

  @Test func endOfTheLastTrackKeepsTheMedia() {
    var rig = Rig.playing()
    rig.wait(.seconds(5))
    rig.receive(.ended(rig.id))
    #expect(rig.shown == .stopped)
    #expect(rig.position == .zero)
    #expect(rig.state.av.media == a)
    #expect(rig.state.failure == nil)
    #expect(rig.reports == [.finished(a)])
  }

  @Test func anEmptyRepeatedTrackComesToRest() {
    var rig = Rig()
    rig.av(.setPlayMode(.repeatOne), .setMedia(a), .play)
    var starts = 0
    while rig.shown != .stopped, starts < 20 {
      starts += 1
      rig.receive(.ended(rig.id))
    }
    #expect(starts < 5)
    #expect(rig.state.failure != nil)
  }
}
