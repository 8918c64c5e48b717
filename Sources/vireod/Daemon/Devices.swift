import Logging
import Player
import Services
import UPnP

/// What this daemon is on the network: the root devices and their services, put together in this one place.
struct Devices: Sendable {
  static let statusPath = "/status"

  let identity: DeviceIdentity
  let player: PlayerCore
  let loggers: Loggers

  /// All root devices, as `settings` want them. A new device or service goes here.
  func roots(_ settings: Settings) -> [RootDevice] {
    var devices: [RootDevice] = []
    if settings.upnpAV.enabled { devices.append(mediaRenderer(settings)) }
    return devices
  }

  /// MediaRenderer:1; version 1 of everything, the widest understood.
  private func mediaRenderer(_ settings: Settings) -> RootDevice {
    root(
      settings, type: "MediaRenderer", version: 1, isFirst: true,
      // Some control points list only renderers that say they are DLNA's.
      extraElements:
        "<dlna:X_DLNADOC xmlns:dlna=\"urn:schemas-dlna-org:device-1-0\">DMR-1.50</dlna:X_DLNADOC>",
      services: [
        RenderingControl(player: player), ConnectionManager(player: player),
        AVTransport(player: player, logger: loggers[.player]),
      ])
  }

  private func root(
    _ settings: Settings, domain: String = "schemas-upnp-org", type: String, version: Int, isFirst: Bool,
    extraElements: String = "", services: [any ServiceProvider]
  ) -> RootDevice {
    RootDevice(
      domain: domain, type: type, version: version, udn: identity.udn(of: type, isFirst: isFirst),
      friendlyName: FriendlyName.make(settings.device, hostName: FriendlyName.hostName),
      manufacturer: "The Vireo authors", modelDescription: "Network audio renderer", modelName: "Vireo",
      modelNumber: Version.number, icons: icons(settings), presentationPath: Self.statusPath,
      extraElements: extraElements, services: services)
  }

  private func icons(_ settings: Settings) -> [DeviceIcon] {
    guard !settings.device.icon.isEmpty else { return Icons.builtIn() }
    switch Icons.load(settings.device.icon) {
    case .success(let icon): return [icon]
    case .failure(let failure):
      loggers[.daemon].warning(
        "icon \(settings.device.icon) can't be used: \(failure.reason); the bird is shown instead")
      return Icons.builtIn()
    }
  }
}
