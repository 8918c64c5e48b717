import DIDLLite
import Player
import Testing

@testable import Services

@Suite struct AVTransportTests {
  enum Situation: CaseIterable {
    case noMedia, stopped, transitioning, playing, paused

    /// TransportState as control points see it.
    var name: String {
      switch self {
      case .noMedia: "NO_MEDIA_PRESENT"
      case .stopped: "STOPPED"
      case .transitioning: "TRANSITIONING"
      case .playing: "PLAYING"
      case .paused: "PAUSED_PLAYBACK"
      }
    }

    func make() throws -> Speaker {
      let speaker = Speaker()
      guard self != .noMedia else { return speaker }
      try speaker.setURI()
      guard self != .stopped else { return speaker }
      try speaker.play()
      guard self != .transitioning else { return speaker }
      speaker.output { .started($0) }
      speaker.output { .playing($0, position: .zero) }
      if self == .paused { try speaker.call(speaker.avTransport, "Pause") }
      return speaker
    }
  }

  /// A value that is misspelt would be told like any other, and nobody would notice.
  @Test func theStatesThatMayPassUntoldExist() throws {
    let service = Speaker().avTransport
    let leading = try #require(service.leading)
    let states = try #require(service.description.variables.first { $0.name == leading.name }?.allowedValues)
    #expect(Set(leading.passing.keys).union(leading.passing.values.joined()).isSubset(of: states))
    #expect(leading.passing["STOPPED"] == nil, "Kodi takes what it was told for the end")
    #expect(!leading.passing.contains { $0.key != "NO_MEDIA_PRESENT" && $0.value.contains("STOPPED") })
    #expect(service.eventedValues().contains { $0.name == leading.name })
  }

  /// An action in a situation: the fault it gives (nil: none), and the state afterwards.
  struct Row: CustomTestStringConvertible {
    var situation: Situation
    var action: String
    var arguments: [String: String]
    var fault: Int?
    var after: String

    init(
      _ situation: Situation, _ action: String, _ arguments: [String: String] = [:], fault: Int? = nil,
      then after: String? = nil
    ) {
      self.situation = situation
      self.action = action
      self.arguments = arguments
      self.fault = fault
      self.after = after ?? situation.name
    }

    var testDescription: String { "\(situation.name) \(action) \(arguments)" }
  }

  private static let other = ["CurrentURI": "http://192.0.2.1/b.flac", "CurrentURIMetaData": ""]
  private static let following = ["NextURI": "http://192.0.2.1/b.flac", "NextURIMetaData": ""]
  private static let position = ["Unit": "REL_TIME", "Target": "0:00:10"]

