import Foundation
import Logging
import Player
import Testing

@testable import vireod

/// Plays nothing, and says nothing.
private struct Silence: AudioOutput {
  func submit(_ request: OutputRequest) {}
}

/// A player's state that is told what a control point and the output would tell it.
private struct Scene {
  var state = PlayerState()
  var watch = HookWatch(PlayerState(), TransportHooks(now: PlayerInstant(nanoseconds: 0)))
  /// `[hooks] off-delay`
  var offDelay = Duration.zero

  mutating func change(_ body: (inout PlayerState) throws -> Void) rethrows -> [Hook] {
    let old = state
    try body(&state)
    return watch.take(old, state, offDelay: offDelay, now: PlayerInstant(nanoseconds: 0))
  }

  mutating func command(_ command: Command) throws -> [Hook] {
    try change { _ = try $0.apply(command, at: PlayerInstant(nanoseconds: 0)) }
  }

  /// `make` gets the id of the track that plays or loads.
  mutating func event(_ make: (PlayID) -> OutputEvent) throws -> [Hook] {
    let id = try #require(state.transport.playID)
    return change { _ = $0.apply(make(id), at: PlayerInstant(nanoseconds: 0)) }
  }
}

@Suite struct HookWatchTests {
  private let media = Media(
    uri: "http://192.0.2.1/a.flac",
    metadata: """
      <DIDL-Lite xmlns="urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/" xmlns:dc="http://purl.org/dc/elements/1.1/" \
      xmlns:upnp="urn:schemas-upnp-org:metadata-1-0/upnp/"><item id="1" parentID="0" restricted="1">\
      <dc:title>Title</dc:title><upnp:artist>Artist</upnp:artist><upnp:album>Album</upnp:album>\
      <upnp:class>object.item.audioItem.musicTrack</upnp:class></item></DIDL-Lite>
      """)

  @Test func aPlayedTrackIsPlayAndTrack() throws {
    var scene = Scene()
    #expect(try scene.command(.av(.setMedia(media))) == [])
    #expect(try scene.command(.av(.play)) == [.play], "before anything is heard")
    var hooks = try scene.event { .started($0) }
    hooks += try scene.event { .playing($0, position: .zero) }
    #expect(hooks == [.track])
    #expect(try scene.event { .buffering($0) } == [], "waiting for data isn't an end")
    #expect(try scene.event { .playing($0, position: .zero) } == [])
    hooks = try scene.command(.av(.pause))
    hooks += try scene.event { .paused($0, position: .zero) }
    #expect(hooks == [.pause])
    hooks = try scene.command(.av(.play))
    hooks += try scene.event { .playing($0, position: .zero) }
    #expect(hooks == [.play], "the same track goes on")
    #expect(try scene.command(.av(.stop)) == [.stop])
  }

  @Test func aStationsNextTitleIsAnotherTrack() throws {
    var scene = Scene()
    _ = try scene.command(.av(.setMedia(media)))
    _ = try scene.command(.av(.play))
    _ = try scene.event { .started($0) }
    _ = try scene.event { .playing($0, position: .zero) }
    #expect(try scene.event { .tags($0, StreamTags(title: "News")) } == [.track])
    #expect(try scene.event { .tags($0, StreamTags(title: "News")) } == [])
  }

