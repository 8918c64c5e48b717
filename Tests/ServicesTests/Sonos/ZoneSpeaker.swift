import DIDLLite
import Kept
import Logging
import Pins
import Player
import Synchronization
import UPnP
import XML

@testable import Services

/// A speaker with the services of a zone in front of its player.
final class ZoneSpeaker {
  static let hash = [UInt8](0..<32)

  let speaker: Speaker
  let lists = MemoryQueues()
  let home: ZoneHome
  let playback: ZonePlayback
  let transport: ZoneAVTransport
  let rendering: ZoneRenderingControl
  let group: ZoneGroupRenderingControl
  let content: ZoneContentDirectory
  let queue: ZoneQueueService

  init(
    configuration: PlayerConfiguration = PlayerConfiguration(), neighbours: (any ZoneNeighbours)? = nil
  ) {
    speaker = Speaker(configuration: configuration)
    home = ZoneHome(
      identity: ZoneIdentity(hash: Self.hash, household: "", bootSequence: 3), player: speaker.player,
      room: "Kitchen", notes: nil,
      surroundings: .init(address: { "192.0.2.7" }, clock: { (0, 0) }, keep: { _ in }, changed: { _ in }))
    playback = ZonePlayback(
      home, lists: lists, neighbours: neighbours,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    speaker.player.assumeIsolated { [home] player in _ = player.observe { home.playerChanged($0, $1) } }
    transport = ZoneAVTransport(playback)
    rendering = ZoneRenderingControl(playback)
    group = ZoneGroupRenderingControl(playback)
    content = ZoneContentDirectory(playback)
    queue = ZoneQueueService(playback)
  }

  /// All services of the zone and of the devices embedded in it.
  var services: [any ServiceProvider] {
    let device = ZoneDevice.device(
      home, manufacturer: "M", icon: nil, server: playback.serverServices, renderer: playback.rendererServices
    )
    return ([device] + device.devices).flatMap(\.services)
  }

  var uid: String { playback.uid }
  var queueURI: String { "x-rincon-queue:\(uid)#0" }
  var state: PlayerState { speaker.player.currentState }

  /// Calls as a controller does, whether the action waits or not.
  @discardableResult
  func call(
    _ service: any ServiceProvider, _ action: String, _ arguments: [String: String] = [:]
  ) async throws -> [String: String] {
    guard let index = service.description.actionIndex(named: action) else { throw UPnPError.invalidAction }
    let sent = ["InstanceID": "0"].merging(arguments) { $1 }.map { (name: $0.key, text: $0.value) }
    var call = ActionCall(
      action: index, context: ActionContext(remoteAddress: .v4(0xc000_0201), userAgent: "test"),
      inputs: try ArgumentCoder(service).check(action: index, arguments: sent))
    if service.waits(index) {
      call = try await service.performLater(call)
    } else {
      try service.perform(&call)
    }
    let names = service.description.actions[index].outputs.map(\.name)
    return Dictionary(uniqueKeysWithValues: zip(names, call.outputs.map(\.text)))
  }

  /// The number of the fault; nil when the call succeeds.
  func fault(
    _ service: any ServiceProvider, _ action: String, _ arguments: [String: String] = [:]
  ) async throws -> Int? {
    do {
      try await call(service, action, arguments)
      return nil
    } catch let error as UPnPError {
      return error.code
    }
  }

  /// Puts tracks called `a`, `b`, … at the end of the queue.
  func add(_ names: String...) async throws {
    for name in names { try await addTrack(name) }
  }

  @discardableResult
  func addTrack(_ name: String, at place: Int = 0, asNext: Bool = false) async throws -> [String: String] {
    try await call(
      transport, "AddURIToQueue",
      [
        "EnqueuedURI": "http://192.0.2.1/\(name).flac", "EnqueuedURIMetaData": Self.metadata(name),
        "DesiredFirstTrackNumberEnqueued": String(place), "EnqueueAsNext": asNext ? "1" : "0",
      ])
  }

  static func metadata(_ title: String) -> String {
    DIDLWriter.document(title: title, artist: "Singer", album: "Album & more", uri: nil)
  }

  /// The titles of the objects in `id`.
  func titles(_ id: String) async throws -> [String] {
    let result = try await call(
      content, "Browse", ["ObjectID": id, "BrowseFlag": "BrowseDirectChildren", "RequestedCount": "0"])
    return DIDL.items(result["Result"] ?? "", limit: 1000).compactMap(\.title)
  }

  func setURI(_ uri: String, _ metadata: String = "") async throws {
    try await call(transport, "SetAVTransportURI", ["CurrentURI": uri, "CurrentURIMetaData": metadata])
  }

  func seek(_ unit: String, _ target: String) async throws {
    try await call(transport, "Seek", ["Unit": unit, "Target": target])
  }

  func play() async throws {
    try await call(transport, "Play", ["Speed": "1"])
    speaker.hear()
  }

  func value(_ action: String, _ name: String) async throws -> String? {
    try await call(transport, action)[name]
  }

  var transportState: String? {
    get async throws { try await value("GetTransportInfo", "CurrentTransportState") }
  }

  var track: String? { get async throws { try await value("GetPositionInfo", "Track") } }

  func evented(_ service: any ServiceProvider, _ name: String, channel: String? = nil) -> String? {
    speaker.evented(service, name, channel: channel)
  }
}

/// Stored playlists in memory.
final class MemoryQueues: SavedQueues {
  private struct State: Sendable {
    var shelf = KeptShelf()
    var lists: [UInt32: [KeptEntry]] = [:]
    var largestRead = 0
  }

