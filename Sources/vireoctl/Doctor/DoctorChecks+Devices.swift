import Network
import UPnP

extension DoctorChecks {
  /// A device must be where its answer says, on the link that it came by.
  @Sendable static func locations(_ facts: DoctorFacts) -> [Finding] {
    var told: Set<String> = []
    return facts.multicastAnswers.compactMap { answer in
      guard let url = CallbackURL(answer.location) else {
        guard told.insert(answer.location).inserted else { return nil }
        return .hint(
          "location", "\(answer.sender) says it is at \"\(answer.location)\", which isn't an address",
          cure: "look for an update of the device")
      }
      guard let interface = facts.interfaces.first(where: { $0.name == answer.interface }),
        !answer.sender.isLoopback, url.address.isLoopback || interface.address(reaching: url.address) == nil,
        told.insert("\(answer.sender) \(url.address)").inserted
      else { return nil }
      return .fault(
        "location", "\(answer.sender) says it is at \(url.address), which isn't in this network",
        cure:
          "on that device: use one network only, or name the interface that devices are on; Vireo's key is [network] interfaces"
      )
    }
  }

  /// Two devices that say they are the same one replace each other in every control point.
  @Sendable static func twins(_ facts: DoctorFacts) -> [Finding] {
    let byUDN = Dictionary(grouping: facts.multicastAnswers, by: { $0.udn.lowercased() })
    return byUDN.sorted { $0.key < $1.key }.compactMap { udn, answers in
      let places = Set(answers.compactMap { CallbackURL($0.location)?.address })
      let v4 = places.filter { !$0.isIPv6 }
      guard v4.count > 1 || (v4.isEmpty && places.filter { !$0.isLinkLocal }.count > 8) else { return nil }
      let names = Set(
        facts.descriptions.filter { $0.udn.lowercased() == udn && $0.failure == nil }.map(\.name))
      // A device tells the same boot everywhere.
      let boots = Set(answers.compactMap(\.bootID))
      let list = v4.map(\.description).sorted().joined(separator: ", ")
      guard boots.count > 1 || names.count > 1 else {
        return .hint(
          "twins", "\(names.first ?? udn) is in this network with several addresses (\(list))",
          cure:
            "cable and Wi-Fi at the same time? If control points show it twice, or lose it, use one of the two"
        )
      }
      return .fault(
        "twins", "several devices say they are the same one (\(udn)): \(list)",
        cure:
          "a copied system? Give each an identity of its own: with Vireo, \"rm /etc/machine-id && systemd-machine-id-setup\", or [device] uuid"
      )
    }
  }

  @Sendable static func names(_ facts: DoctorFacts) -> [Finding] {
    let renderers = facts.descriptions.filter { $0.failure == nil && $0.isRenderer && !$0.name.isEmpty }
    let byName = Dictionary(grouping: renderers, by: { $0.name })
    return byName.sorted { $0.key < $1.key }.compactMap { name, devices in
      let hosts = Dictionary(grouping: devices, by: { $0.udn.lowercased() })
        .mapValues { Set($0.compactMap { CallbackURL($0.url)?.address }) }
      // One device may have several UDNs, each at all its addresses.
      let isShared = hosts.values.contains { first in hosts.values.contains { $0.isDisjoint(with: first) } }
      guard hosts.count > 1, isShared else { return nil }
      return .hint(
        "names", "\(hosts.count) renderers are called \"\(name)\", so nobody can tell them apart",
        cure: "give each its own name; Vireo's key is [device] name")
    }
  }

  @Sendable static func delays(_ facts: DoctorFacts) -> [Finding] {
    let late = Dictionary(grouping: facts.multicastAnswers, by: { $0.udn.lowercased() })
      .compactMapValues { $0.map(\.delay).min() }
      .filter { $0.value > facts.longestDelay + 500 }
    return late.sorted { $0.key < $1.key }.map { udn, delay in
      let name = facts.descriptions.first { $0.udn.lowercased() == udn }?.name ?? udn
      return .hint(
        "delay",
        "\(name) answered after \(delay / 1000).\(delay / 100 % 10) s, later than it was asked to; phones may have stopped waiting by then",
        cure:
          "Wi-Fi that saves power delays multicasts: on the device, \"iw dev wlan0 set power_save off\", or a cable"
      )
    }
  }

