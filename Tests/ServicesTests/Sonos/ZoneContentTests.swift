import DIDLLite
import Pins
import Player
import Testing
import UPnP
import XML

@testable import Services

@Suite struct ZoneContentTests {
  private let zone = ZoneSpeaker()

  private func browse(
    _ id: String, metadata: Bool = false, from start: Int = 0, count: Int = 0
  ) async throws -> [String: String] {
    try await zone.call(
      zone.content, "Browse",
      [
        "ObjectID": id, "BrowseFlag": metadata ? "BrowseMetadata" : "BrowseDirectChildren", "Filter": "*",
        "StartingIndex": String(start), "RequestedCount": String(count), "SortCriteria": "",
      ])
  }

  private func object(_ id: String) async throws -> XMLNode {
    let result = try await browse(id, metadata: true)
    return try #require(LenientXML.parse(result["Result"] ?? "")?.children.first)
  }

  @Test func theQueueHasItsItems() async throws {
    try await zone.add("a & b", "c", "d")
    let page = try await browse("Q:0", from: 1, count: 1)
    #expect(page["NumberReturned"] == "1")
    #expect(page["TotalMatches"] == "3")
    #expect(page["UpdateID"] == zone.evented(zone.queue, "UpdateID"))
    let item = try #require(LenientXML.parse(page["Result"] ?? "")?.children.first)
    #expect(item.attributes["id"] == "Q:0/2")
    #expect(item.attributes["parentID"] == "Q:0")
    #expect(item.attributes["restricted"] == "true")
    #expect(item.text(of: "class") == "object.item.audioItem.musicTrack")
    #expect(item.text(of: "creator") == "Singer")
    #expect(item.text(of: "album") == "Album & more")
    #expect(item.text(of: "albumArtURI")?.hasPrefix("/getaa?s=1&u=http%3a%2f%2f") == true)
    #expect(item.children("res").count == 1)
    #expect(item.child("res")?.text == "http://192.0.2.1/c.flac")
    #expect(try await object("Q:0/1").text(of: "title") == "a & b")
    let queue = try await object("Q:0")
    #expect(queue.attributes["childCount"] == "3")
    #expect(queue.child("res")?.text == zone.queueURI)
  }

  /// An empty text would make controllers fail.
  @Test(arguments: [
    "Q:0", "SQ:", "FV:2", "R:0/0", "R:0/1", "A:", "A:ARTIST", "A:ALBUMARTIST", "A:ALBUM", "A:GENRE",
    "A:COMPOSER",
    "A:TRACKS", "A:PLAYLISTS", "A:TRACKS:x", "S:", "AI:",
  ])
  func nothingIsAnEmptyDocument(_ id: String) async throws {
    let page = try await browse(id)
    #expect(page["NumberReturned"] == "0")
    #expect(page["TotalMatches"] == "0")
    #expect(LenientXML.parse(page["Result"] ?? "")?.name == "DIDL-Lite")
    #expect(try await object(id).attributes["id"] == id)
  }