  private let state = Mutex(State())

  /// The most bytes of tracks that were read at once.
  var largestRead: Int { state.withLock { $0.largestRead } }

  var heads: [KeptHead] { state.withLock { $0.shelf.heads } }

  nonisolated(nonsending) func entries(
    of id: UInt32, from start: Int, count: Int, bytes: Int
  ) async throws(SavedQueueError) -> [KeptEntry] {
    guard let entries = state.withLock({ $0.lists[id] }) else { throw .notFound }
    var (found, size) = ([KeptEntry](), 0)
    for entry in entries.dropFirst(start).prefix(count) {
      let more = entry.track.media.uri.utf8.count + entry.track.media.metadata.utf8.count
      guard found.isEmpty || size + more <= bytes else { break }
      size += more
      found.append(entry)
    }
    state.withLock { $0.largestRead = max($0.largestRead, size) }
    return found
  }

  nonisolated(nonsending) func media(of id: UInt32) async throws(SavedQueueError) -> [Media] {
    try await entries(of: id, from: 0, count: .max, bytes: .max).map(\.track.media)
  }

  nonisolated(nonsending) func kept(_ media: [Media]) async -> [KeptTrack] { media.map { KeptTrack($0) } }

  nonisolated(nonsending) func change(_ command: KeptCommand) async throws(SavedQueueError) -> KeptHead? {
    let result = state.withLock { state -> Result<KeptHead?, SavedQueueError> in
      let list = command.list.flatMap { id in
        state.shelf.heads.first { $0.id == id }.map { head in
          KeptList(
            head,
            places: (state.lists[id] ?? []).map {
              KeptList.Place(id: $0.id, bytes: 1, milliseconds: 0)
            })
        }
      }
      do throws(KeptRefusal) {
        let change = try state.shelf.change(KeptEdit(command), of: list, at: 0)
        state.shelf = state.shelf.taking(change)
        let known = (state.lists[change.id] ?? []) + change.written
        state.lists[change.id] = change.list.map { list in
          list.ids.compactMap { id in known.first { $0.id == id } }
        }
        return .success(change.list?.head)
      } catch {
        switch error {
        case .noList, .noTrack: return .failure(.notFound)
        case .nameTaken: return .failure(.nameTaken)
        case .badName, .namedTwice: return .failure(.notPossible)
        default: return .failure(.full)
        }
      }
    }
    return try result.get()
  }
}
