import Foundation
import JSON
import Logging
import NIOCore
import NIOPosix
import Network
import Player
import Services
import Synchronization
import UploadsIO

@testable import HTTP
@testable import Page

/// The desk of songs from phones with a directory of its own, behind a server that only notes what it is asked for.
final class UploadRig: Sendable {
  private struct Silence: AudioOutput {
    func submit(_ request: OutputRequest) {}
  }

  struct Notes: Sendable {
    var wanted: [RequestID: Int] = [:]
    var answers: [RequestID: HTTPResponse] = [:]
    var written: [RequestID: ByteBuffer] = [:]
    var ended: Set<RequestID> = []
  }

  let loop = MultiThreadedEventLoopGroup.singleton.next()
  let directory = FileManager.default.temporaryDirectory.appendingPathComponent("uploads-\(UUID())").path()
  let player: PlayerCore
  let own = OwnSongs()
  let desk: UploadDesk
  let responder: APIResponder
  let notes = Mutex(Notes())
  private let lastID = Mutex(0)

  init(limit: Int = 1_000_000, access: PageAccess = .control, types: [String] = ["audio/flac", "audio/mpeg"])
    async throws
  {
    player = PlayerCore(
      executor: loop.executor, configuration: PlayerConfiguration(), output: Silence(),
      clock: { PlayerInstant(nanoseconds: 0) }, edge: { _, _ in })
    var facts = PageFacts()
    facts.access = access
    let configuration = PageConfiguration(facts)
    let casters = Casters()
    let section = PlayerSection(
      player: player, eventLoop: loop, configuration: configuration, pictures: APIRig.Art(), casters: casters)
    let late = Late()
    desk = UploadDesk(
      eventLoop: loop, files: SongFiles(directory: directory), limit: limit, player: player, own: own,
      casters: casters, playerSection: section, undo: QueueUndo(eventLoop: loop) {},
      connections: UploadConnections(
        want: { pieces, id in late.note { $0.wanted[id, default: 0] += pieces } },
        complete: { id, response in late.note { $0.answers[id] = response } },
        write: { piece, id in
          late.note { $0.written[id, default: ByteBuffer()].writeImmutableBuffer(piece) }
          late.rig?.desk.taken(id)
        },
        end: { id in late.note { _ = $0.ended.insert(id) } }),
      needed: { [player] in OwnSongs.needed(by: player.assumeIsolated { $0.state }) },
      announced: { "http://192.0.2.7:49494" }, changed: {},
      logger: Logger(label: "uploads") { _ in SwiftLogNoOpLogHandler() })
    responder = APIResponder(configuration: configuration)
    late.rig = self
    var handlers = try await APIRig().handlers
    handlers.uploads = desk
    responder.start(handlers) { id, response in late.note { $0.answers[id] = response } }
    try await player.perform([.setMIMETypes(types)])
    try await begin()
  }

  /// The closures of the desk are made before the rig.
  private final class Late: Sendable {
    private let state = Mutex<UploadRig?>(nil)
    var rig: UploadRig? {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }

    func note(_ change: (inout Notes) -> Void) {
      rig?.notes.withLock { change(&$0) }
    }
  }

  /// Reads the directory, as at a start.
  func begin() async throws {
    desk.begin()
    try await until { await self.isLoaded }
  }

  private var isLoaded: Bool { get async { await desk.isLoaded } }

