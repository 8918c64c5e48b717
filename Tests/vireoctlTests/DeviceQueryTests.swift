import Network
import Renderers
import Testing

@testable import vireoctl

@Suite struct DeviceQueryTests {
  private func device(_ name: String, _ udn: String, _ address: UInt32 = 0xc000_0207, port: Int = 49494)
    -> DeviceFacts
  {
    DeviceFacts(
      udn: udn, name: name, kind: .renderer, address: .v4(address), port: port, addresses: [.v4(address)],
      url: "http://\(IPAddress.v4(address)):\(port)/\(udn)/device.xml")
  }

  private var rooms: [DeviceFacts] {
    [
      device("Kitchen", "4c414d50-0000-4000-8000-000000000001"),
      device("Kitchen door", "4c414d50-0000-4000-8000-000000000002", 0xc000_0208),
      device("Bath", "52414d50-0000-4000-8000-000000000003", 0xc000_0209),
    ]
  }

  private func chosen(_ text: String) -> [String] { DeviceQuery(text).choose(rooms).map(\.name) }

  @Test func theBestFitWins() {
    #expect(chosen("Kitchen") == ["Kitchen"])
    #expect(chosen("kitchen") == ["Kitchen"])
    #expect(chosen(" KITCHEN   Door ") == ["Kitchen door"])
    #expect(chosen("ba") == ["Bath"])
    #expect(chosen("192.0.2.9") == ["Bath"])
    #expect(chosen("192.0.2.9:49494") == ["Bath"])
    #expect(chosen("http://192.0.2.9:49494/52414d50-0000-4000-8000-000000000003/device.xml") == ["Bath"])
    #expect(chosen("uuid:52414D50-0000-4000-8000-000000000003") == ["Bath"])
    #expect(chosen("52414d50") == ["Bath"])
  }

  @Test func severalAreSaidToBeSeveral() {
    #expect(chosen("kit") == ["Kitchen", "Kitchen door"])
    #expect(chosen("4c414d50").count == 2)
  }

  @Test func nothingFits() {
    for text in ["", "Cellar", "192.0.2.1", "524", "http://192.0.2.9/", "192.0.2.9:1"] {
      #expect(chosen(text).isEmpty, "\(text)")
    }
  }

  @Test func theDefaultIsTheOneHereOrTheOnlyOne() {
    let players = PlayerFacts.grouped(rooms)
    #expect(players.count == 3)
    #expect(DefaultRenderer.choose(players, own: [.v4(0xc000_0208)])?.name == "Kitchen door")
    #expect(DefaultRenderer.choose(players, own: []) == nil)
    #expect(DefaultRenderer.choose([players[0]], own: []) == players[0])
    #expect(DefaultRenderer.choose(players, own: [.v4(0xc000_0208), .v4(0xc000_0209)]) == nil)
  }

  @Test func twoDevicesAreOneRenderer() {
    var openHome = device("Kitchen:Vireo", "4c414d50-0000-4000-8000-00000000000a")
    openHome.isOpenHome = true
    let players = PlayerFacts.grouped(rooms + [openHome])
    #expect(players.map(\.devices.count) == [2, 1, 1])
    #expect(players[0].name == "Kitchen")
    #expect(DeviceQuery("kitchen").choose(players) == [players[0]])
    #expect(DeviceQuery("Kitchen:Vireo").choose(players) == [players[0]])
    #expect(DeviceQuery("192.0.2.7").choose(players) == [players[0]])
    // Alone at its place, whatever it is called.
    openHome.name = "Living room:Other"
    #expect(PlayerFacts.grouped([rooms[0], openHome]).count == 1)
    #expect(DeviceQuery("living room").choose(PlayerFacts.grouped([rooms[0], openHome])).count == 1)
    // Somewhere else, with two AVTransports of which none is called so, or whole.
    var elsewhere = openHome
    elsewhere.port = 1
    #expect(PlayerFacts.grouped([rooms[0], elsewhere]).count == 2)
    #expect(PlayerFacts.grouped([rooms[0], device("Bath", "x"), openHome]).count == 3)
    openHome.isAV = true
    #expect(PlayerFacts.grouped([rooms[0], openHome]).count == 2)
  }