  static let table: [Row] =
    [
      Row(.noMedia, "SetAVTransportURI", other, then: "STOPPED"), Row(.stopped, "SetAVTransportURI", other),
      Row(.transitioning, "SetAVTransportURI", other), Row(.paused, "SetAVTransportURI", other),
      // What plays goes on playing, with the new track; until that is heard it is on its way.
      Row(.playing, "SetAVTransportURI", other, then: "TRANSITIONING"),

      Row(.noMedia, "SetNextAVTransportURI", following, fault: 701),
      Row(.stopped, "SetNextAVTransportURI", following),
      Row(.playing, "SetNextAVTransportURI", following), Row(.paused, "SetNextAVTransportURI", following),

      Row(.noMedia, "Play", ["Speed": "1"], fault: 701),
      Row(.stopped, "Play", ["Speed": "1"], then: "TRANSITIONING"),
      Row(.transitioning, "Play", ["Speed": "1"]), Row(.playing, "Play", ["Speed": "1"]),
      Row(.paused, "Play", ["Speed": "1"], then: "PLAYING"),
      Row(.stopped, "Play", ["Speed": "2"], fault: 717), Row(.stopped, "Play", ["Speed": "1/2"], fault: 717),
      Row(.stopped, "Play", ["Speed": "0/0"], fault: 717), Row(.stopped, "Play", ["Speed": ""], fault: 717),
      Row(.stopped, "Play", ["Speed": "1/1"], then: "TRANSITIONING"),
      Row(.stopped, "Play", ["Speed": " 1.0 "], then: "TRANSITIONING"),

      Row(.noMedia, "Pause", fault: 701), Row(.stopped, "Pause", fault: 701), Row(.transitioning, "Pause"),
      Row(.playing, "Pause", then: "PAUSED_PLAYBACK"), Row(.paused, "Pause"),

      Row(.noMedia, "Stop", fault: 701), Row(.stopped, "Stop"), Row(.transitioning, "Stop", then: "STOPPED"),
      Row(.playing, "Stop", then: "STOPPED"), Row(.paused, "Stop", then: "STOPPED"),

      Row(.noMedia, "Seek", position, fault: 701), Row(.stopped, "Seek", position),
      Row(.playing, "Seek", position),
      Row(.paused, "Seek", position),
      Row(.noMedia, "Seek", ["Unit": "FRAME", "Target": "x"], fault: 701),
      Row(.playing, "Seek", ["Unit": "FRAME", "Target": "0:00:10"], fault: 710),
      Row(.playing, "Seek", ["Unit": "REL_TIME", "Target": "25"]),
      Row(.playing, "Seek", ["Unit": "REL_TIME", "Target": "00:10"]),
      Row(.playing, "Seek", ["Unit": "REL_TIME", "Target": "ten"], fault: 711),
      Row(.playing, "Seek", ["Unit": "REL_TIME", "Target": "00:70"], fault: 711),
      Row(.playing, "Seek", ["Unit": "REL_TIME", "Target": "-0:00:10"], fault: 711),
      Row(.playing, "Seek", ["Unit": "TRACK_NR", "Target": "2"], fault: 711),
      Row(.playing, "Seek", ["Unit": "TRACK_NR", "Target": "0"], fault: 711),
      Row(.playing, "Seek", ["Unit": "TRACK_NR", "Target": "one"], fault: 711),

      Row(.playing, "SetPlayMode", ["NewPlayMode": "REPEAT_ONE"]),
      Row(.playing, "SetPlayMode", ["NewPlayMode": "INTRO"], fault: 712),
    ]
    + ["Next", "Previous"].flatMap { action in
      [
        Row(.noMedia, action, fault: 701), Row(.stopped, action, fault: 711),
        Row(.playing, action, fault: 711),
        Row(.paused, action, fault: 711),
      ]
    }
    + Situation.allCases.flatMap { situation in
      ["Play", "Stop", "GetTransportInfo", "GetPositionInfo", "GetMediaInfo"].map {
        Row(situation, $0, ["InstanceID": "1", "Speed": "1"], fault: 718)
      }
    }

  @Test(arguments: table)
  func answersAsTheTableSays(_ row: Row) throws {
    let speaker = try row.situation.make()
    #expect(try speaker.transportState == row.situation.name)
    #expect(try speaker.fault(speaker.avTransport, row.action, row.arguments) == row.fault)
    #expect(try speaker.transportState == row.after)
  }

  /// Every action of the served description, in every state: answered or refused, never 401 or 501.
  @Test(arguments: Situation.allCases)
  func everyServedActionIsPerformed(_ situation: Situation) throws {
    let arguments = Self.other.merging(Self.following) { $1 }.merging(Self.position) { $1 }
      .merging(["Speed": "1", "NewPlayMode": "NORMAL"]) { $1 }
    for action in AVTransport1.description.actions {
      let speaker = try situation.make()
      let fault = try speaker.fault(speaker.avTransport, action.name, arguments)
      #expect(fault == nil || fault == 701 || fault == 711, "\(action.name)")
    }
  }

