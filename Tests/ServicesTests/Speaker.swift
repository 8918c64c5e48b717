import Logging
import Player
import SCPD
import Synchronization
import UPnP

@testable import Services

/// A player without sound, driven by hand, with the services of both devices in front of it.
final class Speaker {
  /// Everything happens on the thread of the test.
  private final class InlineExecutor: SerialExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
      UnownedJob(job).runSynchronously(on: asUnownedSerialExecutor())
    }
    func checkIsolated() {}
  }

  final class RecordingOutput: AudioOutput {
    private let log = Mutex<[OutputRequest]>([])
    var requests: [OutputRequest] { log.withLock { $0 } }
    func submit(_ request: OutputRequest) { log.withLock { $0.append(request) } }
  }

  final class FakeClock: Sendable {
    private let nanoseconds = Mutex<Int64>(0)
    var now: PlayerInstant { PlayerInstant(nanoseconds: nanoseconds.withLock { $0 }) }
    func advance(seconds: Int64) { nanoseconds.withLock { $0 += seconds * 1_000_000_000 } }
  }

  final class RecordingEdge: Sendable {
    private let log = Mutex<[Effect]>([])
    var effects: [Effect] { log.withLock { $0 } }
    func add(_ effect: Effect) { log.withLock { $0.append(effect) } }
  }

  /// What was asked of the daemon so far.
  var effects: [Effect] { edge.effects }
  private let edge = RecordingEdge()
  let output = RecordingOutput()
  let clock = FakeClock()
  let player: PlayerCore
  let avTransport: AVTransport
  let renderingControl: RenderingControl
  let connectionManager: ConnectionManager
  let settings: OpenHomeSettings
  let product: ProductService
  let playlist: PlaylistService
  let radio: RadioService
  let info: InfoService
  let time: TimeService
  let volume: VolumeService
  let transport: TransportService
  let receiver: ReceiverService
  let sender: SenderService
  let pins: PinsService

  init(
    configuration: PlayerConfiguration = PlayerConfiguration(),
    openHome: OpenHomeConfiguration = .example, base: String = "http://192.0.2.7:49494"
  ) {
    player = PlayerCore(
      executor: InlineExecutor(), configuration: configuration, output: output,
      clock: { [clock] in clock.now },
      edge: { [edge] effect, _ in edge.add(effect) })
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    avTransport = AVTransport(player: player, logger: logger)
    renderingControl = RenderingControl(player: player)
    connectionManager = ConnectionManager(player: player)
    settings = OpenHomeSettings(openHome, base: { base })
    product = ProductService(player: player, settings: settings)
    playlist = PlaylistService(player: player, logger: logger)
    radio = RadioService(player: player, settings: settings, logger: logger)
    info = InfoService(player: player, settings: settings)
    time = TimeService(player: player)
    volume = VolumeService(player: player, settings: settings)
    transport = TransportService(player: player, logger: logger)
    receiver = ReceiverService(player: player, logger: logger)
    sender = SenderService(player: player, settings: settings)
    pins = PinsService(player: player, logger: logger)
  }

  /// Calls as a control point does: by names and texts, through the argument check.
  @discardableResult
  func call(
    _ service: any ServiceProvider, _ action: String, _ arguments: [String: String] = [:]
  ) throws -> [String: String] {
    guard let index = service.description.actionIndex(named: action) else { throw UPnPError.invalidAction }
    let sent = ["InstanceID": "0"].merging(arguments) { $1 }.map { (name: $0.key, text: $0.value) }
    var call = ActionCall(
      action: index, context: ActionContext(remoteAddress: .v4(0xc000_0201), userAgent: "test"),
      inputs: try ArgumentCoder(service).check(action: index, arguments: sent))
    try service.perform(&call)
    let names = service.description.actions[index].outputs.map(\.name)
    return Dictionary(uniqueKeysWithValues: zip(names, call.outputs.map(\.text)))
  }

  /// The number of the fault that the call gives; nil when it succeeds.
  func fault(_ service: any ServiceProvider, _ action: String, _ arguments: [String: String] = [:]) throws
    -> Int?
  {
    do {
      try call(service, action, arguments)
      return nil
    } catch let error as UPnPError {
      return error.code
    }
  }

  func setURI(_ uri: String = "http://192.0.2.1/a.flac", metadata: String = "") throws {
    try call(avTransport, "SetAVTransportURI", ["CurrentURI": uri, "CurrentURIMetaData": metadata])
  }

  func play() throws { try call(avTransport, "Play", ["Speed": "1"]) }

  /// What the output says of the attempt that is under way.
  func output(_ event: @Sendable (PlayID) -> OutputEvent) {
    player.assumeIsolated { core in
      guard let id = core.state.transport.playID else { return }
      core.receive(event(id))
    }
  }

  var transportState: String {
    get throws { try call(avTransport, "GetTransportInfo")["CurrentTransportState"] ?? "" }
  }

  func evented(_ service: any ServiceProvider, _ name: String, channel: String? = nil) -> String? {
    service.eventedValues().first { $0.name == name && $0.channel == channel }?.value
  }
}
