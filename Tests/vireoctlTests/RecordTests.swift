import ControlPoint
import HTTP
import NIOPosix
import SCPD
import Testing
import UPnP

@testable import vireoctl

@Suite struct RecordTests {
  private func entry(
    _ method: String, _ url: String, time: Int = 0, action: String? = nil, request: [UInt8] = [],
    response: [UInt8] = [], status: Int = 200
  ) -> Recording.Entry {
    var entry = Recording.Entry(time: time, method: method, url: url)
    entry.request.fields = action.map { [.init(name: "soapaction", value: $0)] } ?? []
    entry.request.body = request
    entry.outcome = .answered(
      status: status, .init(fields: [.init(name: "x", value: "y: z")], body: response))
    return entry
  }

  @Test func whatIsWrittenIsRead() throws {
    var recording = Recording(notes: ["a\nb", ""])
    var random = SystemRandomNumberGenerator()
    for time in 0..<50 {
      let bytes = (0..<Int.random(in: 0...40)).map { _ -> UInt8 in
        Bool.random()
          ? UInt8.random(in: 0...255, using: &random) : [0x0a, 0x5c, 0x20, 0xc3, 0xa4].randomElement() ?? 0
      }
      recording.entries.append(
        entry(
          "POST", "http://192.0.2.1:80/ä b\\", time: time, action: "\"a#b\"", request: bytes, response: bytes)
      )
    }
    recording.entries[7].outcome = .failed("timeout")
    recording.entries[8].request.fields = [.init(name: "a: b", value: "  c\u{fff9}")]
    let text = recording.text
    #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\t" || $0.value >= 0x20 })
    #expect(try Recording(text: text) == recording)
  }

  @Test(arguments: [
    "", "vireoctl recording 2", "vireoctl recording 1\nx", "vireoctl recording 1\n@ 1 GET",
    "vireoctl recording 1\n@ 1 GET /\n", "vireoctl recording 1\n= 200",
    "vireoctl recording 1\n@ 1 GET /\n= 20",
    "vireoctl recording 1\n@ 1 GET /\n= 200\n= 200", "vireoctl recording 1\n@ 1 GET /\n<< x",
    "vireoctl recording 1\n@ 1 GET /\n= 200\n<< \\y", "vireoctl recording 1\n@ 1 GET /\n= timeout\n<< x",
    "vireoctl recording 1\n@ 1 GET /\n= \\x320", "vireoctl recording 1\n@ -1 GET /\n= 200",
    "vireoctl recording 1\n@ 1 GET /\n= 200\n< x",
  ])
  func whatIsNoRecordingIsRefused(text: String) {
    #expect(throws: Recording.Malformed.self) { try Recording(text: text) }
  }

