/// What the host of the player keeps between runs.
public struct HostState: Sendable, Hashable {
  /// What can be decoded, and by what, so that nobody has to look at each start.
  public struct Formats: Sendable, Hashable {
    /// Stands for the decoders that were looked at; any text.
    public var key: String
    /// At most 500, of printable ASCII without blanks, 200 bytes each; others are not kept.
    public var mimeTypes: [String]

    public init(key: String, mimeTypes: [String]) {
      self.key = key
      self.mimeTypes = mimeTypes
    }
  }

  /// BOOTID.UPNP.ORG of the last start; 0 before the first (UPnP Device Architecture, "BOOTID").
  public var bootID: UInt32
  /// 32 hexadecimal digits that stand in for the machine's id where it has none.
  public var installationID: String?
  public var formats: Formats?

  public init(bootID: UInt32 = 0, installationID: String? = nil, formats: Formats? = nil) {
    self.bootID = bootID
    self.installationID = installationID
    self.formats = formats
  }
}
