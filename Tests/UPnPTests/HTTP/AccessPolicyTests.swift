import Network
import Testing

@testable import UPnP

@Suite struct AccessPolicyTests {
  static let policy: AccessPolicy = {
    var policy = AccessPolicy(
      allow: [IPNetwork("10.9.0.0/16")].compactMap(\.self), names: ["Kitchen", "kitchen.local"])
    policy.interfaces = [
      NetworkInterface(
        index: 2, name: "eth0",
        addresses: [
          InterfaceAddress(address: ip("192.0.2.7"), prefixLength: 24),
          InterfaceAddress(address: ip("fe80::7"), prefixLength: 64),
        ], isRunning: true, isLoopback: false),
      NetworkInterface(
        index: 3, name: "wlan0",
        addresses: [InterfaceAddress(address: ip("198.51.100.7"), prefixLength: 25)], isRunning: true,
        isLoopback: false),
    ]
    return policy
  }()

  static func ip(_ text: String) -> IPAddress { IPAddress(text) ?? .v4(0) }

  /// - Parameter scope: as the kernel tells it: with link-local addresses only.
  static func peer(_ remote: String, at local: String, scope: Int = 2) -> Peer {
    let (remote, local) = (ip(remote), ip(local))
    return Peer(
      remote: remote, local: local, localPort: 49494,
      scope: remote.needsScope || local.needsScope ? scope : nil)
  }

  @Test(arguments: [
    ("192.0.2.50", "192.0.2.7", true), ("192.0.3.50", "192.0.2.7", false),
    ("198.51.100.20", "192.0.2.7", true),
    ("198.51.100.200", "198.51.100.7", false), ("10.9.1.1", "192.0.2.7", true),
    ("10.8.1.1", "192.0.2.7", false),
    ("127.0.0.1", "127.0.0.1", true), ("192.0.2.50", "192.0.2.8", false), ("fe80::50", "fe80::7", true),
    ("2001:db8::1", "fe80::7", false), ("192.0.2.50", "127.0.0.1", false),
  ])
  func connections(remote: String, local: String, accepted: Bool) {
    #expect((Self.policy.refusal(Self.peer(remote, at: local)) == nil) == accepted)
  }

  @Test func withoutInterfacesOnlyThisMachineIsServed() {
    let policy = AccessPolicy(allow: [IPNetwork("0.0.0.0/0")].compactMap(\.self))
    #expect(policy.refusal(Self.peer("127.0.0.1", at: "127.0.0.1")) == nil)
    #expect(policy.refusal(Self.peer("192.0.2.50", at: "192.0.2.7")) != nil)
  }

  /// What would be advised has to help.
  @Test func aRefusalSaysWhatIsInTheWay() {
    var policy = Self.policy
    #expect(policy.refusal(Self.peer("10.8.1.1", at: "192.0.2.7")) == .foreignAddress)
    #expect(policy.refusal(Self.peer("10.9.1.1", at: "192.0.2.8")) == .unservedAddress)
    #expect(policy.refusal(Self.peer("192.0.2.50", at: "127.0.0.1")) == .unservedAddress)
    policy.interfaces[0].addresses.append(InterfaceAddress(address: Self.ip("192.0.2.8"), prefixLength: 24))
    #expect(policy.refusal(Self.peer("10.9.1.1", at: "192.0.2.8")) == nil)
  }

