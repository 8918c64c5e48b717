import NIOCore
import SCPD
import Testing
import XML

@testable import UPnP

@Suite struct SOAPReplyTests {
  private static let type = "urn:schemas-upnp-org:service:RenderingControl:1"
  private static let odd = "a<b>&\"'\t\n\r ]]> \u{e9} \u{1F600}"

  private func read(_ text: String) throws(XMLError) -> SOAPReply {
    try SOAPReply.read(ByteBuffer(string: text))
  }

  private func envelope(_ inside: String) -> String {
    "<?xml version=\"1.0\"?><s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body>\(inside)"
      + "</s:Body></s:Envelope>"
  }

  /// What we ask, we read.
  @Test(arguments: [[], [odd], ["0", "", " Master ", odd]])
  func ourOwnCalls(values: [String]) throws {
    let arguments = values.enumerated().map { SOAPArgument(name: "A\($0)", text: $1) }
    let call = SOAPCall(serviceType: Self.type, action: "SetVolume", arguments: arguments)
    let action = try #require(SOAPAction(header: call.header))
    #expect(action.serviceType == Self.type && action.name == "SetVolume")
    let body = try SOAPParser.parse(call.body)
    #expect(body.action == "SetVolume" && body.namespace == Self.type)
    #expect(body.arguments.map(\.name) == arguments.map(\.name))
    #expect(body.arguments.map(\.text) == values)
  }

  /// What we answer, we read.
  @Test func ourOwnResults() throws {
    let action = FakeService().description.actions[2]
    var success = SOAPResponse.Success(action, version: 1, outputs: [.text(Self.odd), .text("")])
    var body = success.begin(serviceType: Self.type)
    while success.write(to: &body) {}
    let reply = try SOAPReply.read(body)
    #expect(reply == .results([.init(name: "Title", text: Self.odd), .init(name: "Empty", text: "")]))
    #expect(reply["Title"] == Self.odd && reply["Empty"] == "" && reply["Other"] == nil)
  }

  @Test(arguments: [
    UPnPError.invalidAction, UPnPError(code: 718, description: ""),
    UPnPError(code: 801, description: "a<b> & \"c\""),
  ])
  func ourOwnFaults(error: UPnPError) throws {
    #expect(try SOAPReply.read(SOAPResponse.fault(error)) == .fault(error))
  }

  @Test(arguments: [
    // Any prefixes, any order, a header before.
    "<SOAP-ENV:Envelope xmlns:SOAP-ENV='e'><SOAP-ENV:Header/><SOAP-ENV:Body><m:R xmlns:m='t'><B>2</B><A>1</A></m:R></SOAP-ENV:Body></SOAP-ENV:Envelope>",
    // Undeclared ones, and the action's own name.
    "<Envelope><Body><u:GetVolume><u:A>1</u:A><dt:B>2</dt:B></u:GetVolume></Body></Envelope>",
    // Space between the elements, and a C string's end.
    "<Envelope>\n <Body>\n <R>\n <A>1</A>\n <C/> <B>2</B>\n</R> </Body>\n</Envelope>\n\u{0}",
  ])
  func oddResults(text: String) throws {
    let reply = try read(text)
    #expect(reply["A"] == "1" && reply["B"] == "2")
  }

  @Test(arguments: [
    (
      "<UPnPError xmlns='u'><errorCode>701</errorCode><errorDescription>No</errorDescription></UPnPError>",
      701, "No"
    ),
    (
      "<UPnPError><errorDescription>No</errorDescription><errorCode>\n 701 \n</errorCode></UPnPError>", 701,
      "No"
    ),
    ("<x><y><errorCode>402</errorCode></y></x>", 402, ""),
    ("<UPnPError><errorCode>401</errorCode><errorCode>2</errorCode></UPnPError>", 401, ""),
    ("<UPnPError><errorCode>-1</errorCode></UPnPError>", 501, "UPnPError"),
    ("<UPnPError><errorCode>99999999</errorCode></UPnPError>", 501, "UPnPError"),
    ("", 501, "UPnPError"),
  ])
  func oddFaults(detail: String, code: Int, description: String) throws {
    let text = envelope(
      "<s:Fault><faultcode>s:Client</faultcode><faultstring>UPnPError</faultstring><detail>\(detail)</detail>"
        + "</s:Fault>")
    #expect(try read(text) == .fault(UPnPError(code: code, description: description)))
  }

  /// A result called like the parts of a fault is none.
  @Test func onlyAFaultIsAFault() throws {
    let text = envelope("<R><Result><errorCode>1</errorCode></Result><errorCode>2</errorCode></R>")
    #expect(try read(text)["errorCode"] == "2")
  }

  @Test(arguments: ["", "<html/>", "<Envelope><Body/></Envelope>", "<Envelope><Body><R><A>1</R>", "OK"])
  func whatIsNoAnswer(text: String) { #expect(throws: XMLError.malformed) { try read(text) } }

  @Test func sizesAreBounded() throws {
    let results = { (count: Int) in String(repeating: "<A>1</A>", count: count) }
    guard case .results(let most) = try read(envelope("<R>\(results(SOAPParser.maximumArguments))</R>"))
    else {
      Issue.record("no results")
      return
    }
    #expect(most.count == SOAPParser.maximumArguments)
    #expect(throws: XMLError.tooLarge) {
      try read(envelope("<R>\(results(SOAPParser.maximumArguments + 1))</R>"))
    }
    let long = String(repeating: "x", count: SOAPReply.maximumLength)
    #expect(throws: XMLError.tooLarge) { try read(envelope("<R><A>\(long)</A></R>")) }
    let half = String(repeating: "x", count: SOAPReply.maximumLength / 2)
    #expect(try read(envelope("<R><A>\(half)</A></R>"))["A"]?.utf8.count == half.utf8.count)
    let description = String(repeating: "d", count: 1000)
    let fault = envelope(
      "<s:Fault><detail><e><errorCode>501</errorCode><errorDescription>\(description)</errorDescription></e>"
        + "</detail></s:Fault>")
    #expect(try read(fault) == .fault(UPnPError(code: 501, description: String(description.prefix(255)))))
  }
}
