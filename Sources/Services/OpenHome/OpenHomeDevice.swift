import Logging
import Player
import UPnP

/// The second root device: `urn:av-openhome-org:device:Source:1` with the OpenHome services.
///
/// It is a root device of its own, not part of the MediaRenderer: control points are confused by devices in devices.
public enum OpenHomeDevice {
  /// For `RootDevice.domain`, `.type` and `.version`.
  public static let domain = "av-openhome-org"
  public static let type = "Source"
  public static let version = 1

  /// All services, in the order in which they are described.
  public static func services(
    player: PlayerCore, settings: OpenHomeSettings, logger: Logger
  ) -> [any ServiceProvider] {
    [
      ProductService(player: player, settings: settings),
      PlaylistService(player: player, logger: logger),
      RadioService(player: player, logger: logger),
      InfoService(player: player, settings: settings),
      TimeService(player: player),
      VolumeService(player: player),
      TransportService(player: player, logger: logger),
    ]
  }

  /// What Product promises: each token names a service that is there (Product, "Attributes").
  static let attributes = "Volume Time Info Transport"

  /// The UDN that goes with `first`, the UDN of the MediaRenderer, both without `uuid:`; stable as long as that is.
  ///
  /// A UUID stays one: its last four hexadecimal digits are exclusive-ored with 6F68 (`oh`), which also leads back.
  /// Any other name gets `-OpenHome` behind it.
  public static func udn(besides first: String) -> String {
    let groups = first.split(separator: "-", omittingEmptySubsequences: false)
    let isUUID =
      groups.map(\.utf8.count) == [8, 4, 4, 4, 12]
      && groups.allSatisfy { $0.allSatisfy { $0.isASCII && $0.isHexDigit } }
    guard isUUID, let last = UInt16(first.suffix(4), radix: 16) else { return first + "-OpenHome" }
    let digits = String(last ^ 0x6f68, radix: 16)
    return String(first.dropLast(4)) + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
