import SCPD
import Testing

@testable import UPnP

@Suite struct AdvertisementTests {
  private let set = AdvertisementSet([DiscoveryFixture.renderer, DiscoveryFixture.source])

  @Test func announcesEverythingOnce() {
    #expect(
      set.devices.map { $0.map { "\($0.target) \($0.usn)" } } == [
        [
          "upnp:rootdevice uuid:X-MediaRenderer::upnp:rootdevice",
          "uuid:X-MediaRenderer uuid:X-MediaRenderer",
          "urn:schemas-upnp-org:device:MediaRenderer:1 uuid:X-MediaRenderer::urn:schemas-upnp-org:device:MediaRenderer:1",
          "urn:schemas-upnp-org:service:AVTransport:1 uuid:X-MediaRenderer::urn:schemas-upnp-org:service:AVTransport:1",
          "urn:schemas-upnp-org:service:RenderingControl:1 uuid:X-MediaRenderer::urn:schemas-upnp-org:service:RenderingControl:1",
          "urn:schemas-upnp-org:service:ConnectionManager:1 uuid:X-MediaRenderer::urn:schemas-upnp-org:service:ConnectionManager:1",
        ],
        [
          "upnp:rootdevice uuid:X::upnp:rootdevice",
          "uuid:X uuid:X",
          "urn:av-openhome-org:device:Source:1 uuid:X::urn:av-openhome-org:device:Source:1",
          "urn:av-openhome-org:service:Product:4 uuid:X::urn:av-openhome-org:service:Product:4",
          "urn:av-openhome-org:service:Volume:4 uuid:X::urn:av-openhome-org:service:Volume:4",
          "urn:av-openhome-org:service:Playlist:1 uuid:X::urn:av-openhome-org:service:Playlist:1",
        ],
      ])
  }

  @Test func servicesOfOneTypeShareAMessage() {
    var device = DiscoveryFixture.source
    device.device.services.insert(
      FakeService(name: "Product", version: 2, domain: "av-openhome-org", idDomain: "av-openhome-org"), at: 0)
    device.device.services.append(device.device.services[0])
    let targets = AdvertisementSet([device]).devices[0].map(\.target)
    #expect(targets.filter { $0.contains("Product") } == ["urn:av-openhome-org:service:Product:4"])
    #expect(targets.count == 6)
  }

  @Test func aDeviceSaysWhereItsDescriptionIs() {
    var root = RootDevice(
      Device(
        type: "MediaRenderer", version: 1, udn: "abc", friendlyName: "", manufacturer: "", modelName: "",
        services: []))
    #expect(
      AdvertisementSet([root]).devices[0].map(\.constants.descriptionPath)
        == .init(repeating: "/abc/device.xml", count: 3))
    root.descriptionPath = "/xml/description.xml"
    #expect(AdvertisementSet([root]).devices[0].first?.constants.descriptionPath == "/xml/description.xml")
  }

  private func found(_ target: String) -> [[String]] { set.matches(target).map { $0.map(\.usn) } }

  @Test func findsAll() {
    #expect(set.matches("ssdp:all") == set.devices)
    #expect(
      found("upnp:rootdevice") == [
        ["uuid:X-MediaRenderer::upnp:rootdevice"], ["uuid:X::upnp:rootdevice"],
      ])
  }

  @Test func findsDevicesByName() {
    #expect(found("uuid:X") == [["uuid:X"]])
    #expect(found("uuid:x-mediarenderer") == [["uuid:X-MediaRenderer"]])
    #expect(found("uuid:Y").isEmpty)
    #expect(found("uuid:").isEmpty)
    #expect(found("X").isEmpty)
  }

  @Test func echoesTheVersionAskedFor() {
    #expect(
      found("urn:av-openhome-org:service:Product:1") == [["uuid:X::urn:av-openhome-org:service:Product:1"]])
    #expect(
      found("urn:av-openhome-org:service:Product:4") == [["uuid:X::urn:av-openhome-org:service:Product:4"]])
    #expect(set.matches("urn:av-openhome-org:service:Product:2").first?.first?.target.hasSuffix(":2") == true)
    #expect(
      found("urn:schemas-upnp-org:device:MediaRenderer:1") == [
        ["uuid:X-MediaRenderer::urn:schemas-upnp-org:device:MediaRenderer:1"]
      ])
  }

  @Test(arguments: [
    "urn:av-openhome-org:service:Product:5", "urn:av-openhome-org:service:Product:0",
    "urn:av-openhome-org:service:Product:-1", "urn:av-openhome-org:service:Product:+1",
    "urn:av-openhome-org:service:Product:01", "urn:av-openhome-org:service:Product:",
    "urn:av-openhome-org:service:Product", "urn:av-openhome-org:service:Product:1:1",
    "urn:av-openhome-org:service:Product:99999999999999999999", "urn:av-openhome-org:device:Product:1",
    "urn:schemas-upnp-org:service:Product:1", "urn:av.openhome.org:service:Product:1",
    "urn:av-openhome-org:service:product:1", "ssdp:ALL", "upnp:rootdevices", ":1", ":", "1", "*",
  ])
  func isSilentForTheRest(target: String) {
    #expect(found(target).isEmpty)
  }
}
