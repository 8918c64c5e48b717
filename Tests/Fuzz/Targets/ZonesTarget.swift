import NIOCore
import Network
import UPnP

@testable import Services
@testable import vireod

extension FuzzTarget {
  /// What is heard of other zones, what comes of asking them, and what they tell.
  ///
  /// An input is messages with a record separator (0x1e) between them: `+`, `-` or `?` answers the question that was asked first (a
  /// zone, something else, silence), `!` doubts a zone that is known, `<` is the body of an event; all others are datagrams.
  static let zones = FuzzTarget(
    name: "zones", maximumLength: 8192,
    words: [
      "\u{1e}", "\u{1e}+\u{1e}", "\u{1e}-\u{1e}", "\u{1e}?\u{1e}", "\u{1e}!\u{1e}", "HTTP/1.1 200 OK\r\n",
      "NOTIFY * HTTP/1.1\r\n", "NTS: ssdp:alive\r\n", "NTS: ssdp:byebye\r\n",
      "USN: uuid:RINCON_0123456789AB01400::x\r\n",
      "USN: uuid:RINCON_0123456789AC01400\r\n",
      "LOCATION: http://192.0.2.9:1400/xml/device_description.xml\r\n",
      "X-RINCON-HOUSEHOLD: Sonos_abcdefghijklmnopqrstuvwxyz\r\n", "X-RINCON-BOOTSEQ: 2\r\n", "\r\n\r\n",
      "<e:propertyset xmlns:e=\"urn:schemas-upnp-org:event-1-0\">", "<e:property><Household>",
      "</Household></e:property>",
      "<e:property><ListensTo>ohz://239.255.255.250:51972/a</ListensTo></e:property>",
    ]
  ) { bytes in
    var now = NIODeadline.uptimeNanoseconds(0)
    var watch = HouseholdWatch(
      uid: "RINCON_0123456789FF01400", household: "Sonos_aaaaaaaaaaaaaaaaaaaaaaaaaa", now: now)
    var asked: [String] = []
    var followed: Set<String> = []

    func take(_ actions: [HouseholdWatch.Action]) throws {
      for action in actions {
        switch action {
        case .ask(let uid, let location):
          asked.append(uid)
          try promise(ZoneIdentity.isUID(uid), "asks \(uid)")
          try promise(
            location == "http://192.0.2.9:1400/xml/device_description.xml", "asks elsewhere: \(location)")
        case .follow(let uid): followed.insert(uid)
        case .restarted(let uid):
          try promise(followed.contains(uid), "\(uid) was never followed")
        case .forget(let uid, _): try promise(followed.remove(uid) != nil, "\(uid) was never followed")
        case .search, .show, .hide: break
        }
      }
      try promise(asked.count <= 2 && followed.count <= HouseholdWatch.mostPeers, "bounds")
    }

    func proceed() throws {
      var steps = 0
      while let wake = watch.wake, wake <= now {
        try take(watch.woken(now: now))
        steps += 1
        try promise(steps < 100, "it never stands still")
      }
    }

    for record in bytes.split(separator: 0x1e, maxSplits: 64, omittingEmptySubsequences: false) {
      let answers: [UInt8: HouseholdWatch.Answer] = [0x2b: .zone, 0x2d: .other, 0x3f: .silent]
      if record.count == 1, let answer = record.first.flatMap({ answers[$0] }) {
        if !asked.isEmpty { try take(watch.answered(asked.removeFirst(), answer, now: now)) }
      } else if record.elementsEqual([0x21]) {
        if let uid = followed.min() { try take(watch.doubted(uid, now: now)) }
      } else if record.first == UInt8(ascii: "<") {
        try read(ByteBuffer(bytes: record))
      } else if let notice = ZoneNotice(
        datagram: record, from: .v4(0xc000_0209), isServed: { $0 == .v4(0xc000_0209) })
      {
        try take(watch.heard(notice, now: now))
      }
      try proceed()
      now = now + .seconds(Int64(record.count % 64))
      try proceed()
    }
  }

  /// What is taken of a zone can be told on.
  private static func read(_ event: ByteBuffer) throws {
    guard let properties = try? PropertySet.read(event) else { return }
    let values = Dictionary(properties.map { ($0.name, $0.value) }) { first, _ in first }
    guard let facts = ZoneFacts(uid: "RINCON_0123456789AB01400", address: "192.0.2.9", values: values) else {
      return
    }
    try promise(ZoneIdentity.isHousehold(facts.household), facts.household)
    try promise((0...100).contains(facts.volume) && facts.member.name.utf8.count <= 128, "bounds")
    try promise(
      ZoneTopology.document(ZoneHousehold.groups(of: [facts])).utf8.count < 8192, "a long list of one zone")
  }
}
