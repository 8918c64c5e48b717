import JSON
import NIOCore
import Network
import Page
import Player
import Synchronization
import UPnP

/// Answers what is asked for below `/api/v1/system`: how the speaker is, and why it isn't heard or seen.
final class SystemSource: SystemHandlers, PageSection {
  private struct State: Sendable {
    var server: DeviceServer?
    var loaded = SettingsLoader.Loaded()
    var settings = Settings()
    var reach: NetworkReach?
    var zone: ZoneReach?
    var port: Int?
    var version = 0
    var shown: API.System?
  }

  private let started = NIODeadline.now()
  private let player: PlayerCore
  private let configuration: PageConfiguration
  private let recent: RecentLines
  private let state = Mutex(State())
  /// How many pages follow events.
  private let pages = Mutex<@Sendable () -> Int>({ 0 })

  init(player: PlayerCore, configuration: PageConfiguration, recent: RecentLines) {
    self.player = player
    self.configuration = configuration
    self.recent = recent
  }

  func set(server: DeviceServer) { state.withLock { $0.server = server } }

  func set(_ loaded: SettingsLoader.Loaded, _ settings: Settings) {
    state.withLock {
      $0.loaded = loaded
      $0.settings = settings
    }
  }

  func set(_ reach: NetworkReach, port: Int?) {
    state.withLock {
      $0.reach = reach
      $0.port = port
    }
  }

  func set(_ zone: ZoneReach) { state.withLock { $0.zone = zone } }

  /// Sets who knows how many pages follow events.
  func set(pages: @escaping @Sendable () -> Int) { self.pages.withLock { $0 = pages } }

  /// Where the page is; nil while the speaker has no address.
  var firstAddress: String? {
    let (reach, port) = state.withLock { ($0.reach, $0.port) }
    return SystemFacts.addresses(reach, port: port).first
  }

  // MARK: - Handlers

  func getSystem(_ context: APIContext) -> Reply<API.System> { .value(value) }

  func getLog(_ context: APIContext) -> Reply<API.Log> {
    let now = NIODeadline.now()
    return .value(
      API.Log(
        lines: recent.all.map {
          API.LogLine(
            age: max(0, Int((now - $0.time).nanoseconds / 1_000_000_000)),
            level: $0.isError ? .error : .warning,
            text: $0.text)
        }))
  }

  // MARK: - Section

  var version: Int { value.version }

  func write(to json: inout JSONWriter) { value.write(to: &json) }

  /// The section as it is now. Its version doesn't rise with the time.
  private var value: API.System {
    var system = facts(state.withLock { $0 })
    state.withLock { state in
      if state.shown != system {
        state.version += 1
        state.shown = system
      }
      system.version = state.version
    }
    system.uptime = Int((NIODeadline.now() - started).nanoseconds / 1_000_000_000)
    return system
  }

  private func facts(_ known: State) -> API.System {
    let facts = configuration.facts
    let player = player.assumeIsolated { $0.state }
    let checks = SystemChecks(
      loaded: known.loaded, settings: known.settings, reach: known.reach, zone: known.zone, player: player)
    return API.System(
      version: 0, name: facts.name, vireo: facts.version, uptime: 0,
      addresses: SystemFacts.addresses(known.reach, port: known.port), checks: checks.all,
      interfaces: SystemFacts.interfaces(known.reach),
      subscribers: SystemFacts.subscribers(known.server?.assumeIsolated { $0.subscribers } ?? []),
      pages: pages.withLock { $0 }(), decoders: player.mimeTypes,
      sound: PlayerSection.sound(player, facts),
      settings: SystemFacts.settings(known.settings, known.loaded), configuration: known.loaded.file,
      udns: facts.udns)
  }
}
