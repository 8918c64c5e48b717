import Rooms
import Threads

/// The networks on which other rooms are heard.
public final class RoomNetworks: Sendable {
  private let links = SharedState<[IPv4Link]?>(nil)

  public init() {}

  /// Those that were set, else all of this host.
  public var current: [IPv4Link] { links.withLock { $0 } ?? HostLinks.current }

  /// Other rooms are heard on these from now on.
  public func set(_ networks: [IPv4Link]) { links.withLock { $0 = networks } }
}
