import Network
import Services
import UPnP

/// What was heard of a zone: an announcement, a response to a search, or a goodbye.
struct ZoneNotice: Sendable, Hashable {
  /// The field in which a zone names its household.
  static let field = "X-RINCON-HOUSEHOLD"
  /// The field in which it counts its starts.
  static let sequenceField = "X-RINCON-BOOTSEQ"
  private static let longestHousehold = 128

  enum Kind: Sendable, Hashable {
    case alive(household: String, bootSequence: Int)
    case goodbye
  }

  var uid: String
  var kind: Kind
  /// The URL of its description; nil for one that isn't asked: it leads elsewhere than where the message came from.
  var location: String?
  var source: IPAddress

  init(uid: String, kind: Kind, location: String?, source: IPAddress) {
    (self.uid, self.kind, self.location, self.source) = (uid, kind, location, source)
  }

  /// Reads a datagram; nil for one that isn't about a zone.
  ///
  /// - Parameter isServed: whether an address is on a network that this host serves.
  init?(
    datagram: some Collection<UInt8>, from source: IPAddress, isServed: (IPAddress) -> Bool
  ) {
    guard let notice = SSDPNotice(datagram: datagram) else { return nil }
    switch notice.kind {
    case .alive, .response:
      guard let household = SSDPNotice.value(of: Self.field, in: datagram),
        (1...Self.longestHousehold).contains(household.utf8.count)
      else { return nil }
      let sequence = SSDPNotice.value(of: Self.sequenceField, in: datagram).flatMap { Int($0) } ?? 0
      kind = .alive(household: household, bootSequence: sequence)
    case .byebye: kind = .goodbye
    case .update: return nil
    }
    uid = notice.udn
    self.source = source.unmapped
    location = notice.location.flatMap { text in
      guard ZoneIdentity.isUID(notice.udn), let url = CallbackURL(text), url.port == ZoneIdentity.port,
        url.target == ZoneDevice.descriptionPath, !url.address.isIPv6, url.address == source.unmapped,
        isServed(url.address)
      else { return nil }
      return "http://\(url.address):\(url.port)\(url.target)"
    }
  }
}
