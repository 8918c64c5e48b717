import NIOCore
import Testing

@testable import UPnP

@Suite struct DeviceDescriptionTests {
  @Test func theWholeDocument() {
    let device = Device.fake([FakeService()])
    #expect(
      String(buffer: DeviceDescriptionXML.document(device, configID: 7, base: "http://[fe80::7]:1")) == """
        <?xml version="1.0" encoding="utf-8"?>
        <root xmlns="urn:schemas-upnp-org:device-1-0" configId="7">
        <specVersion><major>1</major><minor>1</minor></specVersion>
        <device>
        <deviceType>urn:schemas-upnp-org:device:MediaRenderer:1</deviceType>
        <friendlyName>Living &lt;Room&gt; &amp; more</friendlyName>
        <manufacturer>Somebody</manufacturer>
        <modelName>Vireo</modelName>
        <UDN>uuid:11111111-2222-3333-4444-555555555555</UDN>
        <x:Y xmlns:x="urn:x">Z</x:Y>
        <iconList>
        <icon><mimetype>image/png</mimetype><width>48</width><height>48</height><depth>24</depth>\
        <url>/11111111-2222-3333-4444-555555555555/icon-48.png</url></icon>
        </iconList>
        <serviceList>
        <service><serviceType>urn:schemas-upnp-org:service:RenderingControl:1</serviceType>\
        <serviceId>urn:upnp-org:serviceId:RenderingControl</serviceId>\
        <SCPDURL>/11111111-2222-3333-4444-555555555555/RenderingControl/scpd.xml</SCPDURL>\
        <controlURL>/11111111-2222-3333-4444-555555555555/RenderingControl/control</controlURL>\
        <eventSubURL>/11111111-2222-3333-4444-555555555555/RenderingControl/event</eventSubURL></service>
        </serviceList>
        <presentationURL>http://[fe80::7]:1/</presentationURL>
        </device>
        </root>

        """)
  }

  @Test func whatIsUnknownIsLeftOut() {
    var device = Device.fake([])
    device.icons = []
    device.presentationPath = nil
    device.serialNumber = ""
    let xml = String(buffer: DeviceDescriptionXML.document(device, configID: nil, base: ""))
    for element in [
      "iconList", "presentationURL", "serialNumber", "modelDescription", "UPC", "URLBase", "configId",
    ] {
      #expect(!xml.contains(element))
    }
  }

  @Test func embeddedDevicesFollowTheServices() {
    var inner = Device(
      type: "MediaServer", version: 2, udn: "abc_MS", friendlyName: "<Files>", manufacturer: "Somebody",
      modelName: "S", services: [FakeService(name: "ContentDirectory")])
    inner.servicePaths = ServicePaths(scpd: "/xml/*1.xml", control: "/MS/*/Control", event: "/MS/*/Event")
    let device = Device(
      type: "MediaRenderer", version: 1, udn: "abc", friendlyName: "Kitchen", manufacturer: "Somebody",
      modelName: "S", presentationPath: "/page", services: [], devices: [inner])
    #expect(
      String(buffer: DeviceDescriptionXML.document(device, configID: 1, base: "http://192.0.2.7:1")) == """
        <?xml version="1.0" encoding="utf-8"?>
        <root xmlns="urn:schemas-upnp-org:device-1-0" configId="1">
        <specVersion><major>1</major><minor>1</minor></specVersion>
        <device>
        <deviceType>urn:schemas-upnp-org:device:MediaRenderer:1</deviceType>
        <friendlyName>Kitchen</friendlyName>
        <manufacturer>Somebody</manufacturer>
        <modelName>S</modelName>
        <UDN>uuid:abc</UDN>
        <serviceList>
        </serviceList>
        <deviceList>
        <device>
        <deviceType>urn:schemas-upnp-org:device:MediaServer:2</deviceType>
        <friendlyName>&lt;Files&gt;</friendlyName>
        <manufacturer>Somebody</manufacturer>
        <modelName>S</modelName>
        <UDN>uuid:abc_MS</UDN>
        <serviceList>
        <service><serviceType>urn:schemas-upnp-org:service:ContentDirectory:1</serviceType>\
        <serviceId>urn:upnp-org:serviceId:ContentDirectory</serviceId>\
        <SCPDURL>/xml/ContentDirectory1.xml</SCPDURL>\
        <controlURL>/MS/ContentDirectory/Control</controlURL>\
        <eventSubURL>/MS/ContentDirectory/Event</eventSubURL></service>
        </serviceList>
        </device>
        </deviceList>
        <presentationURL>http://192.0.2.7:1/page</presentationURL>
        </device>
        </root>

        """)
  }

  @Test func theConfigurationIncludesEmbeddedDevices() {
    let first = Speaker().root()
    #expect(first.configID == Speaker().root().configID)
    var renamed = first
    renamed.device.devices[1].friendlyName = "Bath"
    #expect(renamed.configID != first.configID)
    var smaller = first
    smaller.device.devices[0].services.removeLast()
    #expect(smaller.configID != first.configID)
    var elsewhere = first
    elsewhere.port = 80
    #expect(elsewhere.configID == first.configID, "it isn't part of the description")
  }

  @Test func theConfigurationFollowsDescriptionAndSCPD() {
    let first = RootDevice.fake([FakeService()]).configID
    #expect(first == RootDevice.fake([FakeService()]).configID)
    #expect(first != RootDevice.fake([FakeService()], name: "x").configID)
    #expect(first != RootDevice.fake([FakeService(), FakeService(name: "Other")]).configID)
  }
}