  @Test func startUpValues() throws {
    let speaker = Speaker()
    #expect(
      try speaker.call(speaker.avTransport, "GetMediaInfo") == [
        "NrTracks": "0", "MediaDuration": "0:00:00", "CurrentURI": "", "CurrentURIMetaData": "",
        "NextURI": "",
        "NextURIMetaData": "", "PlayMedium": "NONE", "RecordMedium": "NOT_IMPLEMENTED",
        "WriteStatus": "NOT_IMPLEMENTED",
      ])
    #expect(
      try speaker.call(speaker.avTransport, "GetPositionInfo") == [
        "Track": "0", "TrackDuration": "0:00:00", "TrackMetaData": "", "TrackURI": "", "RelTime": "0:00:00",
        "AbsTime": "0:00:00", "RelCount": "2147483647", "AbsCount": "2147483647",
      ])
    #expect(try speaker.call(speaker.avTransport, "GetCurrentTransportActions")["Actions"] == "")
  }

  @Test(arguments: [
    ".", "", "NOT_IMPLEMENTED", "<DIDL-Lite><item><dc:title>A & B</dc:title></item></DIDL-Lite>",
  ])
  func metadataComesBackAsSent(_ metadata: String) throws {
    let speaker = Speaker()
    try speaker.setURI(metadata: metadata)
    #expect(try speaker.call(speaker.avTransport, "GetMediaInfo")["CurrentURIMetaData"] == metadata)
    #expect(try speaker.call(speaker.avTransport, "GetPositionInfo")["TrackMetaData"] == metadata)
    #expect(speaker.evented(speaker.avTransport, "AVTransportURIMetaData") == metadata)
  }

  @Test func formatAndDurationComeFromTheMetadata() throws {
    let speaker = Speaker()
    try speaker.setURI(
      metadata: """
        <DIDL-Lite><item><res protocolInfo="http-get:*:audio/L16;rate=44100;channels=2:*" duration="0:04:12">\
        http://192.0.2.1/a.flac</res></item></DIDL-Lite>
        """)
    try speaker.play()
    guard case .start(_, let media, _, _)? = speaker.output.requests.last else {
      Issue.record("nothing was started")
      return
    }
    #expect(media.contentFormat == "audio/L16;rate=44100;channels=2")
    #expect(try speaker.call(speaker.avTransport, "GetPositionInfo")["TrackDuration"] == "0:04:12")
  }

  @Test(arguments: ["ftp://192.0.2.1/a", "file:///etc/passwd", "gopher:x", "javascript:alert(1)", "http://"])
  func refusesOtherSchemes(_ uri: String) throws {
    let speaker = Speaker()
    let arguments = ["CurrentURI": uri, "CurrentURIMetaData": ""]
    #expect(try speaker.fault(speaker.avTransport, "SetAVTransportURI", arguments) == 716)
    #expect(try speaker.transportState == "NO_MEDIA_PRESENT")
  }

  @Test func anEmptyURIClears() throws {
    let speaker = try Situation.playing.make()
    try speaker.setURI("")
    #expect(try speaker.transportState == "NO_MEDIA_PRESENT")
    #expect(speaker.output.requests.last == .stop)
  }

  @Test func positionFollowsTheClock() throws {
    let speaker = try Situation.playing.make()
    speaker.output { .duration($0, .seconds(200)) }
    speaker.clock.advance(seconds: 75)
    let position = try speaker.call(speaker.avTransport, "GetPositionInfo")
    #expect(position["RelTime"] == "0:01:15")
    #expect(position["TrackDuration"] == "0:03:20")
    #expect(speaker.evented(speaker.avTransport, "RelativeTimePosition") == nil)
    #expect(speaker.evented(speaker.avTransport, "CurrentTrackDuration") == "0:03:20")
  }

  @Test func aFailureIsState() throws {
    let speaker = try Situation.playing.make()
    speaker.output { .failed($0, PlaybackFailure(.notFound, "gone")) }
    #expect(try speaker.transportState == "STOPPED")
    #expect(
      try speaker.call(speaker.avTransport, "GetTransportInfo")["CurrentTransportStatus"] == "ERROR_OCCURRED")
    #expect(speaker.evented(speaker.avTransport, "TransportStatus") == "ERROR_OCCURRED")
  }

  @Test func theNextTrackTakesOverWhenItIsHeard() throws {
    let speaker = try Situation.playing.make()
    try speaker.call(speaker.avTransport, "SetNextAVTransportURI", Self.following)
    guard case .setNext(let next?)? = speaker.output.requests.last else {
      Issue.record("the output was not told")
      return
    }
    #expect(try speaker.call(speaker.avTransport, "GetMediaInfo")["NextURI"] == "http://192.0.2.1/b.flac")
    speaker.player.assumeIsolated { $0.receive(.started(next.id)) }
    let media = try speaker.call(speaker.avTransport, "GetMediaInfo")
    #expect(media["CurrentURI"] == "http://192.0.2.1/b.flac")
    #expect(media["NextURI"] == "")
    #expect(try speaker.transportState == "PLAYING")
  }

  @Test func theSongOfAStationBecomesMetadata() throws {
    let speaker = try Situation.playing.make()
    speaker.output { .seekable($0, false) }
    speaker.output { .tags($0, StreamTags(title: "Song & Dance", station: "Radio Bird")) }
    let metadata = try #require(try speaker.call(speaker.avTransport, "GetPositionInfo")["TrackMetaData"])
    let item = try #require(DIDL.items(metadata).first)
    #expect(item.title == "Song & Dance")
    #expect(item.artist == "Radio Bird")
    #expect(item.upnpClass == "object.item.audioItem.audioBroadcast")
    #expect(try speaker.call(speaker.avTransport, "GetMediaInfo")["CurrentURIMetaData"] == "")
  }

  /// The tags of a file say no more than the metadata does, unless there is none.
  @Test(arguments: [("", true), ("<DIDL-Lite><item><dc:title>Sent</dc:title></item></DIDL-Lite>", false)])
  func theTagsOfAFileStandInForMissingMetadata(_ sent: String, _ isNeeded: Bool) throws {
    let speaker = Speaker()
    try speaker.setURI(metadata: sent)
    try speaker.play()
    speaker.output { .started($0) }
    speaker.output { .seekable($0, true) }
    speaker.output { .tags($0, StreamTags(title: "From the file")) }
    let told = try speaker.call(speaker.avTransport, "GetPositionInfo")["TrackMetaData"] ?? ""
    #expect(isNeeded ? DIDL.items(told).first?.title == "From the file" : told == sent)
    #expect(told.contains("object.item.audioItem.musicTrack") == isNeeded)
  }

  @Test(arguments: [
    (Situation.noMedia, ""), (.stopped, "Play,Seek,X_DLNA_SeekTime"),
    (.transitioning, "Pause,Stop,Seek,X_DLNA_SeekTime"), (.playing, "Pause,Stop,Seek,X_DLNA_SeekTime"),
    (.paused, "Play,Stop,Seek,X_DLNA_SeekTime"),
  ])
  func offersWhatIsPossible(_ situation: Situation, _ actions: String) throws {
    let speaker = try situation.make()
    #expect(try speaker.call(speaker.avTransport, "GetCurrentTransportActions")["Actions"] == actions)
    #expect(speaker.evented(speaker.avTransport, "CurrentTransportActions") == actions)
  }

  /// What DLNA calls seeking is offered exactly where Seek is.
  @Test func aStreamThatCannotBeSoughtInOffersNoSeeking() throws {
    let speaker = try Situation.playing.make()
    speaker.output { .seekable($0, false) }
    #expect(speaker.evented(speaker.avTransport, "CurrentTransportActions") == "Pause,Stop")
  }

  @Test func theTracksOfAListCanBeSought() throws {
    let speaker = Speaker()
    try speaker.setURI("http://192.0.2.1/list.m3u")
    try speaker.play()
    let resolution = try #require(
      speaker.effects.compactMap { effect -> ResolveID? in
        if case .resolve(let id, _) = effect { id } else { nil }
      }.last)
    let entries = ["a", "b"].map { Media(uri: "http://192.0.2.1/\($0).flac", metadata: "") }
    speaker.player.assumeIsolated { $0.resolved(resolution, .entries(entries)) }
    #expect(
      speaker.evented(speaker.avTransport, "CurrentTransportActions")
        == "Pause,Stop,Seek,X_DLNA_SeekTime,Next,X_DLNA_SeekTrackNr")
    speaker.output { .seekable($0, false) }
    #expect(
      speaker.evented(speaker.avTransport, "CurrentTransportActions") == "Pause,Stop,Next,X_DLNA_SeekTrackNr")
  }

  @Test func eventedVariablesAreAlwaysTheSame() throws {
    let names = try Situation.allCases.map { try $0.make().avTransport.eventedValues().map(\.name) }
    #expect(Set(names).count == 1)
    #expect(names.first?.count == 22)
  }
}
