import Network
import Player
import Services
import UPnP

/// Converts the settings to the configurations of the daemon's parts.
extension Settings {
  var serverConfiguration: DeviceServerConfiguration {
    var server = DeviceServerConfiguration()
    server.host = hostConfiguration
    server.ttl = network.ttl
    server.interfaces = network.interfaces
    return server
  }

  private var hostConfiguration: HostConfiguration {
    var host = HostConfiguration()
    host.port = network.port
    host.ipv6 = network.ipv6
    host.serverToken = HostConfiguration.serverToken(product: "Vireo", version: Version.number)
    host.allow = allowedNetworks
    host.hostnames = network.hostnames
    host.http.connections = limits.connections
    host.http.connectionsPerAddress = limits.connectionsPerAddress
    host.http.headBytes = limits.headerBytes
    host.http.bodyBytes = limits.bodyBytes
    // Room for two of the longest requests, or none could ever be completed.
    host.http.unfinishedBytes = max(
      host.http.unfinishedBytes, 2 * (limits.headerBytes + limits.bodyBytes))
    host.http.headSeconds = limits.headerTime.wholeSeconds
    host.http.bodySeconds = limits.bodyTime.wholeSeconds
    host.http.keepAliveSeconds = limits.idleTime.wholeSeconds
    host.events.subscriptions = limits.subscriptions
    host.events.subscriptionsPerAddress = limits.subscriptionsPerAddress
    host.events.keptSeconds = limits.eventIdleTime == .zero ? 0 : limits.eventIdleTime.wholeSeconds
    return host
  }

  /// The networks in `[network] allow`; the settings reader has refused invalid ones.
  var allowedNetworks: [IPNetwork] { network.allow.compactMap { IPNetwork($0) } }

  func playerConfiguration(shuffleSeed: UInt64) -> PlayerConfiguration {
    let curve: VolumeCurve =
      switch volume.curve {
      case .cubic: .cubic
      case .linear: .linear
      case .db: .decibel(range: volume.range)
      }
    return PlayerConfiguration(
      uriPolicy: URIPolicy(directories: playback.directories), volumeCurve: curve, volumeLimit: volume.limit,
      factoryVolume: volume.initial, shuffleSeed: shuffleSeed, openHomeEnabled: openHome.enabled,
      avEnabled: offersUPnPAV, receiverEnabled: rooms.enabled, startupSource: openHome.startupSource,
      startupVolume: volume.startup,
      tracksMax: playlist.tracksMax, patience: playback.patience, pauseRelease: playback.pauseRelease,
      resumesPosition: playback.resume)
  }

  /// Where the page is: the plain one when there is no other.
  var presentationPath: String { page.enabled && page.access != .off ? "/" : Devices.statusPath }

  /// The OpenHome configuration, without the images, which ``Devices`` adds.
  var openHomeConfiguration: OpenHomeConfiguration {
    OpenHomeConfiguration(
      room: FriendlyName.room(device, hostName: FriendlyName.hostName), productName: openHome.product,
      productInfo: Devices.modelDescription, manufacturer: .init(name: Devices.manufacturer),
      model: .init(name: Devices.model, info: "\(Devices.modelDescription) \(Version.number)"),
      presentation: presentationPath,
      sources: Dictionary(
        uniqueKeysWithValues: SourceKind.allCases.map { ($0, .init($0, name: openHome[nameOf: $0])) }),
      compatibility: OpenHomeCompatibility(
        productVersion: compatibility.productVersion,
        currentSongInMetadata: compatibility.currentSongInMetadata))
  }

  /// The user agent for media servers, by default `Vireo/0.1.0`.
  var userAgent: String { playback.userAgent.isEmpty ? "Vireo/\(Version.number)" : playback.userAgent }
}

extension Duration {
  /// The duration in whole seconds, at least one.
  fileprivate var wholeSeconds: Int { max(1, Int(components.seconds)) }
}
