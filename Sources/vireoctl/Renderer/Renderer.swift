import ControlPoint
import Proxies
import Renderers

/// A renderer that a command works with.
struct Renderer: Sendable {
  let remote: RemoteRenderer
  let session: Session

  init(_ devices: [FoundDevice], _ session: Session) {
    remote = RemoteRenderer(devices, through: session.controlPoint)
    self.session = session
  }

  var devices: [FoundDevice] { remote.devices }
  var name: String { remote.name }
  var udn: String { remote.udn }
  var services: Set<RendererService> { remote.services }
  var isOpenHome: Bool { remote.isOpenHome }

  func location(_ service: RendererService) -> ServiceLocation? { remote.location(service) }

  /// A typed proxy.
  ///
  /// - Throws: ``Failure`` if the renderer lacks the service.
  func proxy<Proxy: ServiceProxy>(_ service: RendererService, _: Proxy.Type = Proxy.self) throws -> Proxy {
    do throws(RendererFailure) { return try remote.proxy(service) } catch { throw Failure(error, from: name) }
  }

  /// Runs calls, and says which renderer they failed at.
  func attempt<Value: Sendable>(_ body: () async throws(ActionFailure) -> Value) async throws -> Value {
    do throws(ActionFailure) {
      return try await body()
    } catch {
      throw Failure(error, from: name)
    }
  }

  /// The same, for what the renderer does by whichever service it has.
  func control<Value: Sendable>(
    _ body: (RemoteRenderer) async throws(RendererFailure) -> Value
  ) async throws -> Value {
    do throws(RendererFailure) {
      return try await body(remote)
    } catch {
      throw Failure(error, from: name)
    }
  }

  func perform(_ command: RemoteRenderer.Command) async throws {
    try await control { remote throws(RendererFailure) in try await remote.perform(command) }
  }

  /// What the renderer does.
  ///
  /// - Throws: ``Failure`` if it doesn't say whether it plays.
  func status() async throws -> PlayerStatus {
    try await control { remote throws(RendererFailure) in try await remote.status() }
  }

  func volume() async throws -> Int {
    try await control { remote throws(RendererFailure) in try await remote.volume() }
  }

  func isMuted() async throws -> Bool {
    try await control { remote throws(RendererFailure) in try await remote.isMuted() }
  }

  func setMuted(_ isMuted: Bool) async throws {
    try await control { remote throws(RendererFailure) in try await remote.setMuted(isMuted) }
  }

  /// What a command says that has changed something: nothing to people, who and what to programs.
  func done(_ members: KeyValuePairs<String, JSON?> = [:]) -> Report {
    var all: [JSON.Member] = [.init(name: "renderer", value: .string(name))]
    if case .object(let more) = JSON.members(members) { all += more }
    return .lines([], json: .object(all))
  }
}
