import Player
import Testing

@testable import PlayerStore

@Suite struct StoreCodingTests {
  private func table(_ rows: [StoreRow]) -> [String: StoreValue] {
    var table: [String: StoreValue] = [:]
    for row in rows { table[row.name] = row.value }
    return table
  }

  @Test(arguments: [PlayerSnapshot.fresh.player, PlayerSnapshot.full.player])
  func whatIsWrittenIsReadBack(player: SavedPlayer) {
    #expect(StoreCoding.decodePlayer(table(StoreCoding.encode(player))) == player)
  }

  @Test(arguments: SourceKind.allCases) func everySourceHasAName(source: SourceKind) {
    var player = PlayerSnapshot.fresh.player
    player.activeSource = source
    #expect(StoreCoding.decodePlayer(table(StoreCoding.encode(player)))?.activeSource == source)
  }

  @Test func nothingSavedIsNoPlayer() {
    #expect(StoreCoding.decodePlayer([:]) == nil)
    #expect(StoreCoding.decodeHost([:]) == HostState())
  }

  @Test func nonsenseIsAsIfItWasntThere() {
    var rows = table(StoreCoding.encode(PlayerSnapshot.full.player))
    rows["master-level"] = .integer(Int64.max)
    rows["left-level"] = .integer(-99999)
    rows["right-trim"] = .integer(Int64.min)
    rows["source"] = .text("toaster")
    rows["current-track"] = .integer(-1)
    rows["position"] = .integer(-5)
    rows["standby"] = .text("1")
    rows["radio-uri"] = .bytes([1])
    rows["pin-0"] = .text("{")
    rows["pin-5"] = .integer(7)
    rows["pin-last-id"] = .text("x")
    let player = StoreCoding.decodePlayer(rows)
    #expect(player?.master?.decibels == 0)
    #expect(player?.left?.decibels == -65536)
    #expect(player?.right?.trim == -65536)
    #expect(player?.activeSource == nil)
    #expect(player?.currentTrackID == 0)
    #expect(player?.position == nil)
    #expect(player?.isStandby == false)
    #expect(player?.channel == nil)
    #expect(player?.pins.ids == Array(repeating: 0, count: 11) + [3])
    #expect(player?.pins.lastID == 3)
    let host = StoreCoding.decodeHost([
      "boot-id": .integer(1 << 40), "installation-id": .text("zz"),
    ])
    #expect(host == HostState())
  }

  @Test func aLevelThatIsNoNumberLosesNothingElse() {
    var rows = table(StoreCoding.encode(PlayerSnapshot.full.player))
    rows["master-level"] = .text("-2560dB")
    let player = StoreCoding.decodePlayer(rows)
    #expect(player?.master == nil)
    #expect(player?.right == PlayerSnapshot.full.player.right)
    #expect(player.flatMap { StoreCoding.decodePlayer(table(StoreCoding.encode($0))) } == player)
  }

  @Test func onlyWhatLooksLikeATypeIsKept() {
    let types = ["audio/a", "", "audio b", "audio/é", String(repeating: "a", count: 201)]
    let host = HostState(formats: .init(key: "k", mimeTypes: types))
    let read = StoreCoding.decodeHost(table(StoreCoding.encode(host)))
    #expect(read.formats == .init(key: "k", mimeTypes: ["audio/a"]))
    let many = HostState(formats: .init(key: "k", mimeTypes: Array(repeating: "a", count: 600)))
    #expect(StoreCoding.decodeHost(table(StoreCoding.encode(many))).formats?.mimeTypes.count == 500)
  }

  @Test func durationsKeepTheirMicroseconds() {
    #expect(Duration.milliseconds(61_234).microseconds == 61_234_000)
    #expect(Duration.seconds(Int64.max).microseconds == .max)
    #expect(Duration.seconds(-Int64.max).microseconds == .min)
    #expect(Duration.microseconds(-7).microseconds == -7)
  }
}
