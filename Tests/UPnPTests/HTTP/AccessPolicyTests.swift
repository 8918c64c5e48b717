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

  @Test(arguments: [
    ("192.0.2.50", "192.0.2.7", true), ("192.0.3.50", "192.0.2.7", false),
    ("198.51.100.20", "192.0.2.7", true),
    ("198.51.100.200", "198.51.100.7", false), ("10.9.1.1", "192.0.2.7", true),
    ("10.8.1.1", "192.0.2.7", false),
    ("127.0.0.1", "127.0.0.1", true), ("192.0.2.50", "192.0.2.8", false), ("fe80::50", "fe80::7", true),
    ("2001:db8::1", "fe80::7", false), ("192.0.2.50", "127.0.0.1", false),
  ])
  func connections(remote: String, local: String, accepted: Bool) {
    #expect((Self.policy.refusal(remote: Self.ip(remote), local: Self.ip(local)) == nil) == accepted)
  }

  @Test func withoutInterfacesOnlyThisMachineIsServed() {
    let policy = AccessPolicy(allow: [IPNetwork("0.0.0.0/0")].compactMap(\.self))
    #expect(policy.refusal(remote: Self.ip("127.0.0.1"), local: Self.ip("127.0.0.1")) == nil)
    #expect(policy.refusal(remote: Self.ip("192.0.2.50"), local: Self.ip("192.0.2.7")) != nil)
  }

  /// What would be advised has to help.
  @Test func aRefusalSaysWhatIsInTheWay() {
    var policy = Self.policy
    #expect(policy.refusal(remote: Self.ip("10.8.1.1"), local: Self.ip("192.0.2.7")) == .foreignAddress)
    #expect(policy.refusal(remote: Self.ip("10.9.1.1"), local: Self.ip("192.0.2.8")) == .unservedAddress)
    #expect(policy.refusal(remote: Self.ip("192.0.2.50"), local: Self.ip("127.0.0.1")) == .unservedAddress)
    policy.interfaces[0].addresses.append(InterfaceAddress(address: Self.ip("192.0.2.8"), prefixLength: 24))
    #expect(policy.refusal(remote: Self.ip("10.9.1.1"), local: Self.ip("192.0.2.8")) == nil)
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
      let own = Self.ip(own)
      #expect(policy.refusal(remote: neighbour, local: own) == nil)
      #expect(policy.refusal(remote: Self.ip("198.51.100.1"), local: own) == .foreignAddress)
      #expect(policy.accepts(host: "\(own):49494"))
      #expect(policy.mayDeliver(to: neighbour, subscriber: neighbour, local: own))
      #expect(!policy.mayDeliver(to: Self.ip("198.51.100.1"), subscriber: neighbour, local: own))
      #expect(
        !policy.mayDeliver(to: own, subscriber: neighbour, local: Self.ip("192.0.2.7")), "our own services")
    }
    #expect(
      policy.refusal(remote: Self.ip("2001:db8::50"), local: Self.ip("2001:db8::abcd")) == nil, "temporary")
    #expect(policy.refusal(remote: Self.ip("fe80::50"), local: Self.ip("fe80::8")) == nil)

    policy.interfaces = InterfaceSelection(names: ["eth0"]).served(of: [wired, wireless])
    #expect(policy.refusal(remote: neighbour, local: Self.ip("192.0.2.8")) == .unservedAddress)
    #expect(!policy.accepts(host: "192.0.2.8"))
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
      Self.policy.mayDeliver(to: Self.ip(target), subscriber: Self.ip(subscriber), local: Self.ip(local))
        == accepted)
  }
}
