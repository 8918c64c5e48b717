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
  var watch = HookWatch(PlayerState())

  mutating func change(_ body: (inout PlayerState) throws -> Void) rethrows -> [Hook] {
    let old = state
    try body(&state)
    return watch.take(old, state)
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
    #expect(try scene.command(.setAVURI(media)) == [])
    #expect(try scene.command(.play) == [], "nothing is heard yet")
    var hooks = try scene.event { .started($0) }
    hooks += try scene.event { .playing($0, position: .zero) }
    #expect(hooks == [.play, .track])
    #expect(try scene.event { .buffering($0) } == [], "waiting for data isn't an end")
    #expect(try scene.event { .playing($0, position: .zero) } == [])
    hooks = try scene.command(.pause)
    hooks += try scene.event { .paused($0, position: .zero) }
    #expect(hooks == [.pause])
    hooks = try scene.command(.play)
    hooks += try scene.event { .playing($0, position: .zero) }
    #expect(hooks == [.play], "the same track goes on")
    #expect(try scene.command(.stop) == [.stop])
  }

  @Test func aStationsNextTitleIsAnotherTrack() throws {
    var scene = Scene()
    _ = try scene.command(.setAVURI(media))
    _ = try scene.command(.play)
    _ = try scene.event { .started($0) }
    _ = try scene.event { .playing($0, position: .zero) }
    #expect(try scene.event { .tags($0, StreamTags(title: "News")) } == [.track])
    #expect(try scene.event { .tags($0, StreamTags(title: "News")) } == [])
  }

  @Test func aStationThatComesBackWasNeverStopped() throws {
    var scene = Scene()
    _ = try scene.command(.radio(.setChannel(Media(uri: "http://192.0.2.1/live"))))
    _ = try scene.command(.radio(.play))
    #expect(try scene.event { .started($0) } == [.play, .track])
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
    _ = try scene.command(.setAVURI(media))
    _ = try scene.command(.play)
    _ = try scene.event { .started($0) }
    _ = try scene.event { .playing($0, position: .zero) }
    #expect(try scene.event { .failed($0, PlaybackFailure(.notFound, "gone")) } == [.error, .stop])
    let variables = PlayerVariables.all(scene.state, hook: .error, activity: scene.watch.activity)
    #expect(variables["VIREO_ERROR"] == "gone" && variables["VIREO_STATE"] == "stopped")
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
    _ = try scene.command(.setAVURI(media))
    let variables = PlayerVariables.all(scene.state, hook: .track, activity: .playing)
    #expect(variables["VIREO_TITLE"] == "Title" && variables["VIREO_ARTIST"] == "Artist")
    #expect(variables["VIREO_ALBUM"] == "Album" && variables["VIREO_URI"] == "http://192.0.2.1/a.flac")
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
