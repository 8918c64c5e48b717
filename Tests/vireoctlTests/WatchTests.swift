import ControlPoint
import Logging
import NIOCore
import NIOPosix
import Renderers
import SCPD
import Synchronization
import Testing
import UPnP

@testable import vireoctl

/// A service with one variable, which has another value each time that somebody looks.
private final class Lamp: ServiceProvider {
  let identity = ServiceIdentity(
    domain: "schemas-upnp-org", idDomain: "upnp-org", name: "SwitchPower", version: 1)
  let description = ServiceDescription(
    actions: [], variables: [StateVariable(name: "Status", type: .ui4, sendsEvents: true)])
  let scpd = (head: "<scpd xmlns=\"urn:schemas-upnp-org:service-1-0\"", tail: "/>")
  let eventing = EventStyle.properties

  private let looks = Atomic(0)

  func perform(_ call: inout ActionCall) throws(UPnPError) { throw .invalidAction }
  func eventedValues() -> [EventedValue] {
    [EventedValue(name: "Status", value: "\(looks.add(1, ordering: .relaxed).newValue)")]
  }
}

@Suite(.timeLimit(.minutes(2))) struct WatchTests {
  private func server(_ udn: String, bootID: Int) -> DeviceServer {
    var configuration = DeviceServerConfiguration()
    configuration.interfaces = ["lo"]
    let device = Device(
      type: "BinaryLight", version: 1, udn: udn, friendlyName: udn, manufacturer: "M",
      modelName: "N",
      services: [Lamp()])
    let quiet = Logger(label: "device") { _ in SwiftLogNoOpLogHandler() }
    return DeviceServer(
      eventLoop: MultiThreadedEventLoopGroup.singleton.next(), configuration: configuration,
      devices: [RootDevice(device)], bootID: bootID, loggers: DeviceServerLoggers(quiet))
  }

  /// It leaves, and comes back somewhere else.
  @Test func eventsOfADeviceThatStartsAgain() async throws {
    let udn = "lamp-\(UInt32.random(in: 0 ... .max))"
    let first = server(udn, bootID: 1)
    let port = try await first.listen().port
    try await first.announce { _ in }
    let command = try EventsCommand.parse([
      "http://127.0.0.1:\(port)/\(udn)/device.xml", "--interface", "lo", "--count", "2", "--quiet",
    ])
    let session = Session(command.options)
    let isOver = Mutex(false)
    async let watching: Void = {
      defer { isOver.withLock { $0 = true } }
      _ = try await command.perform(session)
    }()
    while await first.statistics.subscriptions == 0, !isOver.withLock(\.self) {
      try await Task.sleep(for: .milliseconds(10))
    }
    await first.stop()
    let second = server(udn, bootID: 2)
    try await second.start()
    // The first may have left before its event was sent, so one of the second wouldn't do.
    while !isOver.withLock(\.self) {
      second.stateChanged()
      try await Task.sleep(for: .milliseconds(100))
    }
    try await watching
    await session.end()
    await second.stop()
  }

  /// Answers one after the other, and notes what is made of them.
  private final class Renderer: Sendable {
    private let rest: Mutex<[Result<PlayerStatus, Failure>]>
    let told = Mutex<[String]>([])
    let notes = Mutex<[String]>([])

    init(_ answers: [Result<PlayerStatus, Failure>]) { rest = Mutex(answers) }

    func next() throws -> PlayerStatus {
      try rest.withLock {
        $0.isEmpty ? .failure(Failure(.interrupted, "interrupted")) : $0.removeFirst()
      }.get()
    }
  }

  private func states(
    _ renderer: Renderer, telling: @escaping @Sendable () throws -> Void = {}
  ) async throws {
    let (signals, signal) = AsyncStream.makeStream(of: Void.self)
    for _ in 0..<100 { signal.yield() }
    let reader = StatusReader(moderation: .zero, interval: .milliseconds(1)) {
      try renderer.next()
    } note: { note in
      renderer.notes.withLock { $0.append(note) }
    }
    try await reader.run(from: PlayerStatus(renderer: "R", udn: "u"), signals) { status in
      try telling()
      renderer.told.withLock { $0.append(status.title ?? "") }
    }
  }

  private func playing(_ title: String) -> Result<PlayerStatus, Failure> {
    var status = PlayerStatus(renderer: "R", udn: "u")
    status.title = title
    return .success(status)
  }

  @Test func aFaultDoesNotEndIt() async throws {
    let fault = Result<PlayerStatus, Failure>.failure(
      Failure(.refused, "R refused: 501 Action Failed"))
    let nonsense = Result<PlayerStatus, Failure>.failure(
      Failure(.nonsense, "R answered with nonsense"))
    let renderer = Renderer([
      playing("a"), fault, nonsense, fault, playing("b"), playing("b"), nonsense, playing("c"),
    ])
    await #expect(throws: Failure(.interrupted, "interrupted")) { try await states(renderer) }
    #expect(renderer.told.withLock { $0 } == ["a", "b", "c"])
    #expect(
      renderer.notes.withLock { $0 }
        == ["R refused: 501 Action Failed; trying again", "R answered with nonsense; trying again"])
  }

  @Test func whatCannotBeToldEndsIt() async throws {
    await #expect(throws: Failure(.software, "can't write")) {
      try await states(Renderer([playing("a"), playing("b")])) {
        throw Failure(.software, "can't write")
      }
    }
  }
}
