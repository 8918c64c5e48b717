import DIDLLite
import Glibc
import Player
import Testing
import XML

@testable import Services

@Suite struct RadioTests {
  private let speaker = Speaker()

  private var station: [String: String] {
    get throws { try speaker.call(speaker.radio, "Channel") }
  }

  @Test func theArrayHasAllSlots() throws {
    let empty = try speaker.call(speaker.radio, "IdArray")
    #expect(empty["Array"] == IdArray.text([UInt32](repeating: 0, count: 100)))
    #expect(try speaker.call(speaker.radio, "ChannelsMax")["Value"] == "100")
    let ids = try speaker.setPresets()
    let full = try speaker.call(speaker.radio, "IdArray")
    #expect(full["Array"] == IdArray.text([ids[0], 0, ids[1]] + [UInt32](repeating: 0, count: 97)))
    #expect(speaker.evented(speaker.radio, "IdArray") == full["Array"])
    func changed(_ token: String?) throws -> String? {
      try speaker.call(speaker.radio, "IdArrayChanged", ["Token": token ?? ""])["Value"]
    }
    #expect(try changed(empty["Token"]) == "1")
    #expect(try changed(full["Token"]) == "0")
  }

  @Test func presetsHaveAResource() throws {
    let ids = try speaker.setPresets()
    let list = try speaker.call(
      speaker.radio, "ReadList", ["IdList": "\(ids[1]) 0 99 -1 \(ids[0])"])["ChannelList"]
    let entries = try #require(LenientXML.parse(list ?? "")?.children)
    #expect(entries.map { $0.text(of: "Id") } == [String(ids[1]), String(ids[0])])
    #expect(entries.allSatisfy { $0.child("Uri") == nil })
    let metadata = entries.first?.child("Metadata")?.text ?? ""
    let item = try #require(DIDL.items(metadata).first)
    #expect(item.title == "Frog & Toad")
    #expect(item.resources.map(\.uri) == ["http://192.0.2.1/frog"])
    #expect(item.albumArtURI == "http://192.0.2.1/f.png")
    #expect(
      try speaker.call(speaker.radio, "Read", ["Id": String(ids[1])])["Metadata"] == metadata)
  }

  /// Seconds that this thread has computed.
  private static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Compared in processor time of this thread, so that others may use the machine as they like.
  @Test func manyUnknownIdsCostTheSameWhateverTheNumberOfPresets() throws {
    let unknown = (1...IdArray.maximumAsked).map { String(1_000_000 + $0) }.joined(separator: " ")
    func seconds(presets: Int) throws -> Double {
      try speaker.player.change(
        .radio(.setPresets((1...presets).map { Media(station: "http://192.0.2.1/\($0)", name: "\($0)") })))
      let begun = Self.processorTime
      let list = try speaker.call(speaker.radio, "ReadList", ["IdList": unknown])["ChannelList"]
      #expect(list == "<ChannelList></ChannelList>")
      return Self.processorTime - begun
    }
    let one = try (0..<3).map { _ in try seconds(presets: 1) }.min() ?? 0
    let hundred = try (0..<3).map { _ in try seconds(presets: Radio.channelsMax) }.min() ?? 0
    #expect(hundred < 2 * one, "\(hundred) s instead of \(one) s")
  }

  @Test func presetMetadataIsShort() {
    let long = String(repeating: "ä&", count: 3000)
    let media = Media(station: "http://192.0.2.1/a", name: long, image: "http://192.0.2.1/" + long)
    #expect(media.metadata.utf8.count <= 2048)
    #expect(DIDL.items(media.metadata).first?.resources.first?.uri == "http://192.0.2.1/a")
  }

  @Test func aStationWithoutMetadataGetsATitleOfItsAddress() throws {
    let uri = "http://192.0.2.1/live%20one"
    try speaker.call(speaker.radio, "SetChannel", ["Uri": uri, "Metadata": ""])
    let item = try #require(DIDL.items(try station["Metadata"] ?? "").first)
    #expect(item.title == "live one")
    #expect(item.upnpClass == "object.item.audioItem.audioBroadcast")
    #expect(item.resources.map(\.uri) == [uri])
    #expect(speaker.evented(speaker.radio, "Metadata") == (try station["Metadata"]))
    try speaker.call(speaker.radio, "Play")
    #expect(speaker.evented(speaker.info, "Metadata") == (try station["Metadata"]))
  }

  @Test func choosingAPreset() throws {
    let ids = try speaker.setPresets()
    try speaker.call(speaker.radio, "SetId", ["Value": String(ids[0]), "Uri": ""])
    #expect(try station["Uri"] == "http://192.0.2.1/bird")
    #expect(speaker.evented(speaker.radio, "Id") == String(ids[0]))
    #expect(speaker.evented(speaker.product, "SourceIndex") == "1")
    #expect(speaker.state(speaker.radio) == "Stopped")
    try speaker.call(speaker.radio, "SetId", ["Value": String(ids[1]), "Uri": " http://192.0.2.2/toad "])
    #expect(try station["Uri"] == "http://192.0.2.2/toad")
    #expect(speaker.evented(speaker.radio, "Id") == String(ids[1]))
  }

  @Test(arguments: [("SetId", "0", 803), ("SetId", "99", 803), ("Read", "0", 800), ("Read", "99", 800)])
  func unknownPresets(_ action: String, _ id: String, _ code: Int) throws {
    try speaker.setPresets()
    try speaker.setChannel()
    #expect(try speaker.fault(speaker.radio, action, ["Id": id, "Value": id, "Uri": ""]) == code)
    #expect(try station["Uri"] == "http://192.0.2.1/station")
  }

  @Test func aStationByItsAddress() throws {
    try speaker.setPresets()
    let metadata = "<DIDL-Lite><item><dc:title>A & B</dc:title></item></DIDL-Lite>"
    try speaker.setChannel("http://192.0.2.1/x", metadata: metadata)
    #expect(try station == ["Uri": "http://192.0.2.1/x", "Metadata": metadata])
    #expect(speaker.evented(speaker.radio, "Id") == "0")
    #expect(speaker.state(speaker.radio) == "Stopped")
    try speaker.call(speaker.radio, "Play")
    #expect(speaker.state(speaker.radio) == "Buffering")
    speaker.hear()
    #expect(speaker.state(speaker.radio) == "Playing")
    #expect(speaker.state(speaker.transport) == "Playing")
    #expect(speaker.state(speaker.playlist) == "Stopped")
    try speaker.call(speaker.radio, "Pause")
    #expect(speaker.state(speaker.radio) == "Stopped")
    #expect(try station["Uri"] == "http://192.0.2.1/x")
  }

  @Test func playWithoutAStation() throws {
    #expect(try speaker.fault(speaker.radio, "Play") == nil)
    #expect(speaker.state(speaker.radio) == "Stopped")
    #expect(try station == ["Uri": "", "Metadata": ""])
  }

  @Test func presetsCanBeAskedForAnew() throws {
    try speaker.call(speaker.radio, "RefreshPresets")
    #expect(speaker.effects.contains(.refreshPresets))
  }
}
