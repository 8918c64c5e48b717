/// State that the daemon itself keeps between runs.
public struct HostState: Sendable, Hashable {
  /// The formats that can be decoded, saved so that not every start has to probe the decoders.
  public struct Formats: Sendable, Hashable {
    /// Identifies the set of decoders that was probed; any string.
    public var key: String
    /// MIME types: at most 500, each 1 to 200 bytes of printable ASCII without blanks; others are dropped.
    public var mimeTypes: [String]

    public init(key: String, mimeTypes: [String]) {
      self.key = key
      self.mimeTypes = mimeTypes
    }
  }

  /// BOOTID.UPNP.ORG of the last start; 0 before the first (UPnP Device Architecture, "BOOTID").
  public var bootID: UInt32
  /// 32 hexadecimal digits that replace the machine ID on a system without one.
  public var installationID: String?
  public var formats: Formats?
  /// True while the hooks have been told that playback started, but not that it stopped. A run that finds this set
  /// follows one that was killed.
  public var owesStop: Bool
  /// The last time that reports of what was heard have been given, in milliseconds since 1970; 0 for none.
  public var reportsTime: Int64
  /// Until when nothing is reported, as text of whoever reports; nil for no pause.
  public var reportsPause: String?
  /// The party that is going on, as its own text; nil for none.
  public var party: String?
  /// What controllers have set in the zone, as its own text; nil for nothing.
  public var zone: String?

  public init(
    bootID: UInt32 = 0, installationID: String? = nil, formats: Formats? = nil, owesStop: Bool = false,
    reportsTime: Int64 = 0, reportsPause: String? = nil, party: String? = nil,
    zone: String? = nil
  ) {
    self.bootID = bootID
    self.installationID = installationID
    self.formats = formats
    self.owesStop = owesStop
    self.reportsTime = reportsTime
    self.reportsPause = reportsPause
    self.party = party
    self.zone = zone
  }
}
