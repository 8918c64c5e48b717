import Testing

@testable import Player

/// Every situation with every command: what is shown afterwards and what the output is told, or the refusal.
@Suite struct StateTableTests {
  enum Outcome: Equatable {
    case shows(AVTransportState, [String])
    case refuses(PlayerError)
  }

  typealias Row = [Situation: Outcome]

  static func refusal(_ situations: [Situation], _ error: PlayerError = .transitionNotAvailable) -> Row {
    Dictionary(uniqueKeysWithValues: situations.map { ($0, .refuses(error)) })
  }

  static let live: [Situation] = [.loading, .pausedWhileLoading, .playing, .buffering, .paused, .cued]

  static let rows: [(AVCommand, Row)] = [
    (
      .setMedia(c),
      [
        .noMedia: .shows(.stopped, ["prepare"]),
        .stopped: .shows(.stopped, ["prepare"]),
        .resolving: .shows(.transitioning, ["start"]),
        .loading: .shows(.transitioning, ["start"]),
        .pausedWhileLoading: .shows(.transitioning, ["start"]),
        .playing: .shows(.transitioning, ["start"]),
        .buffering: .shows(.transitioning, ["start"]),
        .paused: .shows(.pausedPlayback, ["start"]),
        .cued: .shows(.pausedPlayback, ["start"]),
      ]
    ),
    (
      .setMedia(nil),
      [.noMedia, .stopped, .resolving].reduce(into: Row()) { $0[$1] = .shows(.noMediaPresent, []) }
        .merging(live.map { ($0, .shows(.noMediaPresent, ["stop"])) }) { $1 }
    ),
    (
      .setNextMedia(c),
      [
        .noMedia: .refuses(.transitionNotAvailable),
        .stopped: .shows(.stopped, []),
        .resolving: .shows(.transitioning, []),
        .loading: .shows(.transitioning, ["setNext"]),
        .pausedWhileLoading: .shows(.transitioning, ["setNext"]),
        .playing: .shows(.playing, ["setNext"]),
        .buffering: .shows(.transitioning, ["setNext"]),
        .paused: .shows(.pausedPlayback, ["setNext"]),
        .cued: .shows(.pausedPlayback, ["setNext"]),
      ]
    ),
    (
      .play,
      [
        .noMedia: .refuses(.transitionNotAvailable),
        .stopped: .shows(.transitioning, ["start"]),
        .resolving: .shows(.transitioning, []),
        .loading: .shows(.transitioning, []),
        .pausedWhileLoading: .shows(.transitioning, ["resume"]),
        .playing: .shows(.playing, []),
        .buffering: .shows(.transitioning, []),
        .paused: .shows(.playing, ["resume"]),
        .cued: .shows(.transitioning, ["resume"]),
      ]
    ),
    (
      .pause,
      [
        .noMedia: .refuses(.transitionNotAvailable),
        .stopped: .refuses(.transitionNotAvailable),
        .resolving: .shows(.transitioning, []),
        .loading: .shows(.transitioning, ["pause"]),
        .pausedWhileLoading: .shows(.transitioning, []),
        .playing: .shows(.pausedPlayback, ["pause"]),
        .buffering: .shows(.transitioning, ["pause"]),
        .paused: .shows(.pausedPlayback, []),
        .cued: .shows(.pausedPlayback, []),
      ]
    ),
    (
      .stop,
      [
        .noMedia: .refuses(.transitionNotAvailable),
        .stopped: .shows(.stopped, []),
        .resolving: .shows(.stopped, []),
      ].merging(live.map { ($0, .shows(.stopped, ["stop"])) }) { $1 }
    ),
    (
      .seek(to: .seconds(10)),
      [
        .noMedia: .refuses(.transitionNotAvailable),
        .stopped: .shows(.stopped, []),
        .resolving: .shows(.transitioning, []),
        .loading: .shows(.transitioning, ["start"]),
        .pausedWhileLoading: .shows(.transitioning, ["start"]),
        .playing: .shows(.playing, ["seek"]),
        .buffering: .shows(.transitioning, ["seek"]),
        .paused: .shows(.pausedPlayback, ["seek"]),
        .cued: .shows(.pausedPlayback, ["start"]),
      ]
    ),
    (
      .seekTrack(1),
      [
        .noMedia: .refuses(.transitionNotAvailable),
        .stopped: .shows(.stopped, []),
        .resolving: .shows(.transitioning, []),
        .loading: .shows(.transitioning, ["start"]),
        .pausedWhileLoading: .shows(.transitioning, ["start"]),
        .playing: .shows(.transitioning, ["start"]),
        .buffering: .shows(.transitioning, ["start"]),
        .paused: .shows(.pausedPlayback, ["start"]),
        .cued: .shows(.pausedPlayback, ["start"]),
      ]
    ),
    (
      .seekTrack(2),
      refusal([.noMedia]).merging(refusal([.stopped, .resolving] + live, .illegalSeekTarget)) { $1 }
    ),
    (
      .next,
      refusal([.noMedia]).merging(refusal([.stopped, .resolving] + live, .illegalSeekTarget)) { $1 }
    ),
    (
      .previous,
      refusal([.noMedia]).merging(refusal([.stopped, .resolving] + live, .illegalSeekTarget)) { $1 }
    ),
    (
      .setMedia(Media(uri: "ftp://server/a.flac")),
      refusal(Situation.allCases, .resourceNotFound)
    ),
    (
      .setNextMedia(Media(uri: "rtsp://server/a")),
      refusal([.noMedia]).merging(refusal([.stopped, .resolving] + live, .resourceNotFound)) { $1 }
    ),
    (
      .setMedia(Media(uri: "http://server/a", contentFormat: "image/jpeg")),
      refusal(Situation.allCases, .illegalMIMEType)
    ),
  ]

