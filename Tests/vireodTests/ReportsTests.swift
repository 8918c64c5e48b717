import Foundation
import Listening
import Player
import Testing

@testable import vireod

/// What reports make of the player, and what of it nobody is told.
@Suite struct ReportsTests {
  private func didl(_ inside: String) -> String {
    """
    <DIDL-Lite xmlns="urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/" xmlns:dc="http://purl.org/dc/elements/1.1/" \
    xmlns:upnp="urn:schemas-upnp-org:metadata-1-0/upnp/"><item id="1" parentID="0" restricted="1">\(inside)\
    <upnp:class>object.item.audioItem.musicTrack</upnp:class></item></DIDL-Lite>
    """
  }

  private let zero = PlayerInstant(nanoseconds: 0)

  /// A cast that is heard.
  private func cast(
    _ metadata: String, uri: String = "http://192.0.2.1/a.flac",
    _ events: (PlayID) -> [OutputEvent] = { _ in [] }
  )
    throws -> PlayerState
  {
    var state = PlayerState()
    _ = try state.apply(.av(.setMedia(Media(uri: uri, metadata: metadata))), at: zero)
    _ = try state.apply(.av(.play), at: zero)
    let id = try #require(state.transport.playID)
    for event in [.started(id), .playing(id, position: .seconds(3))] + events(id) {
      _ = state.apply(event, at: zero)
    }
    return state
  }

  private func moment(_ state: PlayerState) -> ListeningMoment {
    ListeningMoment(state, track: ReportedTrack(state), at: PlayerInstant(nanoseconds: 2_000_000_000))
  }

