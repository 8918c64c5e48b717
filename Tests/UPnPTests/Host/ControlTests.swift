import Network
import Synchronization
import Testing

@testable import UPnP

@Suite struct ControlTests {
  @Test func anActionIsPerformedAndAnswered() async throws {
    try await withHost { host in
      let reply = try host.exchange(
        host.soap("GetVolume", "<InstanceID>0</InstanceID><Channel>Master</Channel>"))
      #expect(reply.status == 200)
      #expect(reply["ext"] == "")
      #expect(reply["content-type"] == "text/xml; charset=\"utf-8\"")
      #expect(
        reply.body.contains(
          "<u:GetVolumeResponse xmlns:u=\"urn:schemas-upnp-org:service:RenderingControl:1\">"
            + "<CurrentVolume>20</CurrentVolume></u:GetVolumeResponse>"))
    }
  }

  /// Though a long answer that is taken at once makes its connection writable again in the middle of being sent.
  @Test func nothingIsPerformedBehindTheLastAnswer() async throws {
    let service = FakeService()
    service.longText.withLock {
      $0 = FakePieces(isLast: { $0 >= 300 }, text: String(repeating: "x", count: 1000))
    }
    try await withHost(service: service) { host in
      let socket = try host.connect()
      let set = "<InstanceID>0</InstanceID><Channel>Master</Channel><DesiredVolume>33</DesiredVolume>"
      socket.send(host.soap("ReadLong", "", "Connection: close\r\n") + host.soap("SetVolume", set))
      #expect(socket.message()?.status == 200)
      #expect(socket.endsInTime())
      #expect(service.state.withLock { $0.performed } == ["4:"])
    }
  }

  @Test func theVersionAskedForIsTheVersionAnswered() async throws {
    try await withHost(service: FakeService(version: 2)) { host in
      let arguments = "<InstanceID>0</InstanceID><Channel>Master</Channel>"
      let one = try host.exchange(host.soap("GetVolume", arguments, version: 1))
      #expect(one.body.contains("RenderingControl:1\""))
      let two = try host.exchange(host.soap("GetVolume", arguments, version: 2))
      #expect(two.body.contains("RenderingControl:2\""))
      let three = try host.exchange(host.soap("GetVolume", arguments, version: 3))
      #expect(three.status == 500)
      #expect(three.body.contains("<errorCode>401</errorCode>"))
    }
  }

  @Test(arguments: [
    ("SetVolume", "<InstanceID>0</InstanceID><Channel>Master</Channel>", 402),
    ("SetVolume", "<InstanceID>0</InstanceID><Channel>Master</Channel><DesiredVolume>x</DesiredVolume>", 402),
    (
      "SetVolume", "<InstanceID>0</InstanceID><Channel>Master</Channel><DesiredVolume>101</DesiredVolume>",
      601
    ),
    ("SetVolume", "<InstanceID>0</InstanceID><Channel>LFE</Channel><DesiredVolume>1</DesiredVolume>", 600),
    ("Unheard", "", 401),
    ("Fail", "", 701),
  ])
  func faultsCarryTheirCode(action: String, arguments: String, code: Int) async throws {
    try await withHost { host in
      let reply = try host.exchange(host.soap(action, arguments))
      #expect(reply.status == 500)
      #expect(reply.body.contains("<faultcode>s:Client</faultcode><faultstring>UPnPError</faultstring>"))
      #expect(reply.body.contains("<errorCode>\(code)</errorCode>"))
      let body = try SOAPParser.parse(.init(string: reply.body))
      #expect(body.action == "Fault")
    }
  }

  @Test func whatComesBackIsWellFormedWhateverItHolds() async throws {
    try await withHost { host in
      let reply = try host.exchange(
        host.soap("SetTitle", "<Title><![CDATA[<a href=\"x\">&amp;]]>\u{85}&#13; ]]&gt;</Title>"))
      #expect(reply.status == 200)
      let body = try SOAPParser.parse(.init(string: reply.body))
      #expect(body.arguments[0].text == "<a href=\"x\">&amp;\u{85}\r ]]>")
      #expect(body.arguments[1] == ("Empty", ""))
      #expect(reply.body.contains("<Empty></Empty>"))
    }
  }

  @Test(arguments: [
    ("text/plain", "\"urn:schemas-upnp-org:service:RenderingControl:1#Fail\"", 415),
    ("text/xml", nil, 412),
    ("text/xml", "\"RenderingControl\"", 400),
    ("text/xml", "urn:schemas-upnp-org:service:RenderingControl:1#Fail", 500),
    ("text/xml; charset=utf-8", "\"urn:schemas-upnp-org:service:RenderingControl:1#Fail", 500),
    ("text/xml", "\"urn:schemas-upnp-org:service:RenderingControl:1#GetVolume\"", 500),
    ("text/xml", "\"urn:schemas-upnp-org:control-1-0#QueryStateVariable\"", 500),
  ])
  func theHeadIsChecked(type: String, action: String?, status: Int) async throws {
    try await withHost { host in
      let body =
        "<Envelope><Body><Fail xmlns=\"urn:schemas-upnp-org:service:RenderingControl:1\"/></Body></Envelope>"
      let reply = try host.exchange(
        "POST \(host.path)/RenderingControl/control HTTP/1.1\r\nHost: localhost\r\nContent-Type: \(type)\r\n"
          + (action.map { "SOAPACTION: \($0)\r\n" } ?? "")
          + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
      #expect(reply.status == status)
    }
  }

  /// The header has said which service is meant.
  @Test(arguments: [
    ("<u:GetVolume>", "</u:GetVolume>", 200), ("<GetVolume>", "</GetVolume>", 200),
    ("<u:GetVolume xmlns:u=\"urn:schemas-upnp-org:service:AVTransport:1\">", "</u:GetVolume>", 500),
    ("<u:Fail>", "</u:Fail>", 500),
  ])
  func anUndeclaredPrefixIsPlainEnough(begin: String, end: String, status: Int) async throws {
    try await withHost { host in
      let body =
        "<s:Envelope><s:Body>\(begin)<InstanceID>0</InstanceID><Channel>Master</Channel>\(end)</s:Body></s:Envelope>"
      let reply = try host.exchange(
        "POST \(host.path)/RenderingControl/control HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\n"
          + "SOAPACTION: \"urn:schemas-upnp-org:service:RenderingControl:1#GetVolume\"\r\n"
          + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
      #expect(reply.status == status)
    }
  }

  @Test(arguments: [
    (1, "</Text></u:ReadLongResponse>"), (2, "</Text><Later>of version 2</Later></u:ReadLongResponse>"),
  ])
  func whatCameWithALaterVersionIsToldToThoseWhoAskForThat(version: Int, end: String) async throws {
    try await withHost(service: FakeService(version: 2)) { host in
      let reply = try host.exchange(host.soap("ReadLong", "", version: version))
      #expect(reply.body.contains("<Text>&lt;x&gt;\(end)"))
    }
  }

  /// An answer that would never end if the others had to wait for it.
  @Test func aLongAnswerHoldsUpNobody() async throws {
    try await withHost { host in
      let service = host.service
      let deadline = ContinuousClock.now + .seconds(60)
      service.longText.withLock { text in
        text = FakePieces { [service] _ in
          ContinuousClock.now > deadline || service.state.withLock { $0.performed.contains("0:0,Master") }
        }
      }
      let volume = host.soap("GetVolume", "<InstanceID>0</InstanceID><Channel>Master</Channel>")
      let reader = try host.connect()
      // What comes behind it on the same connection waits for it.
      reader.send(host.soap("ReadLong", "") + host.soap("SetTitle", "<Title>behind</Title>"))
      try await waitUntil { await !host.host.longAnswers.isEmpty }
      #expect(service.state.withLock { $0.performed } == ["4:"])
      #expect(try host.exchange(volume).status == 200)
      let answer = try #require(reader.message())
      #expect(answer.status == 200)
      let body = try SOAPParser.parse(.init(string: answer.body))
      let text = try #require(body.arguments.first?.text)
      #expect(text.utf8.count >= 6 && text == String(repeating: "<x>", count: text.utf8.count / 3))
      #expect(reader.message()?.body.contains("<Title>behind</Title>") == true)
      #expect(ContinuousClock.now < deadline)
      #expect(service.state.withLock { $0.performed } == ["4:", "0:0,Master", "2:behind"])
    }
  }

  @Test func longAnswersComeOneAfterTheOther() async throws {
    try await withHost { host in
      host.service.longText.withLock { $0 = FakePieces { $0 == 50 } }
      let readers = try (0..<5).map { _ in try host.connect() }
      for reader in readers { reader.send(host.soap("ReadLong", "")) }
      for reader in readers {
        let body = try SOAPParser.parse(.init(string: try #require(reader.message()).body))
        #expect(body.arguments[0].text == String(repeating: "<x>", count: 50))
      }
      #expect(await host.host.longAnswers.isEmpty)
    }
  }

  @Test func addressesTakeTurnsWithLongAnswers() {
    var answers = SteppedResponses()
    let (much, little, other) = (IPAddress.v4(1), IPAddress.v4(2), IPAddress.v4(3))
    for address in [much, much, much, little, other, other] { answers.add({ false }, for: address) }
    var turns: [IPAddress] = []
    // The first answer of the one has two steps, all others one.
    while let (address, _) = answers.next, turns.count < 20 {
      answers.worked(for: address, isLast: !turns.isEmpty)
      turns.append(address)
    }
    #expect(turns == [much, much, little, other, much, other, much])
    #expect(answers.isEmpty)
  }

  @Test func aLongAnswerThatNobodyWaitsForEnds() async throws {
    try await withHost { host in
      host.service.longText.withLock { $0 = FakePieces { _ in false } }
      var reader: RawSocket? = try host.connect()
      reader?.send(host.soap("ReadLong", ""))
      try await waitUntil { await !host.host.longAnswers.isEmpty }
      reader?.resets()
      reader = nil
      try await waitUntil { await host.host.longAnswers.isEmpty }
      #expect(await host.host.longAnswers.isEmpty)
    }
  }

  /// What is made already counts as not taken.
  @Test func aLongAnswerIsBounded() async throws {
    let log = LogLines()
    try await withHost(configuration: .with { $0.http.unsentResponseBytes = 1 << 20 }, log: log) { host in
      host.service.longText.withLock {
        $0 = FakePieces(isLast: { _ in false }, text: String(repeating: "<", count: 10_000))
      }
      let reader = try host.connect()
      reader.send(host.soap("ReadLong", ""))
      #expect(reader.message() == nil)
      #expect(await host.host.statistics.refusals[.unsentResponseBytes] == 1)
      try await waitUntil { await host.host.longAnswers.isEmpty }
      #expect(await host.host.longAnswers.isEmpty)
    }
  }

  /// UPnP lets control points send it only after a POST was answered with 405.
  @Test func mPostIsNotSupported() async throws {
    try await withHost { host in
      let reply = try host.exchange(host.soap("Fail", "", method: "M-POST"))
      #expect(reply.status == 405)
      #expect(reply["allow"] == "POST")
    }
  }

  @Test(arguments: ["<a><b></a>", "", "no xml", "<Envelope><Body><x></Envelope>"])
  func brokenBodiesAreRefused(body: String) async throws {
    try await withHost { host in
      let reply = try host.exchange(
        "POST \(host.path)/RenderingControl/control HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\n"
          + "SOAPACTION: \"urn:schemas-upnp-org:service:RenderingControl:1#Fail\"\r\n"
          + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
      #expect(reply.status == 400)
    }
  }

  @Test(arguments: Fixtures.requests)
  func requestsOfControlPointsAreUnderstood(fixture: Fixtures.Request) async throws {
    try await withHost { host in
      let reply = try host.exchange(fixture.text(port: host.port, path: host.path))
      #expect(reply.status == 200, "\(fixture.name)")
      #expect(host.service.state.withLock { $0.performed } == [fixture.performed], "\(fixture.name)")
    }
  }
}

@Suite struct ActionRecordTests {
  /// Names come from the description, so that nobody can fill the metrics with names of his own.
  @Test func everyActionIsReportedOnce() async throws {
    try await withHost { host in
      let records = Mutex<[ActionRecord]>([])
      await host.host.observeActions { record in records.withLock { $0.append(record) } }
      let arguments = "<InstanceID>0</InstanceID><Channel>Master</Channel>"
      _ = try host.exchange(host.soap("GetVolume", arguments))
      _ = try host.exchange(host.soap("SetVolume", arguments))
      _ = try host.exchange(host.soap("Invented", arguments))
      let seen = records.withLock { $0 }
      #expect(seen.map(\.service) == ["RenderingControl", "RenderingControl", "RenderingControl"])
      #expect(seen.map(\.action) == ["GetVolume", "SetVolume", ""])
      #expect(seen.map(\.fault) == [nil, 402, 401])
      #expect(seen.allSatisfy { $0.nanoseconds > 0 })
    }
  }
}