  @Test func whatIsKnownIsKeptInAFile() {
    let entries = rooms.map { KnownDevices.Entry($0) }
    #expect(KnownDevices.entries(KnownDevices.text(entries)) == entries)
    #expect(KnownDevices.merged(entries, [entries[1]]) == entries)
    var moved = entries[1]
    moved.url = "http://192.0.2.10:1/x"
    #expect(KnownDevices.merged(entries, [moved]) == [moved, entries[0], entries[2]])
    var hostile = entries[1]
    hostile.name = "a\nb"
    #expect(KnownDevices.merged([], [hostile]).isEmpty)
    #expect(
      KnownDevices.entries("a\tb\nx\ty\tnonsense\t1\tz\nx\ty\thttp://192.0.2.9/\t\tz\n").isEmpty)
    // Seen again: the order stays, and the time is written if it differs by a minute.
    let old = entries.map { $0.at(1000) }
    #expect(KnownDevices.merged(old, [old[1].at(1059)]) == old)
    #expect(KnownDevices.merged(old, [old[1].at(1060)]) == [old[0], old[1].at(1060), old[2]])
  }

  /// Another device may have got the same name meanwhile.
  @Test func namesAreTrustedForAWhile() {
    let entry = KnownDevices.Entry(rooms[0])
    #expect(entry.isYoung())
    #expect(entry.at(1000).isYoung(now: 1000) && entry.at(1000).isYoung(now: 1600))
    #expect(!entry.at(1000).isYoung(now: 1601))
    // The clock was wrong then, or is now.
    #expect(!entry.at(1000).isYoung(now: 999))
    #expect(KnownDevices.areYoung([rooms[0]], in: [entry]))
    #expect(!KnownDevices.areYoung([rooms[0], rooms[1]], in: [entry]))
    #expect(!KnownDevices.areYoung([rooms[0]], in: [entry.at(1000)]))
    for (text, isCertain) in [
      ("Kitchen", false), ("Kit", false), ("4c414d50-0000", false), ("192.0.2.7", true),
      ("192.0.2.7:49494", true),
      ("4c414d50-0000-4000-8000-000000000001", true), ("Bath", false),
    ] {
      #expect(DeviceQuery(text).isCertain(rooms[0]) == isCertain, "\(text)")
    }
  }

  @Test func whatIsEmptyIsUnset() {
    func text(_ option: String?, _ variable: String?, _ file: String?) -> String? {
      ChosenRenderer.text(option: option, variable: variable) { file }
    }
    #expect(text("a", "b", "c") == "a")
    #expect(text(nil, "b", "c") == "b")
    #expect(text(nil, "", "c") == "c")
    #expect(text(nil, nil, "c") == "c")
    #expect(text(nil, "", nil) == nil)
    #expect(text("", "b", "c") == nil, "-r with nothing means the default")
    #expect(text(nil, nil, "") == nil)
  }

  /// However short the time is, what has answered until then counts.
  @Test(arguments: ["0.1", "0.5"]) func theLastLookIsAChoice(time: String) async throws {
    let options = try GlobalOptions.parse(["--timeout", time, "--interface", "lo"])
    let session = Session(options)
    let finder = DeviceFinder(session)
    let (chosen, _) = try await finder.search(
      [.device("urn:example-org:device:None")], for: finder.time
    ) {
      _, isSettled in isSettled ? true : nil
    }
    #expect(chosen == true)
    await session.end()
  }

  @Test func interfacesThatAreNotThere() {
    let own = ["lo", "eth0", "wlan0"]
    #expect(UsedInterfaces.unknown([], among: own) == nil)
    #expect(UsedInterfaces.unknown(["eth*", "wlan?"], among: own) == nil)
    #expect(UsedInterfaces.unknown(["eth0", "eht0"], among: own) == "eht0")
    #expect(throws: Failure.self) { try UsedInterfaces.check(["none*"]) }
    #expect(throws: Never.self) { try UsedInterfaces.check(["lo"]) }
  }

  @Test func aNamedInterfaceThatIsDown() {
    var facts = DoctorFacts()
    (facts.named, facts.guests) = (["eth1"], ["docker0"])
    let finding = DoctorChecks.network(facts).first
    #expect(finding?.grade == .fault && finding?.text.contains("eth1") == true)
  }
}
