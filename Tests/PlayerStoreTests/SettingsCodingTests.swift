import Player
import Testing

@testable import PlayerStore

@Suite struct SettingsCodingTests {
  private func table(_ rows: [SettingRow]) -> [String: StoreValue] {
    var table: [String: StoreValue] = [:]
    for row in rows { table[row.name] = row.value }
    return table
  }

  @Test(arguments: [PlayerSnapshot.fresh.settings, PlayerSnapshot.full.settings])
  func whatIsWrittenIsReadBack(settings: SavedPlayer) {
    #expect(SettingsCoding.decodeSettings(table(SettingsCoding.encode(settings))) == settings)
  }

  @Test(arguments: SourceKind.allCases) func everySourceHasAName(source: SourceKind) {
    var settings = PlayerSnapshot.fresh.settings
    settings.activeSource = source
    #expect(SettingsCoding.decodeSettings(table(SettingsCoding.encode(settings)))?.activeSource == source)
  }

  @Test func nothingSavedIsNoPlayer() {
    #expect(SettingsCoding.decodeSettings([:]) == nil)
    #expect(SettingsCoding.decodeHost([:]) == HostState())
  }

  @Test func nonsenseIsAsIfItWasntThere() {
    var rows = table(SettingsCoding.encode(PlayerSnapshot.full.settings))
    rows["master-level"] = .integer(Int64.max)
    rows["left-level"] = .integer(-99999)
    rows["right-trim"] = .integer(Int64.min)
    rows["source"] = .text("toaster")
    rows["current-track"] = .integer(-1)
    rows["position"] = .integer(-5)
    rows["standby"] = .text("1")
    rows["radio-uri"] = .bytes([1])
    let settings = SettingsCoding.decodeSettings(rows)
    #expect(settings?.master?.decibels == 0)
    #expect(settings?.left?.decibels == -65536)
    #expect(settings?.right?.trim == -65536)
    #expect(settings?.activeSource == nil)
    #expect(settings?.currentTrackID == 0)
    #expect(settings?.position == nil)
    #expect(settings?.isStandby == false)
    #expect(settings?.channel == nil)
    let host = SettingsCoding.decodeHost([
      "boot-id": .integer(1 << 40), "installation-id": .text("zz"),
    ])
    #expect(host == HostState())
  }

  @Test func aLevelThatIsNoNumberLosesNothingElse() {
    var rows = table(SettingsCoding.encode(PlayerSnapshot.full.settings))
    rows["master-level"] = .text("-2560dB")
    let settings = SettingsCoding.decodeSettings(rows)
    #expect(settings?.master == nil)
    #expect(settings?.right == PlayerSnapshot.full.settings.right)
    #expect(settings.flatMap { SettingsCoding.decodeSettings(table(SettingsCoding.encode($0))) } == settings)
  }

  @Test func onlyWhatLooksLikeATypeIsKept() {
    let types = ["audio/a", "", "audio b", "audio/é", String(repeating: "a", count: 201)]
    let host = HostState(formats: .init(key: "k", mimeTypes: types))
    let read = SettingsCoding.decodeHost(table(SettingsCoding.encode(host)))
    #expect(read.formats == .init(key: "k", mimeTypes: ["audio/a"]))
    let many = HostState(formats: .init(key: "k", mimeTypes: Array(repeating: "a", count: 600)))
    #expect(SettingsCoding.decodeHost(table(SettingsCoding.encode(many))).formats?.mimeTypes.count == 500)
  }

  @Test func durationsKeepTheirMicroseconds() {
    #expect(Duration.milliseconds(61_234).microseconds == 61_234_000)
    #expect(Duration.seconds(Int64.max).microseconds == .max)
    #expect(Duration.seconds(-Int64.max).microseconds == .min)
    #expect(Duration.microseconds(-7).microseconds == -7)
  }
}
