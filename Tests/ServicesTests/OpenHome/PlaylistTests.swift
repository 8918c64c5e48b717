import DIDLLite
import Player
import Testing
import UPnP
import XML

@testable import Services

@Suite struct PlaylistTests {
  private let speaker = Speaker()

  private var array: String {
    get throws { try speaker.call(speaker.playlist, "IdArray")["Array"] ?? "" }
  }

  private func value(_ action: String) throws -> String? {
    try speaker.call(speaker.playlist, action)["Value"]
  }

  @Test func insertsInOrder() throws {
    let ids = try speaker.add("a", "b")
    let front = try speaker.call(
      speaker.playlist, "Insert", ["AfterId": "0", "Uri": "http://192.0.2.1/c.flac", "Metadata": ""])["NewId"]
    #expect(ids == [1, 2])
    #expect(front == "3")
    #expect(try array == IdArray.text([3, 1, 2]))
  }

  /// Some control points drop what has no title.
  @Test(arguments: [
    ("", "http://192.0.2.1/music/A%20b%C3%A9.flac?x=1#y", "A bé.flac"), (" ", "http://192.0.2.1/a/", "a"),
    ("NOT_IMPLEMENTED", "http://user:secret@192.0.2.1:8000/", "192.0.2.1:8000"),
    (".", "http://192.0.2.1/%ff%", "%ff%"),
    (
      "&lt;DIDL-Lite&gt;&lt;item&gt;&lt;dc:title&gt;T&lt;/dc:title&gt;&lt;/item&gt;", "http://192.0.2.1/a",
      "T"
    ),
  ])
  func aTrackWithoutMetadataGetsATitleOfItsAddress(_ sent: String, _ uri: String, _ title: String) throws {
    try speaker.call(speaker.playlist, "Insert", ["AfterId": "0", "Uri": uri, "Metadata": sent])
    let read = try speaker.call(speaker.playlist, "Read", ["Id": "1"])
    let item = try #require(DIDL.items(read["Metadata"] ?? "").first)
    #expect(item.title == title)
    #expect(item.resources.map(\.uri) == [uri])
    #expect(item.upnpClass == "object.item.audioItem.musicTrack")
    #expect(read["Uri"] == uri)
    let list = try #require(try speaker.call(speaker.playlist, "ReadList", ["IdList": "1"])["TrackList"])
    #expect(LenientXML.parse(list)?.children.first?.child("Metadata")?.text == read["Metadata"])
    try speaker.call(speaker.playlist, "Play")
    #expect(speaker.evented(speaker.info, "Metadata") == read["Metadata"])
    #expect(try speaker.call(speaker.info, "Track")["Metadata"] == read["Metadata"])
  }

  @Test(arguments: ["<", "<DIDL-Lite><item><dc:title>A & B</dc:title></item></DIDL-Lite>"])
  func metadataComesBackAsSent(_ metadata: String) throws {
    let uri = "http://192.0.2.1/?a=1&b=2"
    try speaker.call(speaker.playlist, "Insert", ["AfterId": "0", "Uri": uri, "Metadata": metadata])
    #expect(try speaker.call(speaker.playlist, "Read", ["Id": "1"]) == ["Uri": uri, "Metadata": metadata])
    let list = try #require(try speaker.call(speaker.playlist, "ReadList", ["IdList": "1"])["TrackList"])
    let entry = try #require(LenientXML.parse(list)?.children.first)
    #expect(entry.child("Metadata")?.text == metadata)
    #expect(entry.child("Uri")?.text == uri)
  }

