import ControlPoint
import NIOCore
import Player
import Renderers

/// What exists while the control point of the page runs.
struct MediaRun: Sendable {
  let id: Int
  let controlPoint: ControlPoint
  var reading: Task<Void, Never>?
  var searchBegan = NIODeadline.now()
  var servers = FoundDevices { $0.service(Self.contentDirectory) != nil }
  /// This speaker's own device that speaks OpenHome, as others find it.
  var own: FoundDevices
  /// What this speaker says of itself as a room, as others hear it.
  var ownRoom: Room?
  /// Other renderers than this speaker.
  var renderers: RendererList
  /// By the key of a server.
  var folders: [String: FolderMemory] = [:]
  var capabilities: [String: ContentCapabilities] = [:]
  /// Tasks that follow a renderer, by its key.
  var followers: [String: Task<Void, Never>] = [:]
  /// The services whose events each of them takes; none for one that is asked only.
  var followed: [String: [ServiceLocation]] = [:]
  /// Tasks that hand over tracks to a renderer without a queue, by its key.
  var handovers: [String: Task<Void, Never>] = [:]
  /// The services of a renderer, by its key, that tell nothing of their changes.
  var silent: [String: Set<String>] = [:]
  /// Renderers that are about to be asked.
  var touched: Set<String> = []
  /// The room that this speaker listens to, as it tells its next titles.
  var upcoming: HostQueue?

  static let contentDirectory = "urn:schemas-upnp-org:service:ContentDirectory"

  init(id: Int, controlPoint: ControlPoint, own: Set<String>) {
    self.id = id
    self.controlPoint = controlPoint
    self.own = FoundDevices {
      own.contains(FoundDevices.key($0.udn)) && DeviceKind.openHomeProduct.matches($0)
    }
    renderers = RendererList(except: own)
  }

  /// Forgets what is known of servers that aren't shown any more.
  mutating func forgetServers() {
    let known = servers.entries
    folders = folders.filter { known[$0.key] != nil }
    capabilities = capabilities.filter { known[$0.key] != nil }
  }

  func end() {
    reading?.cancel()
    for task in followers.values { task.cancel() }
    for task in handovers.values { task.cancel() }
    upcoming?.task.cancel()
  }
}
