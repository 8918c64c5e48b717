import NIOCore
import Testing

@testable import HTTP
@testable import UPnP

@Suite struct SubscriptionTests {
  static let service = ServiceKey(udn: "u", name: "S")
  static let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

  static func subscription(_ number: Int, from address: UInt32 = 1, seconds: Int = 100) -> Subscription {
    Subscription(
      id: SID(high: 0, low: UInt64(number)), service: service, subscriber: .v4(address), callbacks: [],
      interface: nil, expires: start + .seconds(Int64(seconds)))
  }

  static let limits: EventLimits = {
    var limits = EventLimits()
    limits.subscriptions = 3
    limits.subscriptionsPerAddress = 2
    return limits
  }()

  @Test func numbersAreBounded() throws {
    var table = SubscriptionTable(limits: Self.limits)
    try table.add(Self.subscription(1))
    try table.add(Self.subscription(2))
    #expect(throws: SubscriptionRefusal.perAddress) { try table.add(Self.subscription(3)) }
    try table.add(Self.subscription(4, from: 2))
    #expect(throws: SubscriptionRefusal.total) { try table.add(Self.subscription(5, from: 3)) }
    table.remove(SID(high: 0, low: 1))
    try table.add(Self.subscription(6))
    #expect(table.subscribers(of: Self.service).map(\.low) == [2, 4, 6])
  }

  @Test func expiryIsExact() throws {
    var table = SubscriptionTable(limits: Self.limits)
    try table.add(Self.subscription(1, seconds: 10))
    try table.add(Self.subscription(2, seconds: 20))
    let sid = SID(high: 0, low: 1)
    #expect(table.count(at: Self.start + .seconds(10)) == 1, "what has run out counts no more")
    #expect(table.expire(now: Self.start + .seconds(9)).isEmpty)
    let inTime = table.renew(
      sid, of: Self.service, until: Self.start + .seconds(30), now: Self.start + .seconds(9))
    #expect(inTime)
    #expect(table.expire(now: Self.start + .seconds(20)).map(\.id.low) == [2])
    let late = table.renew(sid, of: Self.service, until: .distantFuture, now: Self.start + .seconds(30))
    #expect(!late)
    #expect(table.expire(now: Self.start + .seconds(30)).map(\.id) == [sid])
    #expect(table.count == 0)
    #expect(!table.hasSubscribers(Self.service))
  }

  @Test func aSubscriptionBelongsToItsService() throws {
    var table = SubscriptionTable(limits: Self.limits)
    try table.add(Self.subscription(1))
    let other = ServiceKey(udn: "u", name: "Other")
    let renewed = table.renew(SID(high: 0, low: 1), of: other, until: .distantFuture, now: Self.start)
    #expect(!renewed)
  }

  @Test(arguments: [
    (nil, 1800), ("Second-300", 300), ("second-300", 300), (" Second-300 ", 300), ("Second-infinite", 1800),
    ("infinite", 1800), ("Second-0", 1800), ("Second-1", 10), ("Second-999999", 1800),
    ("Second-99999999999999999999", 1800), ("Second-", 1800), ("Second--5", 1800), ("300", 1800), ("x", 1800),
  ])
  func grantedTime(header: String?, seconds: Int) {
    #expect(EventLimits().granted(timeout: header) == seconds)
  }

  @Test func identifiersAreUnguessableAndReadBack() throws {
    let identifiers = Set((0..<1000).map { _ in SID.random() })
    #expect(identifiers.count == 1000)
    #expect(Set(identifiers.map { $0.low & 0xffff }).count > 900)
    for sid in identifiers.prefix(10) {
      #expect(SID(sid.description) == sid)
      #expect(SID(sid.description.uppercased()) == sid)
    }
    for text in [
      "", "uuid:", "uuid:1", "11111111-2222-3333-4444-555555555555",
      "uuid:11111111-2222-3333-4444-55555555555g",
    ] {
      #expect(SID(text) == nil)
    }
  }