  @Test func readsListsLeniently() throws {
    try speaker.add("a", "b", "c")
    func ids(_ text: String) throws -> [String] {
      let list = try speaker.call(speaker.playlist, "ReadList", ["IdList": text])["TrackList"] ?? ""
      return LenientXML.parse(list)?.children.compactMap { $0.text(of: "Id") } ?? ["no list"]
    }
    #expect(try ids("3 1 2") == ["3", "1", "2"])
    #expect(try ids("-1 2,,x 9 1") == ["2", "1"])
    #expect(try ids("7 8 9 10 11 1") == ["1"])
    #expect(try ids("") == [])
    #expect(
      try speaker.call(speaker.playlist, "ReadList", ["IdList": ""])["TrackList"] == "<TrackList></TrackList>"
    )
  }

  @Test func theTokenTellsChanges() throws {
    func changed(_ token: String) throws -> String? {
      try speaker.call(speaker.playlist, "IdArrayChanged", ["Token": token])["Value"]
    }
    let first = try #require(try speaker.call(speaker.playlist, "IdArray")["Token"])
    #expect(try changed(first) == "0")
    try speaker.add("a")
    #expect(try changed(first) == "1")
    let second = try #require(try speaker.call(speaker.playlist, "IdArray")["Token"])
    #expect(try changed(second) == "0")
    try speaker.call(speaker.playlist, "DeleteAll")
    #expect(try changed(second) == "1")
    #expect(try array == "")
  }

  struct Fault: CustomTestStringConvertible {
    var action: String
    var arguments: [String: String]
    var code: Int
    var testDescription: String { "\(action) \(arguments)" }
  }

  static let faults = [
    Fault(action: "Read", arguments: ["Id": "9"], code: 800),
    Fault(action: "Read", arguments: ["Id": "0"], code: 800),
    Fault(action: "SeekId", arguments: ["Value": "9"], code: 800),
    Fault(action: "DeleteId", arguments: ["Value": "9"], code: 800),
    Fault(action: "SeekIndex", arguments: ["Value": "1"], code: 802),
    Fault(
      action: "Insert", arguments: ["AfterId": "9", "Uri": "http://192.0.2.1/", "Metadata": ""], code: 800),
    Fault(action: "Insert", arguments: ["AfterId": "1", "Uri": "http://192.0.2.1/"], code: 402),
    Fault(action: "SeekSecondAbsolute", arguments: ["Value": "-1"], code: 601),
    Fault(action: "SeekSecondRelative", arguments: ["Value": "x"], code: 402),
    Fault(action: "SetRepeat", arguments: ["Value": "maybe"], code: 402),
  ]

  @Test(arguments: faults)
  func refuses(_ fault: Fault) throws {
    try speaker.add("a")
    #expect(try speaker.fault(speaker.playlist, fault.action, fault.arguments) == fault.code)
    #expect(try array == IdArray.text([1]))
  }

  @Test func aFullListRefuses() throws {
    let speaker = Speaker(configuration: PlayerConfiguration(tracksMax: 2))
    try speaker.add("a", "b")
    #expect(try speaker.call(speaker.playlist, "TracksMax")["Value"] == "2")
    let arguments = ["AfterId": "0", "Uri": "http://192.0.2.1/c", "Metadata": ""]
    #expect(try speaker.fault(speaker.playlist, "Insert", arguments) == 801)
    try speaker.call(speaker.playlist, "DeleteId", ["Value": "1"])
    #expect(try speaker.fault(speaker.playlist, "Insert", arguments) == nil)
  }

  @Test func aSeekThatFails() throws {
    try speaker.add("a")
    try speaker.call(speaker.playlist, "Play")
    speaker.hear()
    speaker.output { .duration($0, .seconds(100)) }
    speaker.output { .seekable($0, false) }
    #expect(try speaker.fault(speaker.playlist, "SeekSecondAbsolute", ["Value": "10"]) == 803)
    speaker.output { .seekable($0, true) }
    #expect(try speaker.fault(speaker.playlist, "SeekSecondAbsolute", ["Value": "10"]) == nil)
    #expect(try speaker.fault(speaker.playlist, "SeekSecondRelative", ["Value": "-20"]) == nil)
    #expect(speaker.output.requests.contains { if case .seek(_, .zero) = $0 { true } else { false } })
  }

  @Test func playTakesOver() throws {
    try speaker.setURI()
    try speaker.play()
    speaker.hear()
    #expect(speaker.evented(speaker.product, "SourceIndex") == "2")
    let ids = try speaker.add("a", "b")
    #expect(speaker.evented(speaker.product, "SourceIndex") == "2")
    #expect(speaker.state(speaker.playlist) == "Stopped")
    try speaker.call(speaker.playlist, "SeekIndex", ["Value": "1"])
    #expect(speaker.evented(speaker.product, "SourceIndex") == "0")
    #expect(speaker.state(speaker.playlist) == "Buffering")
    #expect(try speaker.transportState == "TRANSITIONING")
    speaker.hear()
    #expect(speaker.state(speaker.playlist) == "Playing")
    #expect(try value("Id") == String(ids[1]))
    try speaker.call(speaker.playlist, "Pause")
    #expect(speaker.state(speaker.playlist) == "Paused")
  }

  @Test func modes() throws {
    #expect(try value("Repeat") == "0")
    try speaker.call(speaker.playlist, "SetRepeat", ["Value": "1"])
    try speaker.call(speaker.playlist, "SetShuffle", ["Value": "true"])
    #expect(try value("Repeat") == "1")
    #expect(try value("Shuffle") == "1")
    #expect(speaker.evented(speaker.transport, "Repeat") == "1")
    #expect(speaker.evented(speaker.transport, "Shuffle") == "1")
  }

  @Test func shuffleDoesNotShowInTheArray() throws {
    let ids = try speaker.add("a", "b", "c", "d", "e", "f")
    try speaker.call(speaker.playlist, "SetShuffle", ["Value": "1"])
    #expect(try array == IdArray.text(ids))
  }

  @Test func protocolInfoIsThatOfTheSink() throws {
    #expect(try value("ProtocolInfo") == speaker.evented(speaker.connectionManager, "SinkProtocolInfo"))
    try speaker.player.change(.setMIMETypes(["audio/flac"]))
    #expect(try value("ProtocolInfo") == "http-get:*:audio/flac:*")
  }

  /// The stack merges the events of the id array alone (`VariableWindows`); while it is held, nothing is encoded.
  @Test func arrayEventsAreMerged() throws {
    let moderated = speaker.playlist.description.variables.filter { $0.moderation > .zero }
    #expect(moderated.map(\.name) == ["IdArray"] && moderated.map(\.moderation) == [.milliseconds(300)])
    func told(_ held: HeldValues) -> [String: String] {
      Dictionary(
        uniqueKeysWithValues: speaker.playlist.eventedValues(holding: held).map { ($0.name, $0.value) })
    }
    try speaker.add("a", "b")
    #expect(told(.none)["IdArray"] == IdArray.text([1, 2]))
    let held = told(HeldValues(["IdArray": "held", "Id": "9"]))
    #expect(held["IdArray"] == "held")
    #expect(held["Id"] == "1", "others aren't moderated")
    #expect(held.count == told(.none).count)
    #expect(speaker.playlist.nextChange() == nil)
    #expect(try array == IdArray.text([1, 2]))
  }
}
