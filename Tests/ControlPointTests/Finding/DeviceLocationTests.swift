import Network
import Testing

@testable import ControlPoint

@Suite struct DeviceLocationTests {
  private static let loopback = NetworkInterface(
    index: 1, name: "lo", addresses: [InterfaceAddress(address: .v4(0x7f00_0001), prefixLength: 8)],
    isRunning: true, isLoopback: true)

  @Test(arguments: [
    "http://192.168.1.9:80/d.xml", "http://192.168.1.9", "HTTP://192.168.1.9:1/", "http://[fe80::9]:80/d.xml",
    "http://[fe80::9%25eth0]/d.xml",
  ])
  func addressesOnTheLinkAreTaken(url: String) throws {
    let location = try #require(
      DeviceLocation(url, sender: .v4(0xc0a8_0109), interface: TableRig.eth0), "\(url)")
    #expect(location.interface == 2)
    #expect((location.address.interface == 2) == location.address.address.isIPv6)
    #expect(DeviceLocation(location.url, sender: .v4(1), interface: TableRig.eth0) == location)
  }

  @Test(arguments: [
    "https://192.168.1.9/", "http://nas.local/", "http://192.168.2.9/", "http://8.8.8.8/",
    "http://127.0.0.1/",
    "http://[::1]/", "http://192.168.1.9:0/", "http://192.168.1.9:65536/", "http://0.0.0.0/",
    "http://224.0.0.1/",
    "http://192.168.1.255/", "http://255.255.255.255/", "http://[::ffff:192.168.1.9]/", "http://[ff02::c]/",
    "http://user@192.168.1.9/", "http://192.168.1/", "http://0300.168.1.9/", "http://3232235785/", "",
    "file:///etc/passwd", "http://[2001:db8::1]/", "http://192.168.1.9 /",
  ])
  func allOthersAreNot(url: String) {
    #expect(DeviceLocation(url, sender: .v4(0xc0a8_0109), interface: TableRig.eth0) == nil)
  }

  @Test func theLoopbackIsForTheLoopback() {
    let url = "http://127.0.0.1:80/"
    #expect(DeviceLocation(url, sender: .v4(0x7f00_0001), interface: Self.loopback) != nil)
    #expect(DeviceLocation(url, sender: .v4(0xc0a8_0109), interface: Self.loopback) == nil)
    #expect(DeviceLocation(url, sender: .v4(0x7f00_0001), interface: TableRig.eth0) == nil)
  }
}