  /// Two interfaces in one network, of which one is announced: a name of this host leads to the other one as well.
  @Test func everyAddressOfAServedNetworkIsOurs() {
    func interface(_ index: Int, _ name: String, _ addresses: (String, Int)...) -> NetworkInterface {
      NetworkInterface(
        index: index, name: name,
        addresses: addresses.map { InterfaceAddress(address: Self.ip($0.0), prefixLength: $0.1) },
        isRunning: true, isLoopback: false)
    }
    let (wired, wireless) = (
      interface(2, "eth0", ("192.0.2.7", 24), ("2001:db8::7", 64), ("2001:db8::abcd", 64)),
      interface(3, "wlan0", ("192.0.2.8", 24), ("fe80::8", 64))
    )
    var policy = AccessPolicy()
    policy.interfaces = InterfaceSelection().served(of: [wired, wireless])
    let neighbour = Self.ip("192.0.2.50")
    for own in ["192.0.2.7", "192.0.2.8"] {
      let peer = Self.peer("192.0.2.50", at: own)
      #expect(policy.refusal(peer) == nil)
      #expect(policy.refusal(Self.peer("198.51.100.1", at: own)) == .foreignAddress)
      #expect(policy.accepts(host: "\(own):49494"))
      #expect(policy.mayDeliver(to: neighbour, subscriber: peer))
      #expect(!policy.mayDeliver(to: Self.ip("198.51.100.1"), subscriber: peer))
      #expect(
        !policy.mayDeliver(to: Self.ip(own), subscriber: Self.peer("192.0.2.50", at: "192.0.2.7")),
        "our own services")
    }
    #expect(
      policy.refusal(Self.peer("2001:db8::50", at: "2001:db8::abcd")) == nil, "temporary")
    #expect(policy.refusal(Self.peer("fe80::50", at: "fe80::8", scope: 3)) == nil)

    policy.interfaces = InterfaceSelection(names: ["eth0"]).served(of: [wired, wireless])
    #expect(policy.refusal(Self.peer("192.0.2.50", at: "192.0.2.8")) == .unservedAddress)
    #expect(!policy.accepts(host: "192.0.2.8"))
  }

  private static func interface(_ index: Int, _ addresses: (String, Int)...) -> NetworkInterface {
    NetworkInterface(
      index: index, name: "eth\(index)",
      addresses: addresses.map { InterfaceAddress(address: ip($0.0), prefixLength: $0.1) }, isRunning: true,
      isLoopback: false)
  }

  /// A card and its VLANs have one address on all their links, unless somebody takes care that they don't.
  @Test func twoLinksMayHaveTheSameAddresses() {
    var policy = AccessPolicy()
    policy.interfaces = [
      Self.interface(2, ("fe80::1", 64)), Self.interface(3, ("fe80::1", 64), ("fe80::7", 64)),
    ]
    for scope in [2, 3] {
      let peer = Self.peer("fe80::50", at: "fe80::1", scope: scope)
      #expect(policy.refusal(peer) == nil)
      #expect(policy.link(of: peer)?.index == scope)
      #expect(policy.mayDeliver(to: Self.ip("fe80::50"), subscriber: peer))
    }
    #expect(policy.accepts(host: "[fe80::1]:49494"))
    // What is ours on one of them is a neighbour's on the other.
    let twin = Self.ip("fe80::7")
    #expect(policy.mayDeliver(to: twin, subscriber: Self.peer("fe80::7", at: "fe80::1", scope: 2)))
    #expect(policy.mayDeliver(to: twin, subscriber: Self.peer("fe80::50", at: "fe80::1", scope: 2)))
    #expect(!policy.mayDeliver(to: twin, subscriber: Self.peer("fe80::50", at: "fe80::1", scope: 3)))
    #expect(policy.mayDeliver(to: twin, subscriber: Self.peer("fe80::7", at: "fe80::1", scope: 3)), "our own")
    #expect(policy.refusal(Self.peer("fe80::50", at: "fe80::7", scope: 2)) == .unservedAddress)
  }

  @Test func aLinkThatIsNotServedIsNotServedByItsAddress() {
    var policy = AccessPolicy()
    policy.interfaces = [Self.interface(2, ("fe80::1", 64), ("2001:db8::1", 64))]
    #expect(policy.refusal(Self.peer("fe80::50", at: "fe80::1", scope: 3)) == .unservedAddress)
    #expect(policy.refusal(Self.peer("fe80::50", at: "2001:db8::1", scope: 3)) == .foreignAddress)
    #expect(
      !policy.mayDeliver(to: Self.ip("fe80::50"), subscriber: Self.peer("fe80::50", at: "fe80::1", scope: 3)))
    let unknown = Peer(remote: Self.ip("fe80::50"), local: Self.ip("fe80::1"), localPort: 1)
    #expect(policy.refusal(unknown) == .unservedAddress)
  }

  @Test(arguments: [
    ("192.0.2.7", true), ("192.0.2.7:49494", true), ("192.0.2.7:1", true), ("198.51.100.7:49494", true),
    ("127.0.0.1:1", true), ("[::1]:80", true), ("[fe80::7]:49494", true), ("[fe80::7%eth0]:49494", true),
    ("localhost", true), ("KITCHEN", true), ("kitchen.local:49494", true), ("kitchen.local.", true),
    ("192.0.2.8", false), ("evil.example:49494", false), ("", false), ("192.0.2.7:99999", false),
    ("192.0.2.7:", true), ("192.0.2.7@evil.example", false), ("[fe80::7", false), ("fe80::7", false),
    ("192.0.2.7.evil.example", false), ("[::1]80", false),
  ])
  func hosts(host: String, accepted: Bool) {
    #expect(Self.policy.accepts(host: host) == accepted)
  }

  @Test(arguments: [
    ("192.0.2.50", "192.0.2.50", "192.0.2.7", true),
    // Another host of the same link is allowed: the subscriber's other address, or a proxy of it.
    ("192.0.2.51", "192.0.2.50", "192.0.2.7", true),
    ("203.0.113.1", "192.0.2.50", "192.0.2.7", false),
    ("198.51.100.20", "192.0.2.50", "192.0.2.7", false),
    ("198.51.100.20", "192.0.2.50", "198.51.100.7", false),
    ("198.51.100.20", "198.51.100.20", "192.0.2.7", false),
    ("192.0.2.255", "192.0.2.50", "192.0.2.7", false),
    ("192.0.2.0", "192.0.2.50", "192.0.2.7", false),
    ("255.255.255.255", "192.0.2.50", "192.0.2.7", false),
    ("239.255.255.250", "192.0.2.50", "192.0.2.7", false),
    ("0.0.0.0", "192.0.2.50", "192.0.2.7", false),
    ("127.0.0.1", "192.0.2.50", "192.0.2.7", false),
    ("::ffff:127.0.0.1", "192.0.2.50", "192.0.2.7", false),
    ("192.0.2.7", "192.0.2.50", "192.0.2.7", false),
    ("192.0.2.7", "192.0.2.7", "192.0.2.7", true),
    ("127.0.0.1", "127.0.0.1", "127.0.0.1", true),
    ("192.0.2.50", "127.0.0.1", "127.0.0.1", false),
    ("fe80::51", "fe80::50", "fe80::7", true),
    ("2001:db8::1", "fe80::50", "fe80::7", false),
    ("10.9.1.1", "10.9.1.1", "192.0.2.7", true),
    ("10.9.1.2", "10.9.1.1", "192.0.2.7", false),
    ("192.0.2.50", "10.9.1.1", "192.0.2.7", false),
  ])
  func callbacks(target: String, subscriber: String, local: String, accepted: Bool) {
    #expect(
      Self.policy.mayDeliver(to: Self.ip(target), subscriber: Self.peer(subscriber, at: local))
        == accepted)
  }
}
