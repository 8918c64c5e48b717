import Kept
import NIOCore
import Player
import SeededRandom
import Testing
import XML

@testable import HTTP
@testable import Services
@testable import UPnP

/// Every action of every service of a zone, with arguments of strangers.
@Suite struct ZoneHostileTests {
  private let zone = ZoneSpeaker()

  /// What no zone takes for an argument of any kind, except for a text.
  private static let rubbish = "rub \u{1F600} bish"
  private static let texts = [
    "", " ", "0", "1", "-1", "2", "65535", "65536", "4294967295", "4294967296", "-9223372036854775808",
    "99999999999999999999", "1.5", "NaN", "true", "null", "Master", "LF", "Q:0", "Q:0/1", "Q:0/4294967295",
    "SQ:1",
    "SQ:1/1", "SQ:-7", "FV:2/1", "R:0/0/1", "A:", "REL_TIME", "TRACK_NR", "0:00:10", "99999999999:99:99",
    "-0:00:01",
    "SHUFFLE", "BrowseDirectChildren", "BrowseMetadata", "http://192.0.2.1/a.flac", "file:///etc/passwd",
    "x-rincon-queue:RINCON_000102030405014 00#0", "x-rincon:RINCON_1", "x-rincon-mp3radio://",
    "hls-radio://https%3a//",
    "file:///jffs/settings/savedqueues.rsq#1", "x-rincon-playlist:X#SQ:99999999999", "<", "&", "]]>", "\u{0}",
    "\r\n",
    "\u{202e}", "<DIDL-Lite><item><dc:title>a</dc:title>", "0,1,2", ",,,,", "0,0", "-1,2", rubbish,
    String(repeating: "9", count: 5000), String(repeating: "é", count: 100_000),
    String(repeating: "<a>", count: 20_000), String(repeating: "a", count: 300_000),
  ]
  private static let codes: Set<Int> = [
    401, 402, 501, 600, 601, 605, 701, 702, 703, 706, 709, 710, 711, 712, 714, 716, 717, 718, 800,
  ]

  private func names(_ service: any ServiceProvider) -> [String] { service.description.actions.map(\.name) }

  private func inputs(_ service: any ServiceProvider, _ action: String) -> [String] {
    service.description.actions.first { $0.name == action }?.inputs.map(\.name) ?? []
  }