  @Test func aStationThatComesBackWasNeverStopped() throws {
    var scene = Scene()
    _ = try scene.command(.radio(.setChannel(Media(uri: "http://192.0.2.1/live"))))
    #expect(try scene.command(.radio(.play)) == [.play])
    #expect(try scene.event { .started($0) } == [.track])
    var lost: [Effect] = []
    let id = try #require(scene.state.transport.playID)
    let hooks = scene.change {
      lost = $0.apply(.failed(id, PlaybackFailure(.unreachable, "gone")), at: PlayerInstant(nanoseconds: 0))
    }
    #expect(hooks == [], "it is on its way back")
    #expect(scene.watch.activity == .playing)
    for case .wake(_, let wake) in lost { #expect(try scene.command(.wake(wake)) == []) }
    #expect(try scene.event { .started($0) } == [])
    #expect(try scene.command(.radio(.stop)) == [.stop])
  }

  /// A station's line is told apart for programs as it is for control points.
  @Test func programsAreToldTheSong() throws {
    var scene = Scene()
    let metadata = "<DIDL-Lite><item><title>The station</title></item></DIDL-Lite>"
    _ = try scene.command(.radio(.setChannel(Media(uri: "http://192.0.2.1/live", metadata: metadata))))
    _ = try scene.command(.radio(.play))
    _ = try scene.event { .started($0) }
    func variables() -> [String: String] {
      PlayerVariables.all(scene.state, hook: .track, activity: .playing)
    }
    #expect(variables()["VIREO_TITLE"] == "The station")
    _ = try scene.event { .tags($0, StreamTags(title: "Artist - Song", station: "Radio")) }
    #expect(variables()["VIREO_TITLE"] == "Song")
    #expect(variables()["VIREO_ARTIST"] == "Artist")
    #expect(variables()["VIREO_STATION"] == "Radio")
    var shown = StatusSnapshot()
    shown.describe(scene.state, position: .zero)
    #expect((shown.title, shown.artist) == ("Song", "Artist"))
    // A file's own tags are taken as they are.
    _ = try scene.event { .seekable($0, true) }
    _ = try scene.event { .duration($0, .seconds(9)) }
    _ = try scene.event { .tags($0, StreamTags(title: "A - B")) }
    #expect(variables()["VIREO_TITLE"] == "A - B")
  }

  @Test func aFailureIsAnErrorAndAnEnd() throws {
    var scene = Scene()
    _ = try scene.command(.av(.setMedia(media)))
    _ = try scene.command(.av(.play))
    _ = try scene.event { .started($0) }
    _ = try scene.event { .playing($0, position: .zero) }
    #expect(try scene.event { .failed($0, PlaybackFailure(.notFound, "gone")) } == [.error, .stop])
    let variables = PlayerVariables.all(scene.state, hook: .error, activity: scene.watch.activity)
    #expect(variables["VIREO_ERROR"] == "gone" && variables["VIREO_STATE"] == "stopped")
  }

  @Test func anotherStationOrACastOverAPlaylistIsNoEnd() throws {
    var scene = Scene(offDelay: .seconds(10))
    _ = try scene.command(.radio(.setChannel(Media(uri: "http://192.0.2.1/live"))))
    #expect(try scene.command(.radio(.play)) == [.play])
    #expect(try scene.event { .started($0) } == [.track])
    #expect(try scene.command(.radio(.stop)) == [])
    #expect(try scene.command(.av(.setMedia(media))) == [])
    #expect(try scene.command(.av(.play)) == [])
    #expect(try scene.event { .started($0) } == [.track])
    #expect(scene.watch.transport.due == nil)
  }

  /// Minutes may pass until a server or a device is back.
  @Test func whatIsWaitedForPlays() throws {
    var scene = Scene(offDelay: .seconds(10))
    _ = try scene.command(.av(.setMedia(media)))
    #expect(try scene.command(.av(.play)) == [.play])
    #expect(try scene.event { .failed($0, PlaybackFailure(.unreachable, "gone")) } == [])
    #expect(scene.watch.activity == .playing && scene.watch.transport.due == nil)
    #expect(try scene.command(.av(.stop)) == [])
    #expect(scene.watch.transport.due == PlayerInstant(nanoseconds: 10_000_000_000))
  }

  @Test func standbyEndsAtOnce() throws {
    var scene = Scene(offDelay: .seconds(10))
    _ = try scene.command(.av(.setMedia(media)))
    _ = try scene.command(.av(.play))
    #expect(try scene.command(.setStandby(true)) == [.stop, .standby])
  }

  @Test func theTransportsHooksTellWhatTheyStandFor() {
    let state = PlayerState()
    func told(_ hook: Hook) -> String? {
      PlayerVariables.all(state, hook: hook, activity: .paused)["VIREO_STATE"]
    }
    #expect([Hook.play, .pause, .stop, .volume].map(told) == ["playing", "paused", "stopped", "paused"])
  }

  @Test func volumeAndMuteAreTold() throws {
    var scene = Scene()
    #expect(try scene.command(.setVolume(.master, 23)) == [.volume])
    #expect(try scene.command(.setVolume(.master, 23)) == [])
    #expect(try scene.command(.setMute(.master, true)) == [.mute])
    let variables = PlayerVariables.all(scene.state, hook: .mute, activity: .stopped)
    #expect(variables["VIREO_VOLUME"] == "23" && variables["VIREO_MUTED"] == "1")
    #expect(variables["VIREO_HOOK"] == "on-mute" && variables["VIREO_URI"] == "")
  }

  @Test func standbyIsToldBothWays() throws {
    var scene = Scene()
    #expect(try scene.command(.setStandby(true)) == [.standby])
    #expect(PlayerVariables.all(scene.state, hook: .standby, activity: .stopped)["VIREO_STANDBY"] == "1")
    #expect(try scene.command(.setStandby(false)) == [.standby])
  }

  @Test func theTrackIsInTheEnvironment() throws {
    var scene = Scene()
    _ = try scene.command(.av(.setMedia(media)))
    _ = try scene.command(.av(.play))
    let variables = PlayerVariables.all(scene.state, hook: .track, activity: .playing)
    #expect(variables["VIREO_TITLE"] == "Title" && variables["VIREO_ARTIST"] == "Artist")
    #expect(variables["VIREO_ALBUM"] == "Album" && variables["VIREO_URI"] == "http://192.0.2.1/a.flac")
  }
}

/// On a clock of its own, in seconds.
@Suite struct TransportHooksTests {
  private var hooks = Self.make()