  /// Radio stations by https, and alarms, need the right time.
  @Sendable static func clocks(_ facts: DoctorFacts) -> [Finding] {
    // 2026-01-01: before this program was made.
    guard facts.clock >= 1_767_225_600 else {
      return [
        .fault(
          "clock", "this machine's clock is wrong: it is years behind", cure: "timedatectl set-ntp true")
      ]
    }
    var told: Set<String> = []
    var findings: [Finding] = facts.descriptions.compactMap { device in
      guard let offset = device.clockOffset, abs(offset) > 300, told.insert(device.name).inserted else {
        return nil
      }
      let side = offset > 0 ? "ahead of" : "behind"
      return .hint(
        "clock", "the clock of \(device.name) is \(span(abs(offset))) \(side) this machine's",
        cure: "set whichever is wrong (\"timedatectl set-ntp true\"): a wrong one makes https stations fail")
    }
    if !facts.isClockSet, findings.isEmpty {
      findings.append(
        .hint(
          "clock", "this machine hasn't reached a time server yet, so its clock may be wrong",
          cure: "\"timedatectl timesync-status\" says which server is asked"))
    }
    return findings
  }

  static func span(_ seconds: Int) -> String {
    switch seconds {
    case ..<7200: "\(seconds / 60) minutes"
    case ..<172_800: "\(seconds / 3600) hours"
    default: "\(seconds / 86_400) days"
    }
  }

  /// What people have in their collections.
  static let formats: KeyValuePairs<String, [String]> = [
    "MP3": ["audio/mpeg"], "FLAC": ["audio/flac"], "AAC": ["audio/mp4", "audio/aac"],
    "Ogg": ["audio/ogg", "audio/opus"], "WAV": ["audio/wav", "audio/l16"],
  ]

  @Sendable static func formats(_ facts: DoctorFacts) -> [Finding] {
    var told: Set<String> = []
    return facts.descriptions.compactMap { device in
      guard device.failure == nil, device.isRenderer, let sink = device.sink,
        told.insert(device.udn.lowercased()).inserted
      else { return nil }
      let missing = formats.filter { !$0.value.contains(where: sink.contains) }.map(\.key)
      guard !missing.isEmpty else { return .good("formats", "\(device.name) plays all common formats") }
      return .hint(
        "formats", "\(device.name) doesn't play \(missing.joined(separator: ", "))",
        cure:
          "if it is Vireo: apt install gstreamer1.0-plugins-good gstreamer1.0-plugins-bad gstreamer1.0-plugins-ugly gstreamer1.0-libav; others need a server that converts"
      )
    }
  }

  /// The renderer fetches the music itself, so it must reach the server.
  @Sendable static func routes(_ facts: DoctorFacts) -> [Finding] {
    let read = facts.descriptions.filter { $0.failure == nil }
    let renderers = links(read.filter(\.isRenderer), facts)
    let servers = links(read.filter { $0.isServer && !$0.isRenderer }, facts)
    var findings: [Finding] = []
    for (udn, renderer) in renderers.sorted(by: { $0.key < $1.key }) {
      for (other, server) in servers.sorted(by: { $0.key < $1.key })
      where other != udn && renderer.links.isDisjoint(with: server.links) {
        findings.append(
          .hint(
            "route", "\(renderer.name) and the media server \(server.name) are in different networks",
            cure:
              "connect both to the same network: the speaker fetches the music itself, however well this machine sees both"
          ))
      }
    }
    return findings
  }

  private static func links(
    _ devices: [DoctorFacts.Described], _ facts: DoctorFacts
  ) -> [String: (name: String, links: Set<String>)] {
    var links: [String: (name: String, links: Set<String>)] = [:]
    for device in devices {
      guard let url = CallbackURL(device.url) else { continue }
      let names = facts.interfaces.filter { $0.address(reaching: url.address) != nil }.map(\.name)
      links[device.udn.lowercased(), default: (device.name, [])].links.formUnion(names)
    }
    // One on this machine's own loopback is in none, or in all.
    return links.filter { !$0.value.links.isEmpty }
  }
}
