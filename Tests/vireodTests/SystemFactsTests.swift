import Network
import Player
import Testing

@testable import Page
@testable import vireod

/// What the page says about the speaker.
@Suite struct SystemFactsTests {
  @Test func settingsSayWhereTheyAreFrom() throws {
    var settings = Settings()
    settings.device.room = "Kitchen"
    let shown = SystemFacts.settings(settings, SettingsLoader.Loaded(origins: ["device.room": "line 7"]))
    #expect(shown.count == SettingsSchema.keys.count)
    let room = try #require(shown.first { $0.key == "device.room" })
    #expect(room.value == "\"Kitchen\"")
    #expect(room.where == "line 7")
    #expect(shown.first { $0.key == "network.port" }?.where == "default")
  }

  @Test func secretsOfSettingsAreNotShown() throws {
    var settings = Settings()
    settings.hooks.play = ["/usr/bin/switch", "--token", "hunter2"]
    settings.radio.presets = [.init(name: "One", url: "http://me:hunter2@radio/one?token=hunter2")]
    settings.radio.playlists = ["http://me:hunter2@radio/list.m3u"]
    let shown = SystemFacts.settings(settings, SettingsLoader.Loaded())
    #expect(!shown.contains { $0.value.contains("hunter2") })
    #expect(shown.first { $0.key == "hooks.on-play" }?.value == "/usr/bin/switch …")
    #expect(shown.first { $0.key == "radio.preset" }?.value == "One")
  }

  @Test func subscribersAreGathered() throws {
    let address = try #require(IPAddress("192.0.2.9"))
    let shown = SystemFacts.subscribers([(address, "Volume"), (address, "AVTransport")])
    #expect(shown.count == 1)
    #expect(shown.first?.services == ["AVTransport", "Volume"])
  }

  @Test func whatIsWrongHasACure() {
    let checks = SystemChecks(
      loaded: SettingsLoader.Loaded(), settings: Settings(), reach: nil, zone: nil, player: PlayerState()
    ).all
    #expect(checks.first?.name == "network")
    #expect(checks.first?.state == .fault)
    #expect(checks.first?.cure?.isEmpty == false)
    #expect(checks.last?.state == .ok)
  }

  @Test func theZoneSaysWhetherItIsFound() {
    func check(_ zone: ZoneReach?) -> API.Check? {
      SystemChecks(
        loaded: SettingsLoader.Loaded(), settings: Settings(), reach: nil, zone: zone, player: PlayerState()
      ).all.first { $0.name == "Sonos zone" }
    }
    #expect(check(nil) == nil, "it is switched off")
    #expect(check(ZoneReach())?.state == .ok)
    #expect(check(ZoneReach(presence: .shown, others: 1))?.detail.contains("one other zone") == true)
    let hidden = check(ZoneReach(presence: .hides(household: "Sonos_x")))
    #expect(hidden?.state == .warning && hidden?.detail.contains("Sonos_x") == true)
    #expect(hidden?.cure?.contains("beside-others") == true)
    let taken = check(ZoneReach(presence: .shown, failures: ["192.0.2.1": "Address already in use"]))
    #expect(taken?.state == .fault && taken?.detail.contains("192.0.2.1 (Address already in use)") == true)
  }

  @Test func addressesAreLookedAt() {
    func check(_ result: Result<[UInt8], PlaybackFailure>) -> Bool {
      SoundProbe.check(result, address: "http://radio/list.m3u").isPlayable
    }
    #expect(check(.success(Array("#EXTM3U\nhttp://radio/one\n".utf8))))
    #expect(check(.success([0xff, 0xfb, 0x90, 0x64])))
    #expect(check(.failure(PlaybackFailure(.unsupportedFormat, "too long"))))
    #expect(!check(.failure(PlaybackFailure(.notFound, "gone"))))
  }

  @Test func theLastWarningsAreKept() {
    let lines = RecentLines()
    for number in 0..<60 {
      lines.take(LogGate.Line(level: .warning, part: .daemon, message: "\(number)"))
      lines.take(LogGate.Line(level: .info, part: .daemon, message: "nothing"))
    }
    lines.take(LogGate.Line(level: .error, part: .daemon, message: "bad", metadata: [("key", "value")]))
    #expect(lines.all.count == RecentLines.most)
    #expect(lines.all.first?.text == "bad key=value")
    #expect(lines.all.first?.isError == true)
    #expect(lines.all.last?.text == "11")
  }
}