  private static func make(_ last: TransportHooks.LastHook = .stop, off: Int = 10, pause: Int = 60)
    -> TransportHooks
  {
    var hooks = TransportHooks(lastHook: last, now: at(0))
    hooks.delays = .init(stopped: .seconds(off), paused: .seconds(pause))
    return hooks
  }

  private static func at(_ seconds: Double) -> PlayerInstant {
    PlayerInstant(nanoseconds: Int64(seconds * 1e9))
  }

  /// What is due at `seconds`.
  private mutating func at(
    _ seconds: Double, _ activity: TransportHooks.Activity?, isStandby: Bool = false
  ) -> Hook? {
    hooks.change(to: activity, isStandby: isStandby, now: Self.at(seconds))
  }

  private mutating func lasts(_ seconds: Double) -> Hook? { hooks.lasts(now: Self.at(seconds)) }

  @Test mutating func silenceThatLastsIsAStop() {
    #expect(at(1, .playing) == .play)
    #expect(hooks.due == nil)
    #expect(at(5, .stopped) == nil)
    #expect(hooks.due == Self.at(15))
    #expect(lasts(14.9) == nil)
    #expect(lasts(15) == .stop)
    #expect(hooks.due == nil)
    #expect(lasts(99) == nil, "only once")
    #expect(at(100, .playing) == .play)
  }

  @Test mutating func shortSilenceIsNothing() {
    #expect(at(1, .playing) == .play)
    for second in 2..<40 {
      #expect(at(Double(second), .stopped) == nil)
      #expect(at(Double(second) + 0.2, .playing) == nil)
    }
    #expect(at(50, .stopped) == nil)
    #expect(hooks.due == Self.at(60), "counted from the last stop")
  }