  /// SID, NT, CALLBACK as sent (nil: absent), and the status; nil when the headers are fine.
  @Test(
    arguments: [
      ("SUBSCRIBE", "S", nil, nil, nil), ("SUBSCRIBE", "S", "upnp:event", nil, 400),
      ("SUBSCRIBE", "S", nil, "C", 400),
      ("SUBSCRIBE", "S", "upnp:event", "C", 400), ("SUBSCRIBE", nil, nil, nil, 412),
      ("SUBSCRIBE", nil, "upnp:event", nil, 412), ("SUBSCRIBE", nil, nil, "C", 412),
      ("SUBSCRIBE", nil, "upnp:other", "C", 412), ("SUBSCRIBE", nil, "upnp:event", "C", nil),
      ("SUBSCRIBE", "", nil, nil, 412), ("SUBSCRIBE", "uuid:x", nil, nil, 412),
      ("UNSUBSCRIBE", "S", nil, nil, nil),
      ("UNSUBSCRIBE", "S", "upnp:event", nil, 400), ("UNSUBSCRIBE", "S", nil, "C", 400),
      ("UNSUBSCRIBE", nil, nil, nil, 412), ("UNSUBSCRIBE", nil, "upnp:event", nil, 400),
      ("UNSUBSCRIBE", "", nil, nil, 412),
    ] as [(String, String?, String?, String?, Int?)])
  func headers(method: String, sid: String?, nt: String?, callback: String?, status: Int?) {
    var fields = HeaderFields()
    if let sid { fields.append(name: "sid", value: sid == "S" ? SID(high: 1, low: 2).description : sid) }
    if let nt { fields.append(name: "nt", value: nt) }
    if let callback { fields.append(name: "callback", value: callback) }
    do {
      _ = try SubscriptionRequest(method: method, fields: fields)
      #expect(status == nil)
    } catch {
      #expect(error.status.rawValue == status)
    }
  }
}

@Suite struct CallbackURLTests {
  @Test(
    arguments: [
      ("<http://192.0.2.50:4004/evt>", ["192.0.2.50:4004 /evt"]),
      (" <http://192.0.2.50/a?b=c> <HTTP://192.0.2.51> ", ["192.0.2.50:80 /a?b=c", "192.0.2.51:80 /"]),
      ("<http://[fe80::1]:8080/>", ["[fe80::1]:8080 /"]),
      ("<http://[fe80::1%25eth0]:8080/>", ["[fe80::1]:8080 /"]),
      ("<http://192.0.2.50?x>", ["192.0.2.50:80 /?x"]),
      ("<http://192.0.2.50/a#b>", ["192.0.2.50:80 /a"]),
      ("<http://name.example/><http://192.0.2.50/>", ["192.0.2.50:80 /"]),
      ("<https://192.0.2.50/>", []), ("<ftp://192.0.2.50/>", []), ("<http://192.0.2.50:0/>", []),
      ("<http://192.0.2.50:65536/>", []), ("<http://u:p@192.0.2.50/>", []), ("<http://192.0.2.050/>", []),
      ("<http://0x7f.1/>", []), ("<http://2130706433/>", []), ("<http:///x>", []), ("<>", []), ("", []),
      ("<http://192.0.2.50/\r>", []), ("<http://192.0.2.50/a b>", []),
      ("http://192.0.2.50/", nil), ("<http://192.0.2.50/", nil), ("<http://192.0.2.50/>x", nil),
      ("<http://192.0.2.50/\(String(repeating: "x", count: 256))>", nil),
      ((1...7).map { "<http://192.0.2.\($0)/>" }.joined(), nil),
    ] as [(String, [String]?)])
  func lists(header: String, urls: [String]?) {
    #expect(CallbackURL.list(header, limits: EventLimits())?.map { "\($0.host) \($0.target)" } == urls)
  }

