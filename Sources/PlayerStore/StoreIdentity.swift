/// What the host keeps between runs besides the player's state.
public struct StoreIdentity: Sendable, Hashable {
  /// BOOTID.UPNP.ORG of the last start; 0 before the first (UPnP Device Architecture, "BOOTID").
  public var bootID: UInt32
  /// 32 hexadecimal digits that stand in for the machine's id where it has none.
  public var installationID: String?

  public init(bootID: UInt32 = 0, installationID: String? = nil) {
    self.bootID = bootID
    self.installationID = installationID
  }
}
