/// A message about zones (Songcast, OHZ): who plays what where.
public enum OHZMessage: Hashable, Sendable {
  case query(zone: String)
  case uri(zone: String, uri: String)

  private static let tag: [UInt8] = Array("Ohz ".utf8)
  private static let longest = 1024

  /// Nil for what isn't one of these, or is longer than 1 KiB.
  public init?(_ datagram: ArraySlice<UInt8>) {
    guard datagram.count <= Self.longest, let (type, body) = OHMMessage.head(datagram, tag: Self.tag) else {
      return nil
    }
    var reader = ByteReader(body)
    guard let zoneBytes = reader.uint32() else { return nil }
    switch type {
    case 0:
      guard let zone = reader.take(Int(zoneBytes)) else { return nil }
      self = .query(zone: String(decoding: zone, as: UTF8.self))
    case 1:
      guard let uriBytes = reader.uint32(), let zone = reader.take(Int(zoneBytes)),
        let uri = reader.take(Int(uriBytes))
      else { return nil }
      self = .uri(zone: String(decoding: zone, as: UTF8.self), uri: String(decoding: uri, as: UTF8.self))
    default: return nil
    }
  }

  /// Asks where `zone` plays.
  public static func queryDatagram(zone: String) -> [UInt8] {
    var body: [UInt8] = []
    body.append(number: UInt32(clamping: zone.utf8.count))
    return OHMMessage.datagram(tag: tag, type: 0, body + Array(zone.utf8))
  }

  /// Says where `zone` plays.
  static func uriDatagram(zone: String, uri: String) -> [UInt8] {
    var body: [UInt8] = []
    body.append(number: UInt32(clamping: zone.utf8.count))
    body.append(number: UInt32(clamping: uri.utf8.count))
    body += zone.utf8
    body += uri.utf8
    return OHMMessage.datagram(tag: tag, type: 1, body)
  }
}