  @Test func aTrackIsToldByItsMetadata() throws {
    let inside = """
      <dc:title>Title</dc:title><upnp:artist>Artist</upnp:artist><upnp:album>Album</upnp:album>\
      <upnp:originalTrackNumber>7</upnp:originalTrackNumber>
      """
    let state = try cast(didl(inside)) { [.duration($0, .seconds(200)), .seekable($0, true)] }
    let moment = moment(state)
    #expect(moment.phase == .playing && moment.source == .upnpAV && !moment.isStation)
    #expect(moment.position == .seconds(5))
    #expect(
      moment.track
        == ReportedTrack(title: "Title", artist: "Artist", album: "Album", number: 7, duration: .seconds(200))
    )
  }

  @Test func tagsOfTheFileComeFirst() throws {
    let recording = "b1a9c0e9-d987-4042-ae91-78d6a3267d69"
    let state = try cast(didl("<dc:title>Title</dc:title><upnp:album>Album</upnp:album>")) {
      [
        .seekable($0, true),
        .tags(
          $0,
          StreamTags(title: "T", artist: "A", ids: TrackIDs(recording: recording, artists: ["?"], number: 3))),
      ]
    }
    let track = ReportedTrack(state)
    #expect(track.title == "T" && track.artist == "A" && track.album == "Album" && track.number == 3)
    #expect(track.ids == MusicIDs(recording: recording))
  }

  /// Where there is no title, the name of the file would be shown elsewhere.
  @Test func nothingOfTheAddressIsReported() throws {
    let uri = "http://user:password@192.0.2.1/folder/file.flac?token=0123456789abcdef0123456789abcdef"
    #expect(ReportedTrack(try cast("", uri: uri)) == ReportedTrack())
    let named = ReportedTrack(
      try cast(didl("<dc:title>\(uri.replacing("&", with: "&amp;"))</dc:title>"), uri: uri))
    for secret in ["password", "token=0123", "0123456789abcdef"] {
      #expect(named.title?.contains(secret) != true, "\(named)")
    }
  }

  @Test func noRoomIsReported() throws {
    var state = PlayerState()
    let room = Media(uri: "ohz://239.255.255.250:51972/zone", metadata: didl("<dc:title>Bedroom</dc:title>"))
    _ = try state.apply(.receiver(.setSender(room)), at: zero)
    _ = try state.apply(.receiver(.play), at: zero)
    let id = try #require(state.transport.playID)
    _ = state.apply(.started(id), at: zero)
    #expect(moment(state).source == .receiver && ReportedTrack(state) == ReportedTrack())
    let track = Media(
      uri: "http://192.0.2.9/b", metadata: didl("<dc:title>Song</dc:title><upnp:artist>A</upnp:artist>"))
    let before = moment(state).start
    _ = state.apply(.streamTrack(id, track), at: zero)
    #expect(ReportedTrack(state) == ReportedTrack(title: "Song", artist: "A"))
    #expect(moment(state).start > before, "another track of the room is another listen")
  }

  @Test func aStationIsToldBySong() throws {
    var state = PlayerState()
    let station = Media(uri: "http://192.0.2.1/live", metadata: didl("<dc:title>Radio Bird</dc:title>"))
    _ = try state.apply(.radio(.setChannel(station)), at: zero)
    _ = try state.apply(.radio(.play), at: zero)
    let id = try #require(state.transport.playID)
    _ = state.apply(.started(id), at: zero)
    #expect(moment(state).isStation && moment(state).track == ReportedTrack(station: "Radio Bird"))
    _ = state.apply(.tags(id, StreamTags(title: "Artist - Song", station: "bird.example")), at: zero)
    #expect(moment(state).track == ReportedTrack(title: "Song", artist: "Artist", station: "Radio Bird"))
  }

  @Test func startsAreCounted() throws {
    var state = try cast(didl("<dc:title>Title</dc:title>"))
    let first = moment(state).start
    let id = try #require(state.transport.playID)
    _ = try state.apply(.av(.pause), at: zero)
    _ = state.apply(.paused(id, position: .seconds(3)), at: zero)
    #expect(moment(state).phase == .paused)
    _ = try state.apply(.av(.play), at: zero)
    #expect(moment(state).start == first, "a pause begins nothing")
    _ = state.apply(.failed(id, PlaybackFailure(.unreachable, "gone")), at: zero)
    #expect(moment(state).phase == .waiting && moment(state).start == first, "nor does an outage")
    _ = try state.apply(.av(.stop), at: zero)
    #expect(moment(state).phase == .stopped)
    _ = try state.apply(.av(.play), at: zero)
    #expect(moment(state).phase == .waiting && moment(state).start > first, "the same track, begun anew")
  }

  // MARK: - Calls

  private func office(_ change: (inout Settings.Reports) -> Void) -> ReportOffice {
    var settings = Settings.Reports()
    change(&settings)
    return ReportOffice(settings: settings, sender: ReportSender(version: "1"))
  }

  private let report = DatedReport(
    ReportRecord(
      .heard, id: "a",
      of: Listen(source: .playlist, track: ReportedTrack(title: "T", artist: "A"), began: UpTime(.zero))),
    date: 1_800_000_000_000)

  @Test func tokensAreReadAtEachCall() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("first\n", to: "token")
    let office = office { $0.listenBrainz.tokenFile = path }
    func token() throws -> String? {
      try office.request([report], for: .listenBrainz).get().fields.first { $0.name == "Authorization" }?
        .value
    }
    #expect(try token() == "Token first")
    _ = try directory.write("second\n", to: "token")
    #expect(try token() == "Token second")
    _ = try directory.write("two words\n", to: "token")
    let failure = office.request([report], for: .listenBrainz)
    guard case .failure(let problem) = failure else {
      Issue.record("it is no token")
      return
    }
    #expect(problem.text.contains("can't be used") && !problem.text.contains("words\n"))
  }

  @Test func lastFMNeedsAllOfIt() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("s\n", to: "secret")
    let without = office { ($0.lastFM.apiKey, $0.lastFM.secretFile) = ("k", path) }
    #expect(throws: ReportOffice.SecretProblem.self) { try without.request([report], for: .lastFM).get() }
    let whole = office { ($0.lastFM.apiKey, $0.lastFM.secretFile, $0.lastFM.sessionFile) = ("k", path, path) }
    #expect(try whole.request([report], for: .lastFM).get().url == LastFM.address)
  }

  @Test func aWebhookNeedsNoToken() throws {
    let office = office {
      ($0.webhook.url, $0.webhook.attributes) = ("http://192.0.2.1/", [.init(name: "a", value: "b")])
    }
    let request = try office.request([report], for: .webhook).get()
    #expect(String(decoding: request.body, as: UTF8.self).contains("\"attributes\":{\"a\":\"b\"}"))
    #expect(!request.fields.contains { $0.name == "Authorization" })
  }

  // MARK: - The clock

  @Test func midnightIsWithinADay() {
    // Around both changes of summer time, wherever this runs.
    for day in 0..<400 {
      let date = 1_790_000_000_000 + Int64(day) * 86_399_123
      let time = HostClock.untilMidnight(date)
      #expect(time > .zero && time <= .seconds(25 * 3600))
    }
  }

  @Test func theMachineHasClocks() {
    let (first, second) = (HostClock.upTime, HostClock.upTime)
    #expect(second.awake >= first.awake && second.sinceBoot >= second.awake)
    #expect(!HostClock.boot.isEmpty && !HostClock.boot.contains(" "))
  }
}
