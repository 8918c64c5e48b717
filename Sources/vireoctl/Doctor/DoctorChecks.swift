import Network
import Text

/// The reasons why a control point doesn't see a device, or the device doesn't play: each a function of the facts.
enum DoctorChecks {
  static let all: [@Sendable (DoctorFacts) -> [Finding]] = [
    network, port, sending, bridges, answers, speaker, descriptions, locations, twins, names, delays, clocks,
    formats, routes,
  ]

  static func findings(_ facts: DoctorFacts) -> [Finding] { all.flatMap { $0(facts) } }

  // MARK: - This machine

  @Sendable static func network(_ facts: DoctorFacts) -> [Finding] {
    if !facts.endpoints.isEmpty {
      let list = facts.endpoints.map { "\($0.interface) \($0.address)" }.joined(separator: ", ")
      return [.good("network", "looked for devices from \(list)")]
    }
    guard facts.named.isEmpty else {
      return [
        .fault(
          "network",
          "\(facts.named.joined(separator: ", ")) is no network interface that is up and has an address",
          cure:
            "connect its cable or Wi-Fi, or leave --interface out; \"ip address\" shows what there is"
        )
      ]
    }
    guard !facts.guests.isEmpty else {
      return [
        .fault(
          "network", "no network interface is up that has an address and can send to many (multicast)",
          cure: "connect the cable or the Wi-Fi; \"ip address\" shows what there is")
      ]
    }
    return [
      .fault(
        "network",
        "only \(facts.guests.joined(separator: ", ")) is up, which leads to this machine's containers and virtual machines",
        cure:
          "connect the cable or the Wi-Fi; if devices really are there, name the interface: --interface \(facts.guests[0])"
      )
    ]
  }

  @Sendable static func port(_ facts: DoctorFacts) -> [Finding] {
    guard facts.isPortTaken else { return [] }
    return [
      .fault(
        "port",
        "a program on this machine has UDP port 1900 for itself alone, so no other one here can be found",
        cure: "\"ss -ulpn sport = :1900\" names it; stop it, or switch off its UPnP (SSDP)")
    ]
  }

  @Sendable static func sending(_ facts: DoctorFacts) -> [Finding] {
    facts.endpoints.filter { $0.errorCode != 0 }.map { endpoint in
      let text = "can't send a search from \(endpoint.address) (\(endpoint.interface)): "
      switch endpoint.errorCode {
      case 1, 13:
        return .fault(
          "sending", text + "this machine's firewall forbids it",
          cure: "allow UDP to 239.255.255.250 and [ff02::c], port 1900, to go out\(firewallWord(facts))")
      case 101:
        return .fault(
          "sending", text + "there is no route",
          cure: "ip route add 239.255.255.250/32 dev \(endpoint.interface)")
      default:
        return .fault(
          "sending", text + errorText(endpoint.errorCode),
          cure: "see whether \(endpoint.interface) works at all")
      }
    }
  }

  @Sendable static func bridges(_ facts: DoctorFacts) -> [Finding] {
    facts.bridges.filter { $0.isSnooping && !$0.isQuerier }.map { bridge in
      .hint(
        "bridge",
        "the bridge \(bridge.name) looks at who wants multicasts (IGMP snooping), but asks nobody; if no router asks either, searches get lost after some minutes",
        cure: "echo 1 > /sys/class/net/\(bridge.name)/bridge/multicast_querier")
    }
  }

  // MARK: - The network

