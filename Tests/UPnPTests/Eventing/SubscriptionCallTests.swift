import NIOCore
import Testing

@testable import HTTP
@testable import UPnP

/// What a subscriber writes is what a device reads, and the other way round.
@Suite struct SubscriptionCallTests {
  private let sid = SID.random()

  private func headerFields(_ fields: [HTTPField]) -> HeaderFields {
    var read = HeaderFields()
    for field in fields { read.append(name: field.name.lowercased(), value: field.value) }
    return read
  }

  @Test func callsAreRead() throws {
    let calls: [(SubscriptionCall, SubscriptionRequest)] = [
      (
        .subscribe(callback: "http://192.0.2.7:49494/gena/x", seconds: 1800),
        .subscribe(callback: "<http://192.0.2.7:49494/gena/x>", timeout: "Second-1800")
      ),
      (.renew(sid: sid.description, seconds: 300), .renew(sid, timeout: "Second-300")),
      (.unsubscribe(sid: sid.description), .unsubscribe(sid)),
    ]
    for (call, request) in calls {
      #expect(try SubscriptionRequest(method: call.method, fields: headerFields(call.fields)) == request)
    }
    let urls = CallbackURL.list("<http://192.0.2.7:49494/gena/x>", limits: EventLimits())
    #expect(urls?.map(\.host) == ["192.0.2.7:49494"])
  }

  @Test func repliesAreRead() {
    for reply in [
      SubscriptionReply(sid: sid.description, seconds: 300),
      SubscriptionReply(sid: "uuid:RINCON_000000000001_sub0000000042", seconds: nil),
    ] {
      #expect(SubscriptionReply(fields: headerFields(reply.fields)) == reply)
    }
  }

  @Test(
    arguments: [
      ("Second-300", 300), (" second-1 ", 1), ("300", 300), ("Second-0", 0), ("Second-infinite", nil),
      ("infinite", nil), ("", nil), ("Second--5", nil), ("Second-9999999999", nil), ("Second-٣", nil),
    ] as [(String, Int?)])
  func timeouts(text: String, seconds: Int?) {
    #expect(SubscriptionReply(fields: headerFields([HTTPField("TIMEOUT", text)])).seconds == seconds)
  }

  @Test(arguments: ["", " ", "a b", "a\r\nX: y", "ü", String(repeating: "x", count: 257)])
  func identifiersThatCannotBeSentBackAreNone(text: String) {
    #expect(SubscriptionReply(fields: headerFields([HTTPField("SID", text)])).sid == nil)
    #expect(throws: HTTPError(status: .preconditionFailed)) {
      try EventHead(fields: headerFields(Self.notify + [HTTPField("SID", text)]))
    }
  }

  private static let notify = [HTTPField("NT", "upnp:event"), HTTPField("NTS", "upnp:propchange")]

  @Test func headsOfEventsAreRead() throws {
    let head = { (fields: [HTTPField]) throws in try EventHead(fields: headerFields(fields)) }
    let sid = HTTPField("SID", "uuid:a")
    #expect(
      try head(Self.notify + [sid, HTTPField("SEQ", " 007 ")]) == EventHead(sid: "uuid:a", sequence: 7))
    #expect(try head(Self.notify + [sid]) == EventHead(sid: "uuid:a", sequence: nil))
    for (fields, status) in [
      ([], HTTPStatus.badRequest), ([Self.notify[0], sid], .badRequest), (Self.notify, .preconditionFailed),
      ([HTTPField("NT", "x"), Self.notify[1], sid], .preconditionFailed),
      ([Self.notify[0], HTTPField("NTS", "ssdp:alive"), sid], .preconditionFailed),
      (Self.notify + [sid, HTTPField("SEQ", "-1")], .badRequest),
      (Self.notify + [sid, HTTPField("SEQ", "4294967296")], .badRequest),
    ] {
      #expect(throws: HTTPError(status: status)) { try head(fields) }
    }
  }
}
