import Logging
import Player
import Services
import UPnP

/// Builds the root devices with their services.
struct Devices: Sendable {
  static let statusPath = "/status"
  static let manufacturer = "The Vireo authors"
  static let model = "Vireo"
  static let modelDescription = "Network audio renderer"

  let identity: DeviceIdentity
  let player: PlayerCore
  let openHome: OpenHomeSettings
  let loggers: Loggers
  /// The zone for controllers of the Sonos class; nil where it is switched off.
  let zone: ZoneHome?
  /// What its services play; nil like ``zone``.
  let zonePlayback: ZonePlayback?
  /// The playlists that its controllers see.
  let zonePlaylists = ZonePlaylists()
  /// Remembers who chose what plays.
  let casters = Casters()

  /// Creates the builder.
  ///
  /// - Parameters:
  ///   - identity: The UDNs.
  ///   - player: The player that the services control.
  ///   - settings: The settings at the start.
  ///   - loggers: The loggers of the services.
  ///   - base: Returns the base URL of this server; see `OpenHomeSettings`.
  ///   - zone: The zone for controllers of the Sonos class.
  ///   - neighbours: The other zones of its household.
  init(
    identity: DeviceIdentity, player: PlayerCore, settings: Settings, loggers: Loggers,
    base: @escaping @Sendable () -> String, zone: ZoneHome? = nil,
    neighbours: (any ZoneNeighbours)? = nil
  ) {
    self.identity = identity
    self.player = player
    self.loggers = loggers
    self.zone = zone
    zonePlayback = zone.map { [zonePlaylists, casters] in
      ZonePlayback(
        $0, lists: zonePlaylists, neighbours: neighbours, logger: loggers[.player], casters: casters)
    }
    openHome = OpenHomeSettings(settings.openHomeConfiguration, base: base)
    zone?.setSender(SenderService.zoneSender(openHome))
  }

  /// A root device; the raw value is the configuration section that enables it.
  enum Kind: String, Sendable, CaseIterable {
    case upnpAV = "upnp-av"
    case openHome = "openhome"
    case sonos
  }

  /// All root devices that `settings` enable; also updates their services. Add new devices and services here.
  ///
  /// - Parameter showsZone: False to leave out the zone for controllers of the Sonos class.
  func roots(_ settings: Settings, showsZone: Bool = true) -> [RootDevice] {
    Kind.allCases.filter { showsZone || $0 != .sonos }.compactMap { root($0, settings) }
  }

  /// Builds a root device; nil when it is disabled.
  func root(_ kind: Kind, _ settings: Settings) -> RootDevice? {
    switch kind {
    case .upnpAV: settings.offersUPnPAV ? mediaRenderer(settings) : nil
    case .openHome: settings.openHome.enabled ? source(settings) : nil
    case .sonos: zone.map { zonePlayer($0, icons: icons(settings)) }
    }
  }

  /// MediaRenderer:1, with version 1 of every service, which most control points understand.
  private func mediaRenderer(_ settings: Settings) -> RootDevice {
    root(
      settings, type: "MediaRenderer", version: 1, udn: identity.udn,
      name: FriendlyName.make(settings.device, hostName: FriendlyName.hostName),
      // Some control points list only renderers that claim to be DLNA devices.
      extraElements:
        "<dlna:X_DLNADOC xmlns:dlna=\"urn:schemas-dlna-org:device-1-0\">DMR-1.50</dlna:X_DLNADOC>",
      services: [
        RenderingControl(player: player), ConnectionManager(player: player),
        AVTransport(player: player, logger: loggers[.player], casters: casters),
      ])
  }

  /// The OpenHome device, with the newest version of every service.
  private func source(_ settings: Settings) -> RootDevice {
    var configuration = settings.openHomeConfiguration
    let source = root(
      settings, domain: OpenHomeDevice.domain, type: OpenHomeDevice.type, version: OpenHomeDevice.version,
      udn: OpenHomeDevice.udn(besides: identity.udn),
      name: FriendlyName.openHome(room: configuration.room, product: configuration.productName),
      services: OpenHomeDevice.services(
        player: player, settings: openHome, logger: loggers[.player], casters: casters,
        hasReceiver: settings.rooms.enabled, hasSender: settings.rooms.enabled))
    let icons = source.device.icons.sorted { $0.width < $1.width }
    // Room lists show a small image.
    configuration.image = (icons.first { $0.width >= 100 } ?? icons.last).map(source.device.path)
    configuration.imageHires = icons.last.map(source.device.path)
    configuration.model.image = configuration.image
    configuration.sender.zone = source.device.udn
    configuration.sender.isMulticast = settings.rooms.mode == .multicast
    openHome.configuration = configuration
    return source
  }

  private func root(
    _ settings: Settings, domain: String = "schemas-upnp-org", type: String, version: Int, udn: String,
    name: String, extraElements: String = "", services: [any ServiceProvider]
  ) -> RootDevice {
    RootDevice(
      Device(
        domain: domain, type: type, version: version, udn: udn, friendlyName: name,
        manufacturer: Self.manufacturer, modelDescription: Self.modelDescription, modelName: Self.model,
        modelNumber: Version.number, icons: icons(settings),
        presentationPath: settings.presentationPath,
        extraElements: extraElements, services: services))
  }

  private func icons(_ settings: Settings) -> [DeviceIcon] {
    // `HostChecks` reports an unusable icon.
    guard !settings.device.icon.isEmpty, case .success(let icon) = Icons.load(settings.device.icon) else {
      return Icons.builtIn()
    }
    return [icon]
  }
}