  /// What else changes in the silence doesn't make it longer.
  @Test mutating func silenceCountsFromItsBeginning() {
    _ = at(1, .playing)
    _ = at(2, .stopped)
    for second in 3..<12 { #expect(at(Double(second), .stopped) == nil) }
    #expect(at(12, .stopped) == .stop)
  }

  @Test mutating func aPauseIsToldAtOnceAndEndsWhenItLasts() {
    _ = at(1, .playing)
    #expect(at(2, .paused) == .pause)
    #expect(hooks.due == Self.at(62))
    #expect(at(3, .playing) == .play)
    #expect(at(10, .paused) == .pause)
    #expect(lasts(70) == .stop)
    #expect(at(500, .playing) == .play)
    // A pause that ends in a stop is silent from there.
    _ = at(501, .paused)
    #expect(at(510, .stopped) == nil)
    #expect(hooks.due == Self.at(520))
    #expect(at(511, .playing) == .play)
  }

  @Test mutating func aPauseIsNeverShorterThanAStop() {
    hooks = Self.make(off: 10, pause: 0)
    _ = at(1, .playing)
    #expect(at(2, .paused) == .pause)
    #expect(hooks.due == Self.at(12))
  }

  @Test mutating func withoutADelayAStopIsToldAtOnce() {
    hooks = Self.make(off: 0)
    _ = at(1, .playing)
    #expect(at(2, .stopped) == .stop)
    #expect(at(3, .playing) == .play)
  }

  @Test mutating func standbyDoesNotWait() {
    _ = at(1, .playing)
    #expect(at(2, .stopped, isStandby: true) == .stop)
    // Nor does one that comes while it is silent already.
    _ = at(3, .playing)
    #expect(at(4, .stopped) == nil)
    #expect(at(5, .stopped, isStandby: true) == .stop)
  }

  @Test mutating func theEndDoesNotWaitEither() {
    #expect(hooks.end() == nil, "nothing was told")
    _ = at(1, .playing)
    #expect(hooks.end() == .stop)
    #expect(hooks.end() == nil)
    hooks = Self.make()
    _ = at(2, .playing)
    _ = at(3, .stopped)
    #expect(hooks.end() == .stop, "in the middle of the delay")
    hooks = Self.make()
    _ = at(4, .playing)
    _ = at(5, .paused)
    #expect(hooks.end() == .stop)
    hooks = Self.make()
    _ = at(6, .playing)
    _ = at(7, .stopped)
    #expect(lasts(17) == .stop)
    #expect(hooks.end() == nil)
  }

  /// The run before was killed while it played.
  @Test mutating func whatWasLeftOnIsSwitchedOff() {
    hooks = Self.make(.unknown)
    #expect(hooks.due == Self.at(10))
    #expect(lasts(10) == .stop)
    // Or on: since then the power may have been away.
    hooks = Self.make(.unknown)
    #expect(at(3, .playing) == .play)
    #expect(hooks.due == nil)
    hooks = Self.make(.unknown)
    #expect(hooks.end() == .stop)
  }

  /// A reload may change it while it is waited for.
  @Test mutating func anotherDelayHoldsFromTheSameBeginning() {
    _ = at(1, .playing)
    _ = at(2, .stopped)
    hooks.delays.stopped = .seconds(30)
    #expect(hooks.due == Self.at(32))
    hooks.delays.stopped = .seconds(1)
    #expect(at(5, .stopped) == .stop)
  }

  @Test mutating func whatSaysNothingChangesNothing() {
    _ = at(1, .playing)
    #expect(at(2, nil) == nil)
    #expect(hooks.activity == .playing)
  }
}

@Suite struct HookSettingsTests {
  private func read(_ value: String) throws -> Settings {
    try SettingsReader.read(Array("[hooks]\non-play = \(value)\n".utf8), file: "v").settings
  }

  @Test func aCommandIsAListWithAnAbsolutePath() throws {
    #expect(try read("[\"/bin/echo\", \"a b\", \"\"]").hooks.command(of: .play) == ["/bin/echo", "a b", ""])
    #expect(try read("[]").hooks.command(of: .play) == [])
    for wrong in ["[\"echo\"]", "[\"amp on\"]", "[\"\"]", "\"/bin/echo\"", "[1]", "[\"/a\", \"\\u0000\"]"] {
      #expect(throws: SettingsProblems.self, "\(wrong)") { try read(wrong) }
    }
  }

  @Test func everyHookHasItsKey() {
    for hook in Hook.allCases {
      #expect(SettingsSchema.key(section: "hooks", name: hook.rawValue)?.isReloadable == true)
    }
  }
}
