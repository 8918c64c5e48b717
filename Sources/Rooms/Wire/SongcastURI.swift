/// Where a sender is (Songcast). ohPipeline and ohSongcast write addresses of these forms.
public enum SongcastURI: Hashable, Sendable {
  /// A zone whose owner says where the sound is: `ohz://239.255.255.250:51972/ZONE`.
  case zone(String)
  /// A multicast stream: `ohm://239.253.H.L:51970`.
  case multicast(IPv4Endpoint)
  /// A unicast stream, by the sender's control socket: `ohu://ADDRESS:PORT`.
  case unicast(IPv4Endpoint)
  /// Nothing is sent now: any `ohm` or `ohu` address with the host 0.0.0.0.
  case silence

  /// All groups of streams begin with 239.253: nothing is sent to another one.
  private static let groups: UInt32 = 0xeffd

  /// Where zones are asked for.
  public static let zones = IPv4Endpoint(address: 0xefff_fffa, port: 51972)

  /// Nil for anything else. Schemes are read in any case, and a stream's address with a path after it.
  public init?(_ text: String) {
    guard text.utf8.count <= 1024, let colon = text.firstIndex(of: ":"),
      text[text.index(after: colon)...].hasPrefix("//")
    else { return nil }
    let rest = text[text.index(colon, offsetBy: 3)...]
    let authority = rest.prefix { $0 != "/" }
    let path = rest.dropFirst(authority.count).dropFirst()
    guard let endpoint = IPv4Endpoint(authority) else { return nil }
    switch text[..<colon].lowercased() {
    case "ohz":
      guard endpoint == Self.zones, (1...256).contains(path.utf8.count) else { return nil }
      self = .zone(String(path))
    case "ohm", "ohu":
      if endpoint.isUnspecified {
        self = .silence
      } else if endpoint.port == 0 || endpoint.isMulticast && endpoint.address >> 16 != Self.groups {
        return nil
      } else {
        self = endpoint.isMulticast ? .multicast(endpoint) : .unicast(endpoint)
      }
    default: return nil
    }
  }

  /// As it is sent to others and shown to them.
  public var text: String {
    switch self {
    case .zone(let zone): "ohz://\(Self.zones)/\(zone)"
    case .multicast(let endpoint): "ohm://\(endpoint)"
    case .unicast(let endpoint): "ohu://\(endpoint)"
    case .silence: "ohu://0.0.0.0:0"
    }
  }

  /// The zone of the device named `name`: at most 256 bytes of it.
  public static func zoneName(_ name: String) -> String {
    var zone = name
    while zone.utf8.count > 256 { zone.removeLast() }
    return zone
  }
}
