import Logging
import Player
import UPnP

/// The second root device: `urn:av-openhome-org:device:Source:1` with the OpenHome services.
///
/// It isn't embedded in the MediaRenderer, since embedded devices confuse control points.
public enum OpenHomeDevice {
  /// For `RootDevice.domain`, `.type` and `.version`.
  public static let domain = "av-openhome-org"
  public static let type = "Source"
  public static let version = 1

  /// All services, in the order of the device description.
  ///
  /// - Parameters:
  ///   - hasReceiver: whether what another room sends can be played.
  ///   - hasSender: whether other rooms can play what this one plays.
  public static func services(
    player: PlayerCore, settings: OpenHomeSettings, logger: Logger, casters: Casters? = nil,
    hasReceiver: Bool = true, hasSender: Bool = true
  ) -> [any ServiceProvider] {
    let receiver: [any ServiceProvider] =
      hasReceiver
      ? [
        ReceiverService(player: player, logger: logger, casters: casters) {
          settings.configuration.sender.zone
        }
      ] : []
    let sender: [any ServiceProvider] = hasSender ? [SenderService(player: player, settings: settings)] : []
    return [
      ProductService(player: player, settings: settings),
      PlaylistService(player: player, logger: logger, casters: casters),
      RadioService(player: player, settings: settings, logger: logger, casters: casters),
      InfoService(player: player, settings: settings),
      TimeService(player: player),
      VolumeService(player: player, settings: settings),
      TransportService(player: player, logger: logger, casters: casters),
      PinsService(player: player, logger: logger, casters: casters),
    ] + receiver + sender
  }

  /// Product, "Attributes": each token names an available service. Rooms can both send and receive, or
  /// neither.
  static func attributes(_ state: PlayerState) -> String {
    "Volume Time Info Transport Pins" + (state.sources.contains(.receiver) ? " Sender Receiver" : "")
  }

  /// The UDN derived from `first`, the MediaRenderer's UDN, both without `uuid:`; stable as long as that one
  /// is.
  ///
  /// A UUID stays a UUID: its last four hexadecimal digits are XORed with 6F68 (`oh`), so that a second
  /// application restores it. Any other name gets the suffix `-OpenHome`.
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
