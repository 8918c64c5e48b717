import NIOCore
import SCPD
import Testing

@testable import HTTP
@testable import UPnP

/// What a vendor's control points expect of a device, and others don't.
@Suite struct DeviceHabitsTests {
  private func root(_ habits: DeviceHabits) -> RootDevice {
    var root = Speaker().root()
    root.habits = habits
    return root
  }

  private func volume(of type: String, _ extra: String = "") -> String {
    let body = """
      <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><u:GetVolume xmlns:u="\(type)">\
      <InstanceID>0</InstanceID><Channel>Master</Channel>\(extra)</u:GetVolume></s:Body></s:Envelope>
      """
    return "POST /MediaRenderer/RenderingControl/Control HTTP/1.1\r\nHost: localhost\r\n"
      + "Content-Length: \(body.utf8.count)\r\nContent-Type: text/xml; charset=\"utf8\"\r\nSOAPACTION: \(type)#GetVolume\r\n\r\n\(body)"
  }

  @Test func aLenientDeviceAnswersAsItIsAsked() async throws {
    try await withHost(devices: [root(DeviceHabits(isLenient: true))]) { host async throws in
      let type = "urn:schemas-sonos-com:service:RenderingControl:1"
      let reply = try host.exchange(volume(of: type))
      #expect(reply.status == 200)
      #expect(reply.body.contains("<u:GetVolumeResponse xmlns:u=\"\(type)\">"))
      #expect(try host.exchange(volume(of: type, "<URI>http://a/?b=1&c=2&amp;d</URI>")).status == 200)
      #expect(try host.exchange(volume(of: type, "<URI>&</b></URI>")).status == 400)
    }
  }

  @Test func othersAreStrict() async throws {
    try await withHost(devices: [root(DeviceHabits())]) { host async throws in
      #expect(try host.exchange(volume(of: "urn:schemas-sonos-com:service:RenderingControl:1")).status == 500)
      let type = "urn:schemas-upnp-org:service:RenderingControl:1"
      #expect(try host.exchange(volume(of: type)).status == 200)
      #expect(try host.exchange(volume(of: type, "<URI>a&b</URI>")).status == 400)
    }
  }

  @Test func eventsNameTheService() async throws {
    let habits = DeviceHabits(eventServiceField: "X-SONOS-SERVICETYPE", closesEvents: true)
    try await withHost(devices: [root(habits)]) { host async throws in
      let receiver = try EventReceiver()
      let subscribed = try host.exchange(
        "SUBSCRIBE /DeviceProperties/Event HTTP/1.1\r\nHost: localhost\r\nCALLBACK: \(receiver.url())\r\nNT: upnp:event\r\n\r\n"
      )
      #expect(subscribed["sid"]?.hasPrefix("uuid:RINCON_0123456789AB01400_sub") == true)
      let event = try #require(receiver.event())
      #expect(event["x-sonos-servicetype"] == "DeviceProperties")
      #expect(event["connection"] == "close")
    }
  }

  @Test(arguments: [
    ("a&b", "a&amp;b"), ("&", "&amp;"), ("&&amp;&", "&amp;&amp;&amp;"), ("&x;", "&amp;x;"),
    ("&#;", "&amp;#;"),
    ("&#x;", "&amp;#x;"), ("&#1 ;", "&amp;#1 ;"), ("&#12345678;&", "&amp;#12345678;&amp;"),
    ("&am&p;", "&amp;am&amp;p;"),
  ])
  func bareAmpersandsAreEscaped(text: String, mended: String) {
    #expect(BareAmpersands.escaped(ByteBuffer(string: text)) == ByteBuffer(string: mended))
  }

  @Test(arguments: ["", "a", "&amp;", "&lt;&gt;&quot;&apos;&#38;&#x26;"])
  func referencesStay(text: String) { #expect(BareAmpersands.escaped(ByteBuffer(string: text)) == nil) }

  @Test func lastChangeOfAnotherVendor() {
    let values = [EventedValue(name: "r:Next", value: "&")]
    let form = LastChangeForm(prefix: "r", prefixNamespace: "urn:r", element: "QueueID")
    #expect(
      String(buffer: LastChange.document(values, namespace: "urn:n", form: form))
        == "<Event xmlns=\"urn:n\" xmlns:r=\"urn:r\"><QueueID val=\"0\"><r:Next val=\"&amp;\"/></QueueID></Event>"
    )
  }

  @Test func aWholeEventHasEverything() {
    let (old, new) = (
      ["1", "2"].map { EventedValue(name: "A\($0)", value: $0) },
      [EventedValue(name: "A1", value: "1"), EventedValue(name: "A2", value: "3")]
    )
    for isWhole in [true, false] {
      var feed = EventFeed(ServiceEventing(style: .properties, isWhole: isWhole))
      feed.note(ServiceReading(values: old), now: .now())
      let known = feed.latest
      feed.note(ServiceReading(values: new), now: .now())
      let body = feed.body(from: known).map { String(buffer: $0) } ?? ""
      #expect(body.contains("<A2>3</A2>"))
      #expect(body.contains("<A1>1</A1>") == isWhole)
      #expect(feed.body(from: feed.latest) == nil)
    }
  }

  @Test(arguments: [("", "DEFAULT"), (nil, "DEFAULT"), ("x", "x")])
  func anArgumentMayBeAbsent(sent: String?, taken: String) throws {
    let service = Absent()
    let arguments = sent.map { [(name: "A", text: $0)] } ?? []
    #expect(try ArgumentCoder(service).check(action: 0, arguments: arguments) == [taken])
    #expect(throws: UPnPError.self) { try ArgumentCoder(service).check(action: 1, arguments: []) }
  }

  private struct Absent: ServiceProvider {
    let identity = ServiceIdentity(domain: "d", idDomain: "d", name: "N", version: 1)
    let scpd = (head: "<scpd", tail: "/>")
    let eventing = EventStyle.properties
    let description = ServiceDescription(
      actions: [
        ActionDescription(
          name: "One", inputs: [ArgumentDescription(name: "A", variable: 0, absent: "DEFAULT")], outputs: []),
        ActionDescription(name: "Two", inputs: [ArgumentDescription(name: "A", variable: 0)], outputs: []),
      ], variables: [StateVariable(name: "V", type: .string, sendsEvents: false)])
    func perform(_ call: inout ActionCall) throws(UPnPError) {}
    func eventedValues() -> [EventedValue] { [] }
  }
}