  @Test func longRecordingsAreRefused() throws {
    let entries = String(repeating: "@ 0 GET /\n= 200\n", count: Recording.maximumEntries)
    #expect(try Recording(text: "vireoctl recording 1\n" + entries).entries.count == Recording.maximumEntries)
    #expect(throws: Recording.Malformed.self) {
      try Recording(text: "vireoctl recording 1\n" + entries + "@ 0 GET /\n= 200\n@ 0 GET /\n= 200\n")
    }
  }

  @Test func secretsAreReplaced() {
    var redaction = Redaction()
    redaction.hide(address: "192.168.1.5")
    redaction.hide(address: "192.168.1.50")
    redaction.hide(address: "fe80::1")
    redaction.hide(udn: "42BF4B95-c140")
    redaction.hide(serialNumber: "")
    redaction.hide(serialNumber: "SN 17")
    #expect(
      redaction.applied(to: "http://192.168.1.5:80/ 192.168.1.50 1192.168.1.5 192.168.1.55")
        == "http://192.0.2.1:80/ 192.0.2.2 1192.168.1.5 192.168.1.55")
    #expect(
      redaction.applied(to: "[FE80::1]:80 uuid:42bf4b95-C140::upnp")
        == "[2001:db8::3]:80 uuid:00000000-0000-4000-8000-000000000001::upnp")
    #expect(redaction.applied(to: "<serialNumber>SN 17</serialNumber>") == "<serialNumber>0</serialNumber>")
  }

  @Test func strangersSecretsAreReplaced() {
    let body = """
      <res>http://user:geheim@192.168.7.8:80/a?token=Ab12-cd34Ef&amp;size=5&amp;mode=metadata</res> \
      239.255.255.250 127.0.0.1 1.2.3 uuid:11111111-2222-3333-4444-55555555aaaa [fe80::99] metadata 10.0.0.7.
      """
    var notify = entry("NOTIFY", "http://192.168.7.8:80/e", request: Array(body.utf8))
    notify.request.fields = [.init(name: "sid", value: "uuid:abc-sid")]
    let recording = Recording(entries: [notify])
    var redaction = Redaction()
    redaction.hideStrangers(in: recording)
    let text = redaction.applied(to: recording).text
    for secret in [
      "user:", "geheim", "192.168.7.8", "Ab12-cd34Ef", "11111111-2222", "fe80::99", "abc-sid", "10.0.0.7",
    ] {
      #expect(!text.contains(secret), "\(secret)")
    }
    for word in [
      "239.255.255.250", "127.0.0.1 1.2.3 uuid:0000", "size=5", "mode=metadata", "] metadata 192.0.2.",
    ] {
      #expect(text.contains(word), "\(word) in \(text)")
    }
    // What was replaced is left alone.
    var again = Redaction()
    again.hideStrangers(in: redaction.applied(to: recording))
    #expect(again.applied(to: "192.0.2.1 2001:db8::1").hasPrefix("192.0.2.1 "))
  }

  @Test func onlyWhatAsksIsCalled() {
    let variables = [StateVariable(name: "V", type: .string, sendsEvents: false)]
    func action(_ name: String, _ inputs: [String], _ outputs: [String]) -> ActionDescription {
      ActionDescription(
        name: name, inputs: inputs.map { .init(name: $0, variable: 0) },
        outputs: outputs.map { .init(name: $0, variable: 0) })
    }
    let service = ServiceDescription(
      actions: [
        action("GetVolume", ["InstanceID", "Channel"], ["V"]), action("GetSearch", ["Words"], ["V"]),
        action("Play", ["InstanceID"], []), action("Reboot", [], ["V"]), action("DeleteAll", [], []),
      ], variables: variables)
    let type = "urn:schemas-upnp-org:service:X:1"
    #expect(RecordedCalls.calls(of: service, type: type).map(\.action) == ["GetVolume"])
    let openHome = "urn:av-openhome-org:service:X:1"
    #expect(RecordedCalls.calls(of: service, type: openHome).map(\.action) == ["GetVolume", "Reboot"])
  }

  @Test func whatWasRefusedIsRefused() async throws {
    let origin = "http://192.0.2.1:80"
    var granted = entry("SUBSCRIBE", "\(origin)/granted")
    granted.outcome = .answered(
      status: 200, .init(fields: [.init(name: "timeout", value: "Second-300")], body: []))
    var silent = entry("SUBSCRIBE", "\(origin)/silent")
    silent.outcome = .failed("timeout")
    let recording = Recording(entries: [
      granted, silent, entry("SUBSCRIBE", "\(origin)/refused", status: 501),
      entry("NOTIFY", "\(origin)/events"),
    ])
    let exchange = HTTPExchange(
      eventLoop: MultiThreadedEventLoopGroup.singleton.next(), userAgent: "Linux UPnP/1.1 test/1")
    let server = ReplayServer(exchange, port: 0)
    let url = try #require(CallbackURL(try await server.start(recording)))
    func subscribe(_ target: String, _ more: HTTPField) async throws -> (Int, String?) {
      let address = ServiceAddress(address: url.address, port: url.port, target: target)
      let response = try await exchange.exchange(
        ExchangeRequest("SUBSCRIBE", fields: [more]), to: address, deadline: .milliseconds(500), limit: 1000)
      return (response.status, response.fields.first("timeout"))
    }
    let callback = HTTPField("CALLBACK", "<http://127.0.0.1:9/>")
    let answer = try await subscribe("/granted", callback)
    #expect(answer == (200, "Second-300"))
    let renewal = try await subscribe("/granted", HTTPField("SID", "uuid:1"))
    #expect(renewal == (200, "Second-300"))
    let refused = try await subscribe("/refused", callback)
    #expect(refused.0 == 501)
    await #expect(throws: ActionFailure.timeout) { try await subscribe("/silent", callback) }
    // Somebody has shortened the recording.
    let events = try await subscribe("/events", callback)
    #expect(events == (200, "Second-1800"))
    await server.stop()
    await exchange.closeKept()
  }

  @Test func endingAReplayIsNoFailure() { #expect(ReplayCommand.endsByInterruption) }

  @Test func answersComeInTheirOrder() {
    let base = "http://127.0.0.1:99"
    let origin = "http://192.0.2.1:80"
    let recording = Recording(entries: [
      entry("GET", "\(origin)/d.xml", response: Array("at \(origin)/x not \(origin)80".utf8)),
      entry("POST", "\(origin)/c", action: "\"t#A\"", response: [1]),
      entry("POST", "\(origin)/c", action: "t#A", response: [2], status: 500),
      entry("POST", "\(origin)/c", action: "\"t#B\"", response: [3]),
      entry("SUBSCRIBE", "\(origin)/e"), entry("NOTIFY", "\(origin)/e", time: 10, request: [4]),
      entry("NOTIFY", "\(origin)/e", time: 90_000, request: [5]),
    ])
    var script = ReplayScript(recording, base: base)
    #expect(script.start == "/d.xml")
    func body(_ method: String, _ target: String, _ action: String = "") -> [UInt8]? {
      guard case .answered(_, let message)? = script.answer(method, target, action: action) else {
        return nil
      }
      return message.body
    }
    #expect(
      body("GET", "/d.xml").map { String(decoding: $0, as: UTF8.self) } == "at \(base)/x not \(origin)80")
    #expect(body("POST", "/c", "\"t#A\"") == [1])
    #expect(body("POST", "/c", "\"t#A\"") == [2])
    #expect(body("POST", "/c", "\"t#A\"") == [2])
    #expect(body("POST", "/c", "\"t#B\"") == [3])
    #expect(body("POST", "/c", "\"t#C\"") == nil)
    #expect(script.events(at: "/e") == [.init(pause: 0, body: [4]), .init(pause: 5000, body: [5])])
    #expect(script.methods(at: "/e").contains("UNSUBSCRIBE"))
  }
}
