import Network
import Testing

@testable import vireoctl

@Suite struct DoctorTests {
  private static let lan = NetworkInterface(
    index: 2, name: "eth0", addresses: [InterfaceAddress(address: .v4(0xc0a8_0102), prefixLength: 24)],
    isRunning: true, isLoopback: false)

  /// A network in which everything is well.
  private var healthy: DoctorFacts {
    var facts = DoctorFacts()
    facts.interfaces = [Self.lan]
    facts.endpoints = [.init(interface: "eth0", address: .v4(0xc0a8_0102))]
    facts.clock = 1_800_000_000
    facts.answers = [answer("a", 5), answer("s", 6)]
    facts.descriptions = [
      .init(
        url: "http://192.168.1.5:1/d", udn: "a", name: "Kitchen", isRenderer: true,
        sink: ["audio/mpeg", "audio/flac", "audio/aac", "audio/ogg", "audio/wav"]),
      .init(url: "http://192.168.1.6:1/d", udn: "s", name: "NAS", isServer: true),
    ]
    return facts
  }

  private func answer(
    _ udn: String, _ host: UInt32, location: String? = nil, delay: Int = 100, boot: Int? = 1,
    isUnicast: Bool = false
  ) -> DoctorFacts.Answer {
    .init(
      udn: udn, target: "upnp:rootdevice", location: location ?? "http://192.168.1.\(host):1/d",
      sender: .v4(0xc0a8_0100 + host), interface: "eth0", delay: delay, bootID: boot, isUnicast: isUnicast)
  }

  private func troubles(_ change: (inout DoctorFacts) -> Void) -> [String] {
    var facts = healthy
    change(&facts)
    let findings = DoctorChecks.findings(facts).filter { $0.grade != .good }
    #expect(findings.allSatisfy { $0.cure?.isEmpty == false })
    return findings.map { "\($0.grade.rawValue) \($0.check)" }
  }

  @Test func nothingIsFoundWhereNothingIsWrong() {
    #expect(troubles { _ in }.isEmpty)
    #expect(troubles { $0.wanted = "kitchen" }.isEmpty)
    let report = DoctorReport.report(DoctorChecks.findings(healthy))
    #expect(
      report.lines(.terminal(width: 80, isStyled: false)).last
        == "Nothing is wrong that can be seen from here.")
  }

  @Test func thisMachine() {
    #expect(troubles { $0.endpoints = [] }.first == "fault network")
    #expect(
      troubles {
        $0.endpoints = []
        $0.guests = ["docker0"]
      }.first == "fault network")
    #expect(troubles { $0.isPortTaken = true } == ["fault port"])
    #expect(troubles { $0.endpoints[0].errorCode = 1 } == ["fault sending"])
    #expect(troubles { $0.endpoints[0].errorCode = 101 } == ["fault sending"])
    #expect(
      troubles { $0.bridges = [.init(name: "br0", isSnooping: true, isQuerier: false)] } == ["hint bridge"])
    #expect(troubles { $0.bridges = [.init(name: "br0", isSnooping: true, isQuerier: true)] }.isEmpty)
    #expect(troubles { $0.clock = 86_400 } == ["fault clock"])
    #expect(troubles { $0.isClockSet = false } == ["hint clock"])
  }

  @Test func nobodyAnswers() {
    var facts = healthy
    facts.answers = []
    facts.descriptions = []
    facts.firewalls = ["ufw"]
    let finding = DoctorChecks.findings(facts).first { $0.check == "answers" }
    #expect(finding?.grade == .fault && finding?.cure?.contains("ufw is on here") == true)
    #expect(troubles { $0.endpoints.append(.init(interface: "wlan0", address: .v4(1))) } == ["hint answers"])
  }

  @Test func theSpeaker() {
    #expect(troubles { $0.wanted = "Bath" } == ["fault speaker"])
    #expect(troubles { $0.descriptions[0].isRenderer = false } == ["fault speaker"])
    let gone: (inout DoctorFacts) -> Void = { facts in
      facts.wanted = "192.168.1.9"
      facts.wantedAddress = .v4(0xc0a8_0109)
    }
    func cure(_ change: (inout DoctorFacts) -> Void) -> String {
      var facts = healthy
      gone(&facts)
      change(&facts)
      return DoctorChecks.speaker(facts).first?.cure ?? ""
    }
    #expect(cure { _ in }.contains("ping"))
    #expect(cure { $0.isWantedReachable = true }.contains("1900/udp"))
    #expect(cure { $0.answers.append(answer("k", 9, isUnicast: true)) }.contains("IGMP snooping"))
    #expect(cure { $0.answers.append(answer("k", 9)) }.isEmpty)
  }

  @Test func devices() {
    #expect(troubles { $0.descriptions[1].failure = .timeout } == ["fault description"])
    #expect(troubles { $0.descriptions[1].failure = .status(403) } == ["fault description"])
    #expect(troubles { $0.descriptions[1].failure = .malformed } == ["hint description"])
    #expect(
      troubles { $0.answers.append(answer("x", 7, location: "http://172.17.0.1:1/d")) } == ["fault location"])
    #expect(
      troubles { $0.answers.append(answer("x", 7, location: "http://127.0.0.1:1/d")) } == ["fault location"])
    #expect(troubles { $0.answers.append(answer("x", 7, location: "nonsense")) } == ["hint location"])
    #expect(troubles { $0.answers.append(answer("A", 7, boot: 2)) } == ["fault twins"])
    #expect(troubles { $0.answers.append(answer("A", 7)) } == ["hint twins"])
    #expect(troubles { $0.answers[0].delay = 2300 } == ["hint delay"])
    #expect(troubles { $0.descriptions[0].clockOffset = -7200 } == ["hint clock"])
    #expect(troubles { $0.descriptions[0].sink = ["audio/mpeg"] } == ["hint formats"])
    #expect(
      troubles {
        $0.descriptions.append(
          .init(url: "http://192.168.1.8:1/d", udn: "b", name: "Kitchen", isRenderer: true))
      } == ["hint names"])
    // One device may have several UDNs at several addresses.
    #expect(
      troubles {
        $0.descriptions.append(
          .init(url: "http://192.168.1.5:2/d", udn: "b", name: "Kitchen", isRenderer: true))
      }.isEmpty)
  }

  @Test func aServerInAnotherNetwork() {
    #expect(
      troubles {
        $0.interfaces.append(
          NetworkInterface(
            index: 3, name: "wlan0",
            addresses: [InterfaceAddress(address: .v4(0x0a00_0001), prefixLength: 24)],
            isRunning: true, isLoopback: false))
        $0.descriptions[1].url = "http://10.0.0.6:1/d"
      } == ["hint route"])
  }

  @Test func datesOfHTTP() {
    #expect(HTTPDateReading.seconds("Tue, 14 Nov 2023 22:13:20 GMT") == 1_700_000_000)
    #expect(HTTPDateReading.seconds("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
    #expect(HTTPDateReading.seconds("Thu, 29 Feb 2024 00:00:01 GMT") == 1_709_164_801)
    for odd in ["", "now", "Tue, 14 Foo 2023 22:13:20 GMT", "Tue, 14 Nov 2023 22:13 GMT", "a b c d e"] {
      #expect(HTTPDateReading.seconds(odd) == nil)
    }
    #expect(HostFirewalls.isUFWOn("# x\nENABLED = yes\n") && !HostFirewalls.isUFWOn("ENABLED=no"))
  }
}
