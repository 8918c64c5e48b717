import JSON
import Logging
import NIOCore
import NIOPosix
import Network
import Page
import Party
import Pins
import Player
import Services
import Synchronization

@testable import HTTP

/// The API over a player without sound, without a socket.
final class APIRig: Sendable {
  struct Reply: Sendable {
    var status: Int
    var fields: [HTTPField]
    var contentType: String?
    var text: String

    var json: JSONValue? { try? JSONValue(reading: [UInt8](text.utf8)) }
    var pointer: String? { json?["pointer"].flatMap { if case .string(let text) = $0 { text } else { nil } } }
    var type: String? { json?["type"].flatMap { if case .string(let text) = $0 { text } else { nil } } }

    subscript(field: String) -> String? { fields.first { $0.name == field.uppercased() }?.value }
  }

  private struct Silence: AudioOutput {
    func submit(_ request: OutputRequest) {}
  }

  /// A media server with two tracks, and a renderer that takes everything.
  struct Places: MediaPlaces {
    func tracks(
      server: String, object: String, most: Int, within time: Duration
    ) async -> Outcome<FoundTracks> {
      guard server == "server" else { return .problem(.notFound("There is no such server.")) }
      if object.hasPrefix("song") {
        return .value(FoundTracks(tracks: [Media(uri: "http://server/\(object)")]))
      }
      if object == "empty" { return .value(FoundTracks(tracks: [], isPartial: true)) }
      return .value(
        FoundTracks(
          tracks: ["one", "two"].map { Media(uri: "http://server/\(object)/\($0)") }, left: 1,
          isPartial: object == "huge"))
    }

    func play(_ items: [API.PlayItem], how: API.Play.How, on renderer: String) async -> Outcome<
      API.PlayResult
    > {
      .value(API.PlayResult(added: items.count, left: 0, detail: "\(how) on \(renderer)"))
    }
  }

  /// Looks at addresses, at the first one on the host `gate` when it is opened.
  actor Probe: AddressProbe {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var endless: [@Sendable () -> Void] = []

    /// True while an address is waited for.
    var isHeld: Bool { !waiting.isEmpty }

    func end() {
      for ended in endless { ended() }
      endless = []
    }

    func open() {
      isOpen = true
      for continuation in waiting { continuation.resume() }
      waiting = []
    }

    func probe(_ address: String, ended: @escaping @Sendable () -> Void) async -> API.AddressCheck {
      if address.hasPrefix("http://endless/") {
        endless.append(ended)
        return API.AddressCheck(isPlayable: true, detail: "It doesn't end.")
      }
      defer { ended() }
      if address.hasPrefix("http://gate/"), !isOpen, !isHeld {
        await withCheckedContinuation { waiting.append($0) }
      }
      return API.AddressCheck(isPlayable: true, detail: "Looked at \(address).")
    }
  }

