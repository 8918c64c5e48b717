import Network
import UPnP

/// Where the description of a device is, and the interface of ours that leads there.
public struct DeviceLocation: Sendable, Hashable {
  /// The URL of the description: `http` with a literal address.
  public let url: String
  public let address: ServiceAddress
  /// The index of the interface by which the device was heard; 0 for one behind a router.
  public let interface: Int

  /// Checks what an announcement or a response names as its location.
  ///
  /// Anybody can send one, so it must not lead this host anywhere else: only to a literal address on the link that it came
  /// by, and to this host's loopback only from there.
  ///
  /// - Parameter sender: the address that the datagram came from.
  init?(_ text: String, sender: IPAddress, interface: NetworkInterface) {
    guard let address = ServiceAddress(url: text, on: interface, isOfLoopback: sender.isLoopback) else {
      return nil
    }
    self.init(address, interface: interface.index)
  }

  /// A location that somebody of this host names.
  ///
  /// - Parameter interface: the one that reaches it; nil for a host behind a router.
  init(_ url: CallbackURL, on interface: NetworkInterface?) {
    self.init(
      ServiceAddress(
        address: url.address, port: url.port, interface: url.address.needsScope ? interface?.index : nil,
        target: url.target), interface: interface?.index ?? 0)
  }

  private init(_ address: ServiceAddress, interface: Int) {
    self.address = address
    self.interface = interface
    // Written anew: a scope in it means nothing to others.
    url = "http://\(address.address.urlHost):\(address.port)\(address.target)"
  }

  /// Two locations with the same one are ways to one address of a device, or one device has taken the place of another.
  var link: Link {
    Link(interface: interface, isIPv6: address.address.isIPv6, isLinkLocal: address.address.isLinkLocal)
  }

  struct Link: Hashable {
    var interface: Int
    var isIPv6: Bool
    var isLinkLocal: Bool
  }
}

extension ServiceAddress {
  /// Takes an absolute URL apart; nil unless it leads to the host of `other`.
  init?(url: String, atHostOf other: ServiceAddress) {
    guard let url = CallbackURL(url), url.address == other.address else { return nil }
    self.init(address: url.address, port: url.port, interface: other.interface, target: url.target)
  }

  /// Takes an absolute URL apart; nil unless it is `http` with a literal address of one host on the link of `interface`.
  ///
  /// - Parameter isOfLoopback: whether it was named by this host itself, so that it may lead to the loopback.
  init?(url: String, on interface: NetworkInterface, isOfLoopback: Bool) {
    guard let url = CallbackURL(url), !url.address.isIPv4Mapped, isOfLoopback || !url.address.isLoopback,
      interface.address(reaching: url.address) != nil
    else { return nil }
    self.init(
      address: url.address, port: url.port, interface: url.address.needsScope ? interface.index : nil,
      target: url.target)
  }
}