  @Test(arguments: rows.indices, Situation.allCases) func pair(index: Int, situation: Situation) throws {
    let (command, row) = Self.rows[index]
    let expected = try #require(row[situation])
    var rig = situation.rig
    let before = rig.state
    let outcome: Outcome
    do throws(PlayerError) {
      try rig.attempt(.av(command))
      outcome = .shows(rig.shown, rig.requestNames)
    } catch {
      outcome = .refuses(error)
      #expect(rig.state == before, "a refusal changes nothing")
    }
    #expect(outcome == expected, "\(command) when \(situation)")
  }

  @Test(arguments: Situation.allCases) func playModeAndVolumeAlwaysWork(situation: Situation) {
    var rig = situation.rig
    let shown = rig.shown
    rig.perform(.av(.setPlayMode(.repeatOne)), .setVolume(.master, 7), .setMute(.left, true))
    #expect(rig.state.av.playMode == .repeatOne)
    #expect(rig.state.volume.step(of: .master) == 7)
    #expect(rig.shown == shown)
  }

  /// An action is offered if and only if it is accepted and does something.
  @Test(arguments: Situation.allCases) func actionsAreHonest(situation: Situation) {
    expectHonestActions(situation.rig)
  }

  @Test func actionsAsControlPointsKnowThem() {
    #expect(Situation.noMedia.rig.state.availableActions == [])
    #expect(Situation.stopped.rig.state.availableActions == [.play, .seek])
    #expect(Situation.playing.rig.state.availableActions == [.pause, .stop, .seek])
    #expect(Situation.paused.rig.state.availableActions == [.play, .stop, .seek])
    var rig = Rig.playing([a, b, c])
    #expect(rig.state.availableActions == [.pause, .stop, .seek, .next, .seekTrack])
    rig.av(.next)
    #expect(rig.state.availableActions == [.pause, .stop, .seek, .next, .previous, .seekTrack])
    rig.receive(.seekable(rig.id, false))
    #expect(rig.state.availableActions == [.pause, .stop, .next, .previous, .seekTrack])
  }
}

func expectHonestActions(
  _ rig: Rig, _ comment: String = "", sourceLocation: SourceLocation = #_sourceLocation
) {
  let commands: [(TransportAction, AVCommand)] = [
    (.play, .play), (.pause, .pause), (.stop, .stop), (.next, .next), (.previous, .previous),
    (.seek, .seek(to: rig.state.avPosition(at: rig.now) == .zero ? .milliseconds(1) : .zero)),
    (.seekTrack, .seekTrack(rig.state.avTrackNumber == 1 ? 2 : 1)),
  ]
  for (action, command) in commands {
    var copy = rig
    var works = true
    do { try copy.attempt(.av(command)) } catch { works = false }
    // Whom the next Play is for doesn't show.
    copy.state.awaitedSource = rig.state.awaitedSource
    copy.state.av.isAwaited = rig.state.av.isAwaited
    let acts = works && (copy.state != rig.state || !copy.requests.isEmpty)
    #expect(
      rig.state.availableActions.contains(action) == acts, "\(action) in \(rig.state.transport) \(comment)",
      sourceLocation: sourceLocation)
  }
}
