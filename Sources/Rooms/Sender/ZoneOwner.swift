/// The owner of a zone of Songcast: says where its room plays, when it is asked and when that changes. Pure.
///
/// All that it sends goes to the group ``SongcastURI/zones``: receivers hear nothing else. Times are nanoseconds of this
/// host's monotonic clock.
public struct ZoneOwner: Sendable {
  /// A change is told so often, since a datagram may be lost.
  private static let announcements = 3
  private static let pause: Int64 = 100_000_000

  public let zone: String
  /// This host's addresses and networks. Who is elsewhere isn't answered.
  public var links: [IPv4Link]
  /// Where the room plays.
  public private(set) var uri: SongcastURI
  /// When ``timePassed(at:)`` is to be called; nil while nothing is to be told.
  public private(set) var deadline: Int64?
  private var untold = 0
  private var answers = AnswerLimit(perSecond: 20)

  /// - Parameters:
  ///   - zone: the device's UDN without `uuid:`. What is longer than 256 bytes is cut off.
  ///   - uri: a stream. A room that itself listens to another one names the stream that it hears.
  public init(zone: String, uri: SongcastURI = .silence, links: [IPv4Link]) {
    self.zone = SongcastURI.zoneName(zone)
    self.uri = uri
    self.links = links
  }

  /// The answer to a question for this zone, to be sent once to ``SongcastURI/zones``. Nil for all else, and in a flood.
  public mutating func receive(_ datagram: ArraySlice<UInt8>, from source: IPv4Endpoint, at now: Int64)
    -> [UInt8]?
  {
    guard links.contains(where: { $0.contains(source.address) }),
      case .query(zone)? = OHZMessage(datagram), answers.allows(at: now)
    else { return nil }
    return told
  }

  /// The room plays elsewhere from now on, which is told three times, 100 ms apart, and first at once by
  /// ``timePassed(at:)``.
  public mutating func setURI(_ uri: SongcastURI, at now: Int64) {
    guard uri != self.uri else { return }
    self.uri = uri
    untold = Self.announcements
    deadline = now
  }

  /// What is to be sent to ``SongcastURI/zones`` now.
  public mutating func timePassed(at now: Int64) -> [UInt8]? {
    guard let due = deadline, due <= now else { return nil }
    untold -= 1
    deadline = untold > 0 ? now &+ Self.pause : nil
    return told
  }

  private var told: [UInt8] { OHZMessage.uriDatagram(zone: zone, uri: uri.text) }
}