  func until(_ isTrue: () async -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(20)
    while await !isTrue() {
      guard .now < end else { throw CocoaError(.fileReadUnknown) }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  var files: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
  }

  // MARK: - Requests

  static let peer = Peer(remote: IPAddress("192.0.2.9")!, local: IPAddress("192.0.2.7")!, localPort: 49494)

  func newID() -> RequestID {
    lastID.withLock { number in
      number += 1
      return RequestID(connection: number, number: 1)
    }
  }

  static func head(_ query: String, bytes: Int?, fields more: [(String, String)] = []) -> RequestHead {
    var head = RequestHead(
      method: "POST", path: "/api/v1/uploads", query: query, authority: nil, minorVersion: 1,
      fields: HeaderFields())
    head.framing = bytes.map { .length($0) } ?? .chunked
    head.fields.append(name: "host", value: "192.0.2.7:49494")
    if !more.contains(where: { $0.0 == "content-type" }) {
      head.fields.append(name: "content-type", value: "application/octet-stream")
    }
    for (name, value) in more { head.fields.append(name: name, value: value) }
    return head
  }

  /// Asks whether a body may come; the problem's type if not.
  func claim(
    _ query: String, bytes: Int?, id: RequestID, fields: [(String, String)] = [], peer: Peer = UploadRig.peer
  ) async throws -> (status: Int, type: String)? {
    let head = Self.head(query, bytes: bytes, fields: fields)
    let claim = try await loop.submit { [responder] in responder.claim(head, from: peer, id: id) }.get()
    guard case .refuse(let response)? = claim else { return nil }
    return (response.status.rawValue, Self.type(response))
  }

  static func type(_ response: HTTPResponse) -> String {
    let json = try? JSONValue(reading: Array(response.body.readableBytesView))
    if case .string(let type)? = json?["type"] { return type }
    return ""
  }

  func waitWanted(_ id: RequestID, _ pieces: Int = 4) async throws {
    try await until { self.notes.withLock { $0.wanted[id] ?? 0 >= pieces || $0.answers[id] != nil } }
  }

  func piece(_ bytes: [UInt8], isLast: Bool, of id: RequestID) async throws {
    try await loop.submit { [desk] in desk.received(ByteBuffer(bytes: bytes), isLast: isLast, of: id) }.get()
  }

  func abandon(_ id: RequestID) async throws { try await loop.submit { [desk] in desk.abandoned(id) }.get() }

  func answer(_ id: RequestID) async throws -> (status: Int, json: JSONValue) {
    try await until { self.notes.withLock { $0.answers[id] != nil } }
    let response = notes.withLock { $0.answers[id]! }
    return (response.status.rawValue, try JSONValue(reading: Array(response.body.readableBytesView)))
  }

  /// Sends a song in pieces; its key.
  @discardableResult
  func send(_ query: String, _ song: [UInt8]) async throws -> String {
    let id = newID()
    guard try await claim(query, bytes: song.count, id: id) == nil else {
      throw CocoaError(.fileWriteUnknown)
    }
    try await waitWanted(id)
    let half = song.count / 2
    try await piece(Array(song[..<half]), isLast: false, of: id)
    try await piece(Array(song[half...]), isLast: true, of: id)
    let (status, json) = try await answer(id)
    guard status == 200, case .string(let key)? = json["key"] else { throw CocoaError(.fileWriteUnknown) }
    return key
  }

  /// What `GET /uploads/KEY` gives.
  func get(_ path: String, _ fields: [String: String] = [:], method: String = "GET") async throws -> (
    head: HTTPResponse, body: [UInt8]
  ) {
    let id = newID()
    let head = RequestHead.to(path, fields, method: method)
    let answer = try await loop.submit { [desk] in
      desk.respond(to: HTTPRequest(head: head, body: ByteBuffer()), from: Self.peer, id: id)
    }.get()
    switch answer {
    case .complete(let response)?: return (response, [])
    case .streaming(let response)?:
      guard method == "GET" else { return (response, []) }
      try await until { self.notes.withLock { $0.ended.contains(id) } }
      return (response, notes.withLock { Array(($0.written[id] ?? ByteBuffer()).readableBytesView) })
    default: throw CocoaError(.fileReadUnknown)
    }
  }

  func tracks() async -> [Media] {
    let tracks = await player.state.playlist.tracks
    return tracks.ids.compactMap { tracks[$0] }
  }

  func remove() { try? FileManager.default.removeItem(atPath: directory) }

  /// A file that looks like FLAC.
  static func flac(_ bytes: Int, seed: UInt8 = 1) -> [UInt8] {
    Array("fLaC".utf8) + (4..<max(bytes, 5)).map { UInt8(truncatingIfNeeded: $0 &* Int(seed) &+ 7) }
  }
}
