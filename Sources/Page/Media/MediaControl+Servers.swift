import ControlPoint
import HTTP
import NIOCore
import Network
import Renderers
import UPnP

/// What is asked for below `/api/v1/servers`.
extension MediaControl: ServersHandlers {
  public nonisolated func getServers(_ context: APIContext) -> Reply<API.Servers> {
    assumeIsolated { control in
      control.use()
      guard control.isSearching, control.shownServers.servers.isEmpty else {
        return .value(control.shownServers)
      }
      return .later {
        await self.wait { $0.servers.present.isEmpty }
        return .value(await self.shownServers)
      }
    }
  }

  public nonisolated func searchServers(_ context: APIContext) -> Reply<Done> {
    assumeIsolated { control in
      control.use()
      control.run?.controlPoint.assumeIsolated { $0.search() }
      control.searchBegan()
      return .value(control.done)
    }
  }

  public nonisolated func getObjects(
    udn: String, id: String?, start: Int?, count: Int?, _ context: APIContext
  ) -> Reply<API.MediaObjects> {
    assumeIsolated { $0.use() }
    return .later {
      await self.objects(on: udn, in: id ?? MediaLibrary.root, start: start ?? 0, count: count ?? 50)
    }
  }

  public nonisolated func searchObjects(
    udn: String, q: String, kind: API.SearchObjectsKind?, id: String?, start: Int?, count: Int?,
    _ context: APIContext
  ) -> Reply<API.MediaObjects> {
    assumeIsolated { $0.use() }
    return .later {
      await self.search(
        udn, for: q, kind, in: id ?? MediaLibrary.root, start: start ?? 0, count: count ?? 50)
    }
  }

  /// What a command answers: the version of the player, which it may have changed.
  var done: Done { Done(version: sections[.player]?.version ?? 0) }

  /// Waits while that is so, but no longer than the search takes.
  func wait(_ isWaiting: @Sendable (MediaRun) -> Bool) async {
    while isSearching, let run, isWaiting(run), !Task.isCancelled {
      await self.eventLoop.pause(for: .milliseconds(20))
    }
  }

  // MARK: The list

  var shownServers: API.Servers {
    guard let run else { return API.Servers(version: serversVersion, servers: [], isSearching: false) }
    let seen = seen
    let servers = run.servers.entries.map { key, entry in
      let device = entry.device
      return API.Server(
        udn: device.udn, name: device.friendlyName,
        model: DeviceFacts.model(device.manufacturer, device.modelName),
        seen: seen(device), isThere: entry.isThere, canSearch: run.capabilities[key].map(\.canSearch),
        icon: icon(of: device))
    }.sorted { ($0.name.lowercased(), $0.udn) < ($1.name.lowercased(), $1.udn) }
    let isNoneThere = !servers.contains(where: \.isThere)
    return API.Servers(
      version: serversVersion, servers: servers, isSearching: isSearching,
      problem: isNoneThere && !isSearching ? whyNone(run).text : nil)
  }

  private func whyNone(_ run: MediaRun) -> NoServerReason {
    let own = Set(settings.udns.map(FoundDevices.key))
    let selection = InterfaceSelection(names: settings.interfaces, ipv6: settings.ipv6)
    return run.controlPoint.assumeIsolated { controlPoint in
      NoServerReason(
        interfaces: controlPoint.interfaces, selection: selection,
        searched: controlPoint.searched,
        others: controlPoint.known().filter { !own.contains(FoundDevices.key($0.udn)) }.count,
        firewalls: HostFirewalls.active)
    }
  }

  /// How many seconds ago a device was heard of.
  var seen: (FoundDevice) -> Int {
    let known = run?.controlPoint.assumeIsolated { $0.known() } ?? []
    let times = Dictionary(known.map { ($0.udn, $0.lastSeen) }) { first, _ in first }
    let now = NIODeadline.now()
    return { device in
      let time = times[device.udn] ?? device.lastSeen
      return Int(max((now - time).nanoseconds, 0) / 1_000_000_000)
    }
  }

  /// The address on this server of a device's icon, a small one.
  func icon(of device: FoundDevice) -> String? {
    let icons = device.icons.filter { icon in
      ["image/png", "image/jpeg"].contains(icon.mimeType.lowercased()) && icon.address.interface == nil
    }.sorted { $0.width < $1.width }
    guard let icon = icons.first(where: { $0.width >= 96 }) ?? icons.last else { return nil }
    let address = icon.address
    return pictures?.address(of: "http://\(address.address.urlHost):\(address.port)\(address.target)")
  }

  /// Asks a server what it can search for.
  func askCapabilities(_ device: FoundDevice) {
    let key = FoundDevices.key(device.udn)
    guard let id = run?.id, run?.capabilities[key] == nil, let library = library(device) else { return }
    Task {
      guard let capabilities = try? await library.capabilities(), run?.id == id else { return }
      run?.capabilities[key] = capabilities
      changed(.servers)
    }
  }

  func library(_ device: FoundDevice) -> MediaLibrary? {
    guard let run, let location = device.service(MediaRun.contentDirectory) else { return nil }
    return MediaLibrary(run.controlPoint.service(location), base: device.base)
  }
}
