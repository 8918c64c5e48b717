import HTTP
import NIOCore
import Testing
import UPnP

@testable import ControlPoint

/// What devices answer to a call.
@Suite struct ActionResultsTests {
  private static func envelope(_ content: String) -> String {
    "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body>\(content)</s:Body></s:Envelope>"
  }

  private static func results(_ content: String) -> String {
    envelope("<u:AResponse xmlns:u=\"urn:x\">\(content)</u:AResponse>")
  }

  private static let fault = envelope(
    """
    <s:Fault><faultcode>s:Client</faultcode><faultstring>UPnPError</faultstring><detail>\
    <UPnPError xmlns="urn:schemas-upnp-org:control-1-0"><errorCode>701</errorCode>\
    <errorDescription>No such object</errorDescription></UPnPError></detail></s:Fault>
    """)

  private func read(_ status: Int, _ body: String) throws(ActionFailure) -> ActionResults {
    var response = ClientResponse(status: status)
    response.body = ByteBuffer(string: body)
    return try ActionResults(response)
  }

  @Test func resultsByName() throws {
    let read = try read(200, Self.results("<B> 7 </B><Surplus/><A>x</A><B>8</B>"))
    #expect(read.text("A") == "x")
    #expect(try read.value("B") == UInt32(7))
    #expect(read.text("Missing") == "")
    #expect(throws: ActionFailure.malformed) { let _: UInt32 = try read.value("Missing") }
    #expect(throws: ActionFailure.malformed) { let _: UInt32 = try read.value("A") }
  }

  @Test func failures() {
    let unknown = Self.envelope("<s:Fault><faultstring>no</faultstring></s:Fault>")
    let cases: [(Int, String, ActionFailure)] = [
      (500, Self.fault, .fault(UPnPError(code: 701, description: "No such object"))),
      (200, Self.fault, .fault(UPnPError(code: 701, description: "No such object"))),
      (404, Self.fault, .fault(UPnPError(code: 701, description: "No such object"))),
      (500, unknown, .fault(UPnPError(code: 501, description: "no"))), (405, unknown, .fault(.invalidAction)),
      (401, "", .status(401)), (404, "<html>", .fault(.invalidAction)),
      (405, "x", .fault(.invalidAction)), (500, "", .status(500)), (302, "", .status(302)),
      (412, "no", .status(412)), (500, Self.results("<A/>"), .status(500)), (200, "", .malformed),
      (200, "<html></html>", .malformed), (200, "<!DOCTYPE a><a/>", .malformed),
      (200, String(Self.results("<A>x</A>").dropLast(5)), .malformed),
      (200, Self.results(String(repeating: "<A>x</A>", count: 1000)), .tooLarge),
      (
        200, Self.results(String(repeating: "<A>", count: 100) + String(repeating: "</A>", count: 100)),
        .tooLarge
      ),
    ]
    for (status, body, failure) in cases {
      #expect(throws: failure, "\(status) \(body)") { try read(status, body) }
    }
  }

  @Test func controlCharactersAreNoReasonToFail() throws {
    let read = try read(200, Self.results("<A>a\u{1}b\u{0}c</A>"))
    #expect(read.text("A") == "a b c")
  }

  @Test func whatCannotBeWrittenIsNotSent() async throws {
    try await withServer(.script { _ in [.close] }) { exchange, server in
      var location = ServiceLocation(udn: "x", type: "urn:x", id: "x", control: server.address())
      let service = RemoteService(location, through: exchange)
      await #expect(throws: ActionFailure.fault(.invalidAction)) { try await service.call("A B") }
      await #expect(throws: ActionFailure.fault(.invalidAction)) { try await service.call("") }
      await #expect(throws: ActionFailure.self) {
        try await service.call("A", [SOAPArgument(name: "<x>", text: "")])
      }
      location.type = "urn:x\r\nX: y"
      let other = RemoteService(location, through: exchange)
      await #expect(throws: ActionFailure.malformed) { try await other.call("A") }
      #expect(server.requests.isEmpty)
    }
  }

  @Test func aCallOnTheWire() async throws {
    let body = Self.results("<Out>&lt;x&gt;</Out>")
    let response = "HTTP/1.0 200 OK\r\nContent-Type: text/xml\r\n\r\n\(body)"
    try await withServer(.script { _ in [.send(response), .close] }) { exchange, server in
      let location = ServiceLocation(
        udn: "x", type: "urn:schemas-upnp-org:service:X:2", id: "x", control: server.address())
      let service = RemoteService(location, through: exchange)
      let results = try await service.call("Do", [SOAPArgument(name: "In", text: "<&>")])
      #expect(results["Out"] == "<x>")
      let request = try #require(server.requests.first)
      #expect(request.head.contains("\r\nSOAPACTION: \"urn:schemas-upnp-org:service:X:2#Do\""))
      #expect(request.head.contains("\r\nCONTENT-TYPE: text/xml; charset=\"utf-8\""))
      #expect(request.head.contains("\r\nCONTENT-LENGTH: \(request.body.utf8.count)"))
      #expect(request.body.contains("<In>&lt;&amp;&gt;</In>"))
    }
  }
}