  @Test func nothingCrashesAndFaultsAreThoseOfZones() async throws {
    try await zone.add("a", "b", "c")
    try zone.speaker.setPresets()
    var random = SeededRandom(seed: 1)
    var outcomes: [Bool: Int] = [:]
    for round in 0..<40 {
      for service in zone.services {
        for action in names(service) {
          var arguments: [String: String] = [:]
          for name in inputs(service, action) where Int.random(in: 0..<8, using: &random) > 0 {
            arguments[name] = Self.texts.randomElement(using: &random) ?? ""
          }
          if Bool.random(using: &random) { arguments["InstanceID"] = "0" }
          let code = try await zone.fault(service, action, arguments)
          outcomes[code == nil, default: 0] += 1
          let place =
            "round \(round): \(service.identity.name) \(action) \(code ?? 0) \(arguments.mapValues { $0.prefix(30) })"
          #expect(code.map(Self.codes.contains) ?? true, "\(place)")
          for value in service.eventedValues() { #expect(value.value.utf8.count < 2 << 20, "\(place)") }
        }
      }
    }
    // Otherwise it shows nothing of either.
    #expect(outcomes[true, default: 0] > 1000 && outcomes[false, default: 0] > 1000)
  }

  /// Actions whose texts may be anything, or that do nothing by their nature.
  private static let takesAnything: Set<String> = [
    "SetString", "SetZoneAttributes", "CreateSavedQueue", "SaveQueue", "SaveAsSonosPlaylist", "AttachQueue",
    "CreateQueue",
    "NotifyDeletedURI", "RefreshShareIndex", "RequestResort", "SetChannelMap", "RegisterMobileDevice",
    "ReportUnresponsiveDevice", "FindPrefix", "GetAllPrefixLocations", "CheckForUpdate",
    "GetHouseholdTimeAtStamp",
    "SetNextAVTransportURI",
  ]

  /// A call that means nothing isn't answered as if it had done something.
  @Test func rubbishIsNotAnsweredWithSuccess() async throws {
    try await zone.add("a", "b", "c")
    for service in zone.services {
      for action in names(service) where !Self.takesAnything.contains(action) {
        let arguments = inputs(service, action).filter { $0 != "InstanceID" && $0 != "Speed" }
        guard !arguments.isEmpty else { continue }
        let before = zone.state
        let code = try await zone.fault(
          service, action, Dictionary(uniqueKeysWithValues: arguments.map { ($0, Self.rubbish) }))
        #expect(code != nil, "\(service.identity.name) \(action)")
        #expect(zone.state == before, "\(service.identity.name) \(action) has changed something")
      }
    }
  }

  /// Bodies as they come from the network, through all that reads them.
  @Test(
    arguments: [
      ([0xff, 0xfe, 0x80], 200), (Array("<!DOCTYPE a [<!ENTITY b \"c\">]>".utf8), 400),
      (Array("&b;".utf8), 200), (Array("&#0;".utf8), 400), (Array("&#x1F600;".utf8), 200),
      (Array("a & b && c".utf8), 200),
      (Array("<b/>".utf8), 200), (Array("]]>".utf8), 400), (Array("&#xD800;".utf8), 400),
      (Array(String(repeating: "&lt;", count: 50_000).utf8), 200),
    ] as [([UInt8], Int)])
  func bodiesOfStrangers(_ value: [UInt8], _ status: Int) throws {
    let service = ZoneSystemService(home: zone.home)
    let type = "urn:schemas-upnp-org:service:SystemProperties:1"
    let start =
      "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body><u:GetString xmlns:u=\"\(type)\"><VariableName>"
    let bytes = Array(start.utf8) + value + Array("</VariableName></u:GetString></s:Body></s:Envelope>".utf8)
    var device = ZoneDevice.device(zone.home, manufacturer: "M", icon: nil)
    device.services = [service]
    let hosted = HostedService(service, of: device, sidFormat: .uuid, habits: DeviceHabits(isLenient: true))
    var head = RequestHead(method: "POST", path: "/", minorVersion: 1, fields: HeaderFields())
    head.fields.append(name: "soapaction", value: "\"\(type)#GetString\"")
    let request = HTTPRequest(head: head, body: ByteBuffer(bytes: bytes))
    let peer = Peer(remote: .v4(0xc000_0201), local: .v4(0xc000_0207), localPort: 1400)
    do throws(HTTPError) {
      guard
        case .now(let response, let fault) = try ControlRoute.respond(
          to: request, service: hosted, from: peer)
      else { return }
      #expect(status == 200 && response.status == .internalServerError && fault?.code == 800)
    } catch {
      #expect(error.status == .badRequest && status == 400)
    }
  }

  // MARK: Sources that are switched off

  @Test func withoutOpenHomeThereIsNoQueueToChoose() async throws {
    let zone = ZoneSpeaker(configuration: PlayerConfiguration(openHomeEnabled: false))
    #expect(zone.state.sources == [.upnpAV])
    #expect(
      try await zone.fault(zone.transport, "SetAVTransportURI", ["CurrentURI": zone.queueURI]) == 800)
    #expect(
      try await zone.fault(zone.transport, "AddURIToQueue", ["EnqueuedURI": "http://192.0.2.1/a.flac"]) == 800
    )
    // A station plays as a single track, since there is no radio.
    try await zone.setURI("x-rincon-mp3radio://192.0.2.1/s")
    #expect(zone.state.activeSource == .upnpAV)
    #expect(try await zone.value("GetMediaInfo", "CurrentURI") == "x-rincon-mp3radio://192.0.2.1/s")
    try await zone.setURI("http://192.0.2.1/a.flac")
    #expect(zone.state.activeSource == .upnpAV)
  }

  @Test func withoutUPnPAVThereAreNoSingleTracks() async throws {
    let zone = ZoneSpeaker(configuration: PlayerConfiguration(avEnabled: false))
    try await zone.setURI("x-rincon-mp3radio://192.0.2.1/s")
    #expect(zone.state.activeSource == .radio)
    let uri = "http://192.0.2.1/a.flac"
    #expect(try await zone.fault(zone.transport, "SetAVTransportURI", ["CurrentURI": uri]) == 800)
    #expect(zone.state.activeSource == .radio && zone.state.sources.contains(zone.state.activeSource))
    try await zone.setURI(zone.queueURI)
    #expect(zone.state.activeSource == .playlist)
  }

  // MARK: Stations

  /// Presets are in the configuration, which nobody on the network changes.
  @Test func stationsCannotBeStored() async throws {
    try zone.speaker.setPresets()
    let item = ZoneDIDL.document(
      "<item><dc:title>S</dc:title><res>x-rincon-mp3radio://192.0.2.1/s</res></item>")
    #expect(
      try await zone.fault(zone.content, "CreateObject", ["ContainerID": "R:0/0", "Elements": item]) == 800)
    let tags = ["CurrentTagValue": "<dc:title>Bird</dc:title>", "NewTagValue": "<dc:title>B</dc:title>"]
    for (id, code) in [("R:0/0/1", 800), ("R:0/0/9", 701)] {
      #expect(try await zone.fault(zone.content, "DestroyObject", ["ObjectID": id]) == code)
      #expect(
        try await zone.fault(zone.content, "UpdateObject", tags.merging(["ObjectID": id]) { $1 }) == code)
    }
    #expect(
      try await zone.fault(
        zone.queue, "AddMultipleURIs",
        [
          "QueueID": "0", "UpdateID": "0", "ContainerURI": "", "ContainerMetaData": "",
          "DesiredFirstTrackNumberEnqueued": "0", "EnqueueAsNext": "0", "NumberOfURIs": "1",
          "EnqueuedURIsAndMetaData": "x",
        ]) == 800)
  }

  // MARK: Memory

  /// However much is asked for, an answer has a thousand tracks at most.
  @Test(arguments: ["0", "1000", "10000", "4294967295"]) func longQueues(count: String) async throws {
    let zone = ZoneSpeaker(configuration: PlayerConfiguration(tracksMax: 10_000))
    try zone.speaker.player.change(
      .playlist(.insertEach(after: 0, (0..<10_000).map { Media(uri: "http://192.0.2.1/\($0)") })))
    for (service, more) in [
      (zone.content as any ServiceProvider, ["ObjectID": "Q:0", "BrowseFlag": "BrowseDirectChildren"]),
      (zone.queue, ["QueueID": "0"]),
    ] {
      for (start, number) in [("0", 1000), ("9990", 10), ("10000", 0), ("4294967295", 0)] {
        let page = try await zone.call(
          service, "Browse", more.merging(["StartingIndex": start, "RequestedCount": count]) { $1 })
        #expect(page["NumberReturned"] == "\(number)" && page["TotalMatches"] == "10000")
      }
    }
  }

  /// Of a stored playlist a piece is in memory at a time, however long it is.
  @Test func longPlaylistsAreReadInPieces() async throws {
    try await zone.call(zone.transport, "CreateSavedQueue", ["Title": "L", "EnqueuedURI": ""])
    let long = String(repeating: "x", count: 2000)
    let tracks = (0..<3000).map { KeptTrack(Media(uri: "http://192.0.2.1/\($0)/\(long)")) }
    _ = try await zone.lists.change(.add(1, tracks, after: nil))
    let page = try await zone.call(
      zone.content, "Browse",
      ["ObjectID": "SQ:1", "BrowseFlag": "BrowseDirectChildren", "RequestedCount": "4294967295"])
    let shown = try #require(Int(page["NumberReturned"] ?? ""))
    #expect((1..<1000).contains(shown) && page["TotalMatches"] == "3000")
    let result = try await zone.call(
      zone.transport, "ReorderTracksInSavedQueue",
      ["ObjectID": "SQ:1", "UpdateID": "0", "TrackList": "2999,0", "NewPositionList": "0,"])
    #expect(result["NewQueueLength"] == "2999" && result["QueueLengthChange"] == "-1")
    #expect(zone.lists.largestRead <= 1 << 20)
    let moved = try await zone.lists.entries(of: 1, from: 0, count: 1, bytes: .max)
    #expect(moved.first?.track.media.uri.hasPrefix("http://192.0.2.1/2999/") == true)
  }
}
