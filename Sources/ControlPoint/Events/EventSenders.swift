import HTTP
import Network

/// Who may send the events of a device: the device itself, which may have several addresses on a link (cable and Wi-Fi, or
/// those of IPv6), and sends from any of them.
package struct EventSenders: Sendable {
  private let device: IPAddress
  private let own: IPAddress?
  private let interfaces: [NetworkInterface]

  /// - Parameters:
  ///   - device: its address, as it is known.
  ///   - own: the address of ours that the events come to.
  ///   - interfaces: this host's.
  package init(_ device: IPAddress, own: IPAddress?, interfaces: [NetworkInterface]) {
    self.device = device.unmapped
    self.own = own?.unmapped
    // Only those that the events may come by.
    self.interfaces = interfaces.filter { interface in
      interface.addresses.contains { $0.address == own }
    }
  }

  package func contains(_ peer: Peer) -> Bool {
    let remote = peer.remote.unmapped
    if device == remote { return true }
    guard let own, own.isIPv6 == remote.isIPv6, !remote.isLoopback else { return false }
    return interfaces.contains {
      (peer.scope ?? $0.index) == $0.index && $0.address(reaching: remote) != nil
    }
  }
}
