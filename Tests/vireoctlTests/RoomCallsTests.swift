import Renderers
import Synchronization
import Testing

@testable import vireoctl

/// A room that sends and listens, as far as its calls go.
private final class FakeRoom: Sendable {
  struct State {
    var source = 0
    var uri = ""
    var metadata = ""
    var transport = "Stopped"
    var isStandby = false
  }

  let state = Mutex(State())
  /// Like many, it chooses its receiver when that is given a sender.
  let choosesByItself: Bool
  static let sender = """
    <DIDL-Lite xmlns:dc="http://purl.org/dc/elements/1.1/"><item><dc:title>Fake &amp; Room</dc:title>\
    <res protocolInfo="ohz:*:*:u">ohz://239.255.255.250:51972/fake</res></item></DIDL-Lite>
    """

  init(choosesByItself: Bool = true) { self.choosesByItself = choosesByItself }

  func device(_ services: [String] = ["Product:1", "Sender:1", "Receiver:1", "Volume:1", "Info:1"])
    -> FakeDevice
  {
    FakeDevice(
      type: "urn:av-openhome-org:device:Source:1",
      services: services.map { "urn:av-openhome-org:service:\($0)" }
    ) { self.answer($0) }
  }

  private func answer(_ call: FakeDevice.Call) -> FakeDevice.Answer {
    state.withLock { state in
      switch (call.service, call.action) {
      case ("Product", "Product"): return .results(["Room": "Kitchen", "Name": "Fake"])
      case ("Product", "SourceXml"):
        let sources = ["Radio", "Playlist", "Receiver"].map {
          "<Source><Name>\($0)</Name><Type>\($0)</Type><Visible>true</Visible></Source>"
        }
        return .results(["Value": "<SourceList>\(sources.joined())</SourceList>"])
      case ("Product", "SourceIndex"): return .results(["Value": "\(state.source)"])
      case ("Product", "SetSourceIndex"):
        state.source = Int(call["Value"]) ?? -1
        return .results([:])
      case ("Product", "Standby"): return .results(["Value": state.isStandby ? "1" : "0"])
      case ("Product", "SetStandby"):
        state.isStandby = call["Value"] != "0"
        return .results([:])
      case ("Sender", "Metadata"): return .results(["Value": Self.sender])
      case ("Sender", "Status"): return .results(["Value": "Enabled"])
      case ("Sender", "Audio"): return .results(["Value": "1"])
      case ("Receiver", "SetSender"):
        (state.uri, state.metadata) = (call["Uri"], call["Metadata"])
        if choosesByItself { state.source = 2 }
        return .results([:])
      case ("Receiver", "Sender"): return .results(["Uri": state.uri, "Metadata": state.metadata])
      case ("Receiver", "TransportState"): return .results(["Value": state.transport])
      case ("Receiver", "Play"):
        state.transport = state.source == 2 ? "Waiting" : "Stopped"
        return .results([:])
      case ("Receiver", "Stop"):
        state.transport = "Stopped"
        return .results([:])
      case ("Volume", "Volume"): return .results(["Value": "33"])
      case ("Volume", "VolumeLimit"): return .results(["Value": "60"])
      case ("Volume", "Mute"): return .results(["Value": "true"])
      case ("Info", "Track"): return .results(["Uri": "u", "Metadata": ""])
      default: return .fault(401)
      }
    }
  }
}

@Suite(.timeLimit(.minutes(2))) struct RoomCallsTests {
  private static let sender = RoomSender(
    uri: "ohz://239.255.255.250:51972/other", metadata: "<a b=\"&amp;\"/>")
  private static let changes = ["SetSender", "SetSourceIndex", "SetStandby", "Play", "Stop"]

  @Test func aRoomSaysWhatItIs() async throws {
    try await FakeRoom().device().with { session in
      let remote = try await Renderer(
        session.controlPoint.devices(at: session.options.renderer ?? ""), session
      )
      .remote
      #expect(remote.isRoom)
      let room = try await remote.room()
      #expect(room.name == "Kitchen" && room.udn == "fake" && room.canSend && room.canReceive)
      #expect(room.senderURI == "ohz://239.255.255.250:51972/fake" && room.senderMetadata == FakeRoom.sender)
      #expect(room.senderStatus == .sending && room.receiverState == .stopped && !room.isListening)
      #expect(room.volume == 33 && room.volumeLimit == 60 && room.isMuted == true && room.isStandby == false)
    }
  }

  @Test(arguments: [true, false]) func joiningAndLeaving(choosesByItself: Bool) async throws {
    let fake = FakeRoom(choosesByItself: choosesByItself)
    let device = fake.device()
    try await device.with { session in
      let remote = try await device.renderer(session).remote
      try await remote.listen(to: Self.sender)
      #expect(
        device.actions.filter(Self.changes.contains)
          == (choosesByItself ? ["SetSender", "Play"] : ["SetSender", "SetSourceIndex", "Play"]))
      let room = try await remote.room()
      #expect(room.isListening && room.receiverState == .waiting && room.state == .buffering)
      #expect(room.receiverURI == Self.sender.uri && room.receiverMetadata == Self.sender.metadata)
      try await remote.stopListening()
      // Its own music is in its queue.
      #expect(fake.state.withLock { $0.source } == 1)
      #expect(try await !remote.room().isListening)
      // Whoever goes back by himself isn't told to.
      try await remote.stopListening()
      #expect(device.actions.filter(Self.changes.contains).suffix(3) == ["Stop", "SetSourceIndex", "Stop"])
    }
  }

  @Test func aRoomIsWokenUp() async throws {
    let fake = FakeRoom()
    fake.state.withLock { $0.isStandby = true }
    let device = fake.device()
    try await device.with { session in
      try await device.renderer(session).remote.listen(to: Self.sender)
      #expect(device.actions.filter(Self.changes.contains) == ["SetSender", "SetStandby", "Play"])
    }
  }

  @Test func othersAreNoRooms() async throws {
    let device = FakeRoom().device(["Product:1", "Playlist:1"])
    try await device.with { session in
      let renderer = try await device.renderer(session)
      #expect(!renderer.remote.isRoom)
      await #expect(throws: RendererFailure.lacks(.receiver)) { try await renderer.remote.room() }
      await #expect(throws: Failure.self) { try await FoundRoom(renderer) }
      // It answers, but not as a Vireo does.
      await #expect(throws: RendererFailure.call(.malformed)) { try await renderer.remote.roomReports() }
    }
  }

  @Test func allAreTriedAndTheFirstFailureIsTold() async throws {
    let (one, other) = (FakeRoom().device(["Product:1", "Sender:1"]), FakeRoom().device())
    try await one.start()
    try await other.with { session in
      let deaf = RemoteRenderer(
        try await session.controlPoint.devices(at: one.url), through: session.controlPoint)
      let good = try await other.renderer(session).remote
      let rooms = [
        FoundRoom(Room(udn: "x", name: "Fake", address: .v4(0)), deaf),
        FoundRoom(Room(udn: "y", name: "", address: .v4(0)), good),
      ]
      await #expect(throws: Failure(.lacks(.receiver), from: "Fake")) {
        try await RoomCalls.all(rooms) { renderer throws(RendererFailure) in
          try await renderer.listen(to: Self.sender)
        }
      }
      #expect(other.actions.contains("Play"))
    }
  }
}