  @Test func sixOfFullLengthAreFine() {
    let header = (1...6).map { number in
      "<http://192.0.2.\(number)/\(String(repeating: "x", count: 239))>"
    }.joined()
    #expect(CallbackURL.list(header, limits: EventLimits())?.count == 6)
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\nA: b\r\n\r\n", StatusReader.Result.status(200)),
    ("HTTP/1.0 412 X\n\n", .status(412)),
    ("HTTP/1.1 200\r\n\r\n", .status(200)), ("HTTP/1.1 200 OK\r\n", .needMore), ("garbage\r\n", .failure),
    ("HTTP/1.1 2000 OK\r\n", .failure), ("", .needMore),
    (String(repeating: "x", count: 5000), .failure),
    ("HTTP/1.1 200 OK\r\n" + String(repeating: "a: b\r\n", count: 1000), .status(200)),
  ])
  func statuses(text: String, result: StatusReader.Result) {
    var whole = StatusReader()
    #expect(whole.read(ByteBuffer(string: text)) == result)
    var pieces = StatusReader()
    var last = StatusReader.Result.needMore
    for byte in text.utf8 where last == .needMore { last = pieces.read(ByteBuffer(bytes: [byte])) }
    #expect(last == result)
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", true),
    ("HTTP/1.1 200 OK\r\ncontent-length:0\r\nConnection: Keep-Alive\r\n\r\n", true),
    ("HTTP/1.1 200 OK\r\n\r\n", false), ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", false),
    ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nx", false),
    ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nCONNECTION: close\r\n\r\n", false),
    ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive, close\r\n\r\n", false),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n", false),
    ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", false),
  ])
  func answersThatLeaveTheConnectionOpen(text: String, keeps: Bool) {
    var reader = StatusReader()
    #expect(reader.read(ByteBuffer(string: text)) == .status(200))
    #expect(reader.keepsConnection == keeps)
  }

  @Test func propertySets() {
    let values = [EventedValue(name: "A", value: "<&>"), EventedValue(name: "B", value: "")]
    #expect(
      String(buffer: PropertySet.document(values, style: .properties)) == """
        <e:propertyset xmlns:e="urn:schemas-upnp-org:event-1-0"><e:property><A>&lt;&amp;&gt;</A></e:property>\
        <e:property><B></B></e:property></e:propertyset>

        """)
    let change = [EventedValue(name: "Volume", channel: "Master", value: "1\"<")]
    #expect(
      String(buffer: LastChange.document(change, namespace: "urn:n/")) == """
        <Event xmlns="urn:n/"><InstanceID val="0"><Volume channel="Master" val="1&quot;&lt;"/></InstanceID></Event>
        """)
    #expect(
      String(buffer: PropertySet.document(change, style: .lastChange(namespace: "urn:n/"))).contains(
        "<LastChange>&lt;Event xmlns=\"urn:n/\"&gt;&lt;InstanceID val=\"0\"&gt;&lt;Volume channel=\"Master\" "
          + "val=\"1&amp;quot;&amp;lt;\"/&gt;"))
  }

  /// Who ignores the channel takes the last one for the only one.
  @Test func theLastChannelComesWithTheOthers() {
    func values(_ left: String, _ master: String, mute: String = "0") -> [EventedValue] {
      [
        EventedValue(name: "Volume", channel: "LF", value: left),
        EventedValue(name: "Volume", channel: "Master", value: master),
        EventedValue(name: "Mute", channel: "LF", value: mute),
        EventedValue(name: "Mute", channel: "Master", value: "0"), EventedValue(name: "Other", value: "x"),
      ]
    }
    let before = values("100", "40")
    #expect(PropertySet.difference(from: before, to: values("50", "40")) == Array(values("50", "40")[..<2]))
    #expect(PropertySet.difference(from: before, to: values("100", "41")) == [values("100", "41")[1]])
    #expect(
      PropertySet.difference(from: before, to: values("100", "41", mute: "1"))
        == Array(values("100", "41", mute: "1")[1..<4]))
    #expect(PropertySet.difference(from: before, to: before).isEmpty)
  }
}
