import NIOCore
import Testing

@testable import UPnP

@Suite struct DeviceDescriptionTests {
  @Test func theWholeDocument() {
    let device = RootDevice.fake([FakeService()])
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
    var device = RootDevice.fake([])
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

  @Test func theConfigurationFollowsDescriptionAndSCPD() {
    let first = RouteTable(devices: [.fake([FakeService()])]).configID
    #expect(first == RouteTable(devices: [.fake([FakeService()])]).configID)
    #expect(first != RouteTable(devices: [.fake([FakeService()], name: "x")]).configID)
    #expect(
      first != RouteTable(devices: [.fake([FakeService(), FakeService(name: "Other")])]).configID)
  }
}