  /// A value that a test changes.
  final class Shared<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) { state = Mutex(value) }

    var value: Value {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }
  }

  struct Art: PictureAddresses {
    func address(of address: String) -> String? { "/art/\(address.count)" }
    func address(of picture: EmbeddedPicture) -> String? { "/art/embedded-\(picture.bytes.count)" }
    func keep(_ shown: [String], for owner: PageSections.Name) {}
    func origin(of address: String) -> String? {
      address == "/art/known" ? "http://192.0.2.1/cover.jpg" : nil
    }
  }

  struct System: SystemHandlers {
    func getSystem(_ context: APIContext) -> Page.Reply<API.System> { .problem(.notFound("")) }
    func getLog(_ context: APIContext) -> Page.Reply<API.Log> { .value(API.Log(lines: [])) }
  }

  let loop = MultiThreadedEventLoopGroup.singleton.next()
  let player: PlayerCore
  let configuration: PageConfiguration
  let responder: APIResponder
  let songs = RadioSongs()
  let probe = Probe()
  let casters = Casters()
  let playerSection: PlayerSection
  let queueSection: QueueSection
  let party: PartyDesk
  /// What the party's clock says.
  let time: Shared<Duration>
  /// What was kept of the party last.
  let keptParty: Shared<String?>
  let sections = PageSections()
  let keeper = MemoryPlaylists()
  let finder = ScriptedFinder()
  let playlists: Playlists
  let play: PlayControl
  let handlers: APIHandlers
  private let number = Mutex(0)
  private let waiting = Mutex<[RequestID: EventLoopPromise<HTTPResponse>]>([:])

  /// - Parameter keeps: false where there is no directory for the state.
  init(
    access: PageAccess = .control, _ settings: PlayerConfiguration = PlayerConfiguration(), keeps: Bool = true
  ) async throws {
    player = PlayerCore(
      executor: loop.executor, configuration: settings, output: Silence(),
      clock: { PlayerInstant(nanoseconds: 0) },
      edge: { effect, player in
        // What nobody has to be asked for is answered at once, as by the daemon.
        guard case .findPin(let id, let pin) = effect, let uri = try? PinURI(pin.uri, mode: pin.mode),
          let finding = PinFinding(uri, of: pin)
        else { return }
        player.found(finding, of: id)
      })
    var facts = PageFacts()
    facts.name = "Kitchen"
    facts.access = access
    facts.udns = ["self"]
    configuration = PageConfiguration(facts)
    playerSection = PlayerSection(
      player: player, eventLoop: loop, configuration: configuration, pictures: Art(), casters: casters)
    let undo = QueueUndo(eventLoop: loop) {}
    queueSection = QueueSection(player: player, undo: undo)
    let radio = RadioSection(player: player, songs: songs, pictures: Art())
    responder = APIResponder(configuration: configuration)
    let logger = Logger(label: "page") { _ in SwiftLogNoOpLogHandler() }
    let nobody = NotServed()
    let (time, kept) = (Shared(Duration.seconds(1000)), Shared<String?>(nil))
    (self.time, keptParty) = (time, kept)
    party = PartyDesk(
      eventLoop: loop, player: player, sections: PageSections(),
      surroundings: .init(
        clocks: { PartySession.Clocks(boot: "boot", now: time.value, date: 0) },
        address: { "http://192.0.2.7:49494/" }, keep: { kept.value = $0 }), logger: logger)
    playlists = Playlists(
      eventLoop: loop, keeper: keeps ? keeper : nil, finder: finder, sections: sections, logger: logger)
    play = PlayControl(
      player: player, section: playerSection, undo: undo, places: Places(), playlists: playlists,
      configuration: configuration, logger: logger)
    handlers = APIHandlers(
      root: RootControl(configuration: configuration),
      player: PlayerControl(player: player, section: playerSection),
      queue: QueueControl(
        player: player, section: queueSection, playerSection: playerSection, undo: undo, pictures: Art()),
      play: play,
      radio: RadioControl(
        player: player, section: radio, playerSection: playerSection, prober: probe, logger: logger),
      pins: PinsControl(
        player: player, section: PinsSection(player: player, pictures: Art()), playerSection: playerSection,
        undo: undo, pictures: Art(), logger: logger),
      playlists: PlaylistsControl(
        playlists: playlists, player: player, section: playerSection, play: play, pictures: Art()),
      servers: nobody, renderers: nobody, rooms: nobody,
      party: PartyControl(
        desk: party, section: PartySection(desk: party, pictures: Art()), playerSection: playerSection,
        player: player, places: Places()), reports: NoListeningReports(),
      uploads: NoUploads(),
      system: System(), events: nobody)
    serve(handlers)
  }

  private func serve(_ handlers: APIHandlers) {
    responder.start(handlers) { [self] id, response in
      waiting.withLock { $0.removeValue(forKey: id) }?.succeed(response)
    }
  }

  /// Serves rooms too.
  func serve(rooms: any RoomsHandlers) {
    var handlers = handlers
    handlers.rooms = rooms
    serve(handlers)
  }

  /// Sends a request, as the server would pass it on.
  func ask(
    _ method: String, _ target: String, _ body: String? = nil, fields more: [(String, String)] = [],
    from remote: String = "192.0.2.9"
  ) async throws -> Reply {
    let id = number.withLock { number in
      number += 1
      return RequestID(connection: 1, number: number)
    }
    var fields = HeaderFields()
    fields.append(name: "host", value: "192.0.2.7:49494")
    if let body {
      fields.append(name: "content-length", value: "\(body.utf8.count)")
      if !more.contains(where: { $0.0 == "content-type" }) {
        fields.append(name: "content-type", value: "application/json")
      }
    }
    for (name, value) in more { fields.append(name: name, value: value) }
    let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
    let head = RequestHead(
      method: method, path: parts[0], query: parts.count > 1 ? parts[1] : nil, authority: nil,
      minorVersion: 1,
      fields: fields)
    let request = HTTPRequest(head: head, body: ByteBuffer(string: body ?? ""))
    let address = IPAddress(remote)!
    let peer = Peer(remote: address, local: IPAddress("192.0.2.7")!, localPort: 49494)
    let promise = loop.makePromise(of: HTTPResponse.self)
    waiting.withLock { $0[id] = promise }
    var response = try await loop.flatSubmit { [self] in
      if let refusal = responder.refusal(of: head, from: peer) {
        promise.succeed(refusal)
      } else {
        switch responder.respond(to: request, from: peer, id: id) {
        case nil: promise.succeed(HTTPResponse(.notFound))
        case .complete(let response), .streaming(let response): promise.succeed(response)
        case .later: break
        }
      }
      return promise.futureResult
    }.get()
    if var rest = response.rest { while rest.write(to: &response.body) {} }
    return Reply(
      status: response.status.rawValue, fields: response.fields, contentType: response.contentType,
      text: String(buffer: response.body))
  }

  /// Asks the player.
  func state() async -> PlayerState { await player.state }

  func perform(_ commands: Command...) async throws { try await player.perform(commands) }

  /// Puts tracks with the ids 1...count into the queue.
  func fill(_ count: Int) async throws {
    try await player.perform([
      .playlist(.insertEach(after: 0, (1...count).map { Media(uri: "http://server/\($0).flac") }))
    ])
  }
}