  @Sendable static func answers(_ facts: DoctorFacts) -> [Finding] {
    let sent = facts.endpoints.filter { $0.errorCode == 0 }
    guard !sent.isEmpty else { return [] }
    let heard = facts.multicastAnswers
    guard !heard.isEmpty else {
      return [
        .fault(
          "answers", "no device answered a search",
          cure:
            "one of these: (1) this machine's firewall drops the answers: allow UDP that comes from port 1900\(firewallWord(facts)); "
            + "(2) the Wi-Fi is for guests, or keeps its clients apart (\"AP isolation\", \"client isolation\"): switch that off in the router; "
            + "(3) the router or a switch drops multicasts: switch off \"IGMP snooping\", or \"multicast filter\"; "
            + "(4) the devices are in another network: compare their addresses with this machine's")
      ]
    }
    let devices = Set(heard.map { $0.udn.lowercased() }).count
    var findings: [Finding] = [
      .good("answers", "\(counted(devices, "device")) answered")
    ]
    let answered = Set(heard.map(\.interface))
    for interface in Set(sent.map(\.interface)).subtracting(answered).sorted() {
      findings.append(
        .hint(
          "answers", "nothing answered on \(interface)",
          cure:
            "if devices are there: allow UDP that comes from port 1900 on \(interface), and look at the router as to guest networks"
        ))
    }
    return findings
  }

  @Sendable static func speaker(_ facts: DoctorFacts) -> [Finding] {
    let read = facts.descriptions.filter { $0.failure == nil }
    guard let wanted = facts.wanted else {
      let renderers = read.filter(\.isRenderer)
      guard renderers.isEmpty, !facts.multicastAnswers.isEmpty else { return [] }
      return [
        .fault(
          "speaker", "no renderer is among the devices",
          cure:
            "see whether the speaker is on and in this network; \"vireoctl doctor ADDRESS\" says more about one"
        )
      ]
    }
    let isWanted: (DoctorFacts.Answer) -> Bool = { answer in
      if let address = facts.wantedAddress { return answer.sender.unmapped == address.unmapped }
      let udns = read.filter { DoctorChecks.matches($0, wanted) }.map { $0.udn.lowercased() }
      return udns.contains(answer.udn.lowercased())
    }
    if facts.multicastAnswers.contains(where: isWanted) {
      return [.good("speaker", "\(wanted) answers searches")]
    }
    if facts.answers.contains(where: isWanted) {
      return [
        .fault(
          "speaker",
          "\(wanted) answers when it is asked alone, but not when all are asked: multicasts don't get there",
          cure:
            "switch off \"IGMP snooping\", \"multicast filter\" and \"AP isolation\" in the router or access point, or connect both to the same one"
        )
      ]
    }
    if facts.isWantedReachable == true {
      return [
        .fault(
          "speaker", "\(wanted) is there, but answers no search",
          cure:
            "on it: see that vireod runs (\"systemctl status vireo\"), and let its firewall take UDP port 1900 (\"ufw allow 1900/udp\")"
        )
      ]
    }
    return [
      .fault(
        "speaker", "\(wanted) isn't found",
        cure: facts.wantedAddress == nil
          ? "see whether it is on and in this network; its address instead of its name says more"
          : "see whether it is on (\"ping\"), and whether that is still its address: the router's list of devices has it"
      )
    ]
  }

  static func matches(_ device: DoctorFacts.Described, _ wanted: String) -> Bool {
    let wanted = wanted.lowercased()
    return device.name.lowercased().hasPrefix(wanted) || device.udn.lowercased().hasPrefix(wanted)
      || device.url.lowercased() == wanted
  }

  @Sendable static func descriptions(_ facts: DoctorFacts) -> [Finding] {
    facts.descriptions.compactMap { described in
      guard let failure = described.failure else { return nil }
      let place = described.url
      switch failure {
      case .timeout, .unreachable:
        return .fault(
          "description", "a device answers searches, but its description can't be fetched: \(place)",
          cure:
            "let the device's firewall take TCP connections to that port; Vireo's is 49494 unless [network] port says otherwise"
        )
      case .status(403), .status(412):
        return .fault(
          "description", "a device refuses this machine: \(place)",
          cure: "add this machine's network to its list of those that may connect; Vireo's is [network] allow"
        )
      default:
        return .hint(
          "description", "a device's description makes no sense (\(failure)): \(place)",
          cure: "restart the device, or look for an update of it; other devices aren't disturbed by it")
      }
    }
  }

  static func firewallWord(_ facts: DoctorFacts) -> String {
    facts.firewalls.isEmpty ? "" : " (\(facts.firewalls.joined(separator: " and ")) is on here)"
  }
}