  @Test(arguments: ["SQ:-7", "SQ:9", "Q:0/1", "FV:2/1", "R:0/0/1", "nonsense"])
  func whatIsntThere(_ id: String) async throws {
    #expect(
      try await zone.fault(zone.content, "Browse", ["ObjectID": id, "BrowseFlag": "BrowseMetadata"]) == 701)
    #expect(try await zone.fault(zone.content, "DestroyObject", ["ObjectID": id]) == 701)
  }

  @Test func everyObjectHasWhatControllersNeed() async throws {
    try await zone.add("a")
    try zone.speaker.setPresets()
    try await zone.call(zone.transport, "SaveQueue", ["Title": "L", "ObjectID": ""])
    try zone.speaker.player.change(
      .pins(.set(try Pin(.stream("http://192.0.2.1/s?a=1&b=2"), title: "S & T"), index: 0)))
    for id in ["Q:0", "SQ:", "SQ:1", "FV:2", "R:0/0", "0", "R:0"] {
      let root = try #require(LenientXML.parse(try await browse(id)["Result"] ?? ""))
      #expect(!root.children.isEmpty, "\(id)")
      for child in root.children {
        #expect(child.attributes["id"]?.isEmpty == false, "\(id)")
        #expect(child.attributes["parentID"] != nil && child.attributes["restricted"] != nil, "\(id)")
        #expect(child.text(of: "title") != nil && child.text(of: "class") != nil, "\(id)")
        #expect(
          child.children("res").count == 1 && child.child("res")?.attributes["protocolInfo"] != nil, "\(id)")
      }
    }
  }

  @Test func pinsAreFavourites() async throws {
    let before = zone.evented(zone.content, "FavoritesUpdateID")
    let made = try await zone.call(
      zone.content, "CreateObject",
      [
        "ContainerID": "FV:2",
        "Elements": ZoneDIDL.document(
          "<item><dc:title>Radio &amp; One</dc:title><res>x-rincon-mp3radio://http://192.0.2.1/s?a=1&amp;b=2</res></item>"
        ),
      ])
    let id = try #require(made["ObjectID"])
    #expect(zone.evented(zone.content, "FavoritesUpdateID") != before)
    let item = try await object(id)
    #expect(item.text(of: "title") == "Radio & One")
    #expect(item.text(of: "class") == "object.itemobject.item.sonos-favorite")
    #expect(item.child("res")?.text == "x-rincon-mp3radio://http://192.0.2.1/s?a=1&b=2")
    #expect(item.text(of: "type") == "instantPlay")
    func update(_ old: String, _ new: String) async throws -> Int? {
      try await zone.fault(
        zone.content, "UpdateObject", ["ObjectID": id, "CurrentTagValue": old, "NewTagValue": new])
    }
    #expect(try await update("<dc:title>Other</dc:title>", "<dc:title>New</dc:title>") == 702)
    #expect(
      try await update(
        "<dc:title>Radio &amp; One</dc:title>,",
        "<dc:title>Radio 1</dc:title>,<r:description>By X</r:description>")
        == nil)
    // Its number stays, although it is another pin.
    #expect(try await object(id).text(of: "title") == "Radio 1")
    #expect(try await object(id).text(of: "description") == "By X")
    #expect(
      try await update("<dc:title>Radio 1</dc:title>", "<dc:title>Radio &amp; One</dc:title>") == nil)
    #expect(zone.state.saved().zone.favourites.count == 1)
    // What is stored there is played by sending both back.
    let metadata = try #require(try await object(id).text(of: "resMD"))
    #expect(DIDL.items(metadata).first?.title == "Radio & One")
    #expect(metadata.contains(#"<desc id="cdudn""#))
    try await zone.setURI(try #require(item.child("res")?.text), metadata)
    #expect(zone.state.radio.channel?.uri == "http://192.0.2.1/s?a=1&b=2")
    try await zone.call(zone.content, "DestroyObject", ["ObjectID": id])
    #expect(try await zone.titles("FV:2") == [])
    #expect(try await zone.fault(zone.content, "DestroyObject", ["ObjectID": id]) == 701)
  }

  @Test func presetsAreStations() async throws {
    try zone.speaker.setPresets()
    #expect(try await zone.titles("R:0/0") == ["Bird", "Frog & Toad"])
    #expect(
      try await object("R:0/0/1").child("res")?.text == "x-rincon-mp3radio://http://192.0.2.1/bird")
    #expect(try await zone.fault(zone.content, "DestroyObject", ["ObjectID": "R:0/0/1"]) == 800)
  }

  @Test func renamesAndDeletesPlaylists() async throws {
    try await zone.call(
      zone.transport, "CreateSavedQueue",
      ["Title": "Old & good", "EnqueuedURI": "", "EnqueuedURIMetaData": ""])
    func rename(_ old: String, _ new: String) async throws -> Int? {
      try await zone.fault(
        zone.content, "UpdateObject",
        [
          "ObjectID": "SQ:1", "CurrentTagValue": "<dc:title>\(old)</dc:title>",
          "NewTagValue": "<dc:title>\(new)</dc:title>",
        ])
    }
    #expect(try await rename("Other", "New") == 702)
    #expect(try await rename("Old &amp; good", "") == 703)
    #expect(try await rename("Old &amp; good", "New") == nil)
    #expect(try await zone.titles("SQ:") == ["New"])
    let before = zone.evented(zone.content, "SavedQueuesUpdateID")
    try await zone.call(zone.content, "DestroyObject", ["ObjectID": "SQ:1"])
    #expect(try await zone.titles("SQ:") == [])
    #expect(zone.evented(zone.content, "SavedQueuesUpdateID") != before)
  }

  @Test func plainAnswers() async throws {
    #expect(try await zone.call(zone.content, "GetShareIndexInProgress")["IsIndexing"] == "0")
    #expect(
      try await zone.call(zone.content, "GetAlbumArtistDisplayOption")["AlbumArtistDisplayOption"] == "WMP")
    #expect(try await zone.call(zone.content, "GetBrowseable")["IsBrowseable"] == "1")
    try await zone.call(zone.content, "RefreshShareIndex", ["AlbumArtistDisplayOption": ""])
  }

  /// Numbers that controllers compare rise.
  @Test func theQueueComesFirstInTheEvent() async throws {
    func ids() -> String? { zone.evented(zone.content, "ContainerUpdateIDs") }
    let before = try #require(ids())
    #expect(before.hasPrefix("Q:0,"))
    let system = UInt32(zone.evented(zone.content, "SystemUpdateID") ?? "") ?? 0
    try await zone.add("a")
    #expect(ids() != before)
    #expect(UInt32(zone.evented(zone.content, "SystemUpdateID") ?? "") ?? 0 > system)
  }

  /// A queue longer than an answer is listed in several.
  @Test func longQueuesComeInParts() async throws {
    let zone = ZoneSpeaker(configuration: PlayerConfiguration(tracksMax: 2000))
    try zone.speaker.player.change(
      .playlist(.insertEach(after: 0, (0..<1500).map { Media(uri: "http://192.0.2.1/\($0)") })))
    let page = try await zone.call(
      zone.content, "Browse",
      ["ObjectID": "Q:0", "BrowseFlag": "BrowseDirectChildren", "RequestedCount": "0"])
    #expect(page["NumberReturned"] == "1000")
    #expect(page["TotalMatches"] == "1500")
    #expect(DIDL.items(page["Result"] ?? "", limit: 2000).count == 1000)
  }
}
