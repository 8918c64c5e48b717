import NIOCore
import Testing
import XML

@testable import UPnP

@Suite struct RootDescriptionTests {
  private func read(_ text: String) throws(XMLError) -> RootDescription {
    try RootDescription.read(ByteBuffer(string: text))
  }

  private func device(_ inside: String, udn: String = "uuid:a") -> String {
    "<device><deviceType>urn:schemas-upnp-org:device:MediaServer:1</deviceType><UDN>\(udn)</UDN>\(inside)</device>"
  }

  private func root(_ inside: String) -> String {
    "<?xml version=\"1.0\"?><root xmlns=\"urn:schemas-upnp-org:device-1-0\">\(inside)</root>"
  }

  private func service(_ name: String, _ control: String = "/control") -> String {
    "<service><serviceType>urn:schemas-upnp-org:service:\(name):1</serviceType>"
      + "<serviceId>urn:upnp-org:serviceId:\(name)</serviceId><SCPDURL>/scpd</SCPDURL>"
      + "<controlURL>\(control)</controlURL><eventSubURL/></service>"
  }

  /// What we serve, we read.
  @Test func ourOwnDescription() throws {
    var fake = Device.fake([FakeService(), FakeService(name: "Other", version: 3)])
    fake.serialNumber = "1 2"
    fake.modelURL = "http://192.0.2.80/m"
    let document = DeviceDescriptionXML.document(fake, configID: 7, base: "http://192.0.2.7:1")
    let read = try RootDescription.read(document)
    #expect(read.configID == 7 && read.base == nil)
    let device = read.device
    #expect(device.deviceType == fake.deviceType && device.udn == fake.udn)
    #expect(device.friendlyName == fake.friendlyName && device.manufacturer == "Somebody")
    #expect(device.modelName == "Vireo" && device.modelURL == fake.modelURL && device.serialNumber == "1 2")
    #expect(device.manufacturerURL == nil && device.modelDescription == "")
    #expect(device.presentationURL == "http://192.0.2.7:1/")
    #expect(
      device.icons == [
        .init(mimeType: "image/png", width: 48, height: 48, url: "\(Device.fakePath)/icon-48.png")
      ])
    #expect(device.services.map(\.type) == fake.services.map(\.identity.type))
    #expect(device.services.map(\.id) == fake.services.map(\.identity.id))
    let event = "\(Device.fakePath)/RenderingControl/event"
    #expect(device.services[0].eventURL == event)
    #expect(read.resolved(event, location: "http://192.0.2.7:1/d/x.xml") == "http://192.0.2.7:1\(event)")
  }

  /// What we serve of embedded devices, we read.
  @Test func ourOwnEmbeddedDevices() throws {
    let speaker = Speaker().root().device
    let read = try RootDescription.read(
      DeviceDescriptionXML.document(speaker, configID: 7, base: "http://192.0.2.7:1400")
    ).device
    #expect(read.udn == speaker.udn && read.friendlyName == "Kitchen & more")
    #expect(read.icons.map(\.url) == ["/img/icon-S18.png"])
    #expect(read.services.map(\.controlURL) == ["/DeviceProperties/Control"])
    #expect(read.devices.map(\.udn) == speaker.devices.map(\.udn))
    #expect(read.devices.map(\.deviceType) == speaker.devices.map(\.deviceType))
    #expect(
      read.devices.flatMap(\.services).map(\.eventURL) == [
        "/MediaServer/ContentDirectory/Event", "/MediaServer/ConnectionManager/Event",
        "/MediaRenderer/RenderingControl/Event", "/MediaRenderer/ConnectionManager/Event",
      ])
    #expect(
      read.devices[0].services.map(\.scpdURL) == [
        "/xml/ContentDirectory1.xml", "/xml/ConnectionManager1.xml",
      ])
    #expect(read.devices.flatMap(\.devices).isEmpty)
  }

  @Test func relativeURLsBelongToTheBase() throws {
    let plain = try read(root(device("")))
    #expect(plain.resolved("c", location: "http://192.0.2.9:1/a/d.xml") == "http://192.0.2.9:1/a/c")
    let based = try read(root("<URLBase>http://192.0.2.9:49152/</URLBase>" + device("")))
    #expect(based.resolved("upnp/c", location: "http://x/a/d.xml") == "http://192.0.2.9:49152/upnp/c")
    let relative = try read(root("<URLBase>/b/</URLBase>" + device("")))
    #expect(relative.resolved("upnp/c", location: "http://x/a/d.xml") == "http://x/b/upnp/c")
    let absolute = "http://192.0.2.10/c"
    #expect(based.resolved(absolute, location: "http://x/") == absolute)
  }

  @Test func spaceAndMissingElementsAreTaken() throws {
    let text = root(
      "<device>\n<deviceType>\n urn:x:device:D:1 </deviceType><UDN>A-b</UDN><serviceList>\n"
        + service("S") + service("T", "") + "</serviceList><iconList/><friendlyName/></device>")
    let device = try read(text).device
    #expect(device.deviceType == "urn:x:device:D:1" && device.udn == "A-b", "without its prefix")
    #expect(device.friendlyName == "" && device.icons.isEmpty)
    #expect(device.services.map(\.id) == ["urn:upnp-org:serviceId:S"], "who can't be called is no service")
    #expect(device.services[0].eventURL == nil)
  }

  @Test(arguments: [
    // An ampersand that isn't escaped.
    "<root><device><deviceType>urn:x:device:D:1</deviceType><UDN>uuid:a</UDN><friendlyName>Tom & Ann</friendlyName></device></root>",
    // Cut off.
    "<root><device><deviceType>urn:x:device:D:1</deviceType><UDN>uuid:a</UDN><friendlyName>Tom &amp; Ann",
    // An undeclared prefix, a byte order mark, and what a C string ends with.
    "\u{feff}<root><device><deviceType>urn:x:device:D:1</deviceType><dlna:X_DLNADOC>M</dlna:X_DLNADOC><UDN>uuid:a</UDN><friendlyName>Tom &amp; Ann</friendlyName></device></root>\u{0}",
    // No root element.
    "<device><deviceType>urn:x:device:D:1</deviceType><UDN>uuid:a</UDN><friendlyName>Tom &amp; Ann</friendlyName></device>",
  ])
  func defectsOfRealDevices(text: String) throws {
    #expect(try read(text).device.friendlyName == "Tom & Ann")
  }

  @Test func otherEncodings() throws {
    let text = root(device("<friendlyName>B\u{fc}ro</friendlyName>"))
    let latin1 = ByteBuffer(bytes: text.unicodeScalars.map { UInt8($0.value) })
    #expect(try RootDescription.read(latin1).device.friendlyName == "Büro")
  }

  @Test(arguments: [
    "", "<html><body>404</body></html>", "<root/>", "<root><device/></root>", "{\"a\": 1}",
    "<root><device><UDN>uuid:a</UDN></device></root>", "<!DOCTYPE a><root/>",
    "<root><device><deviceType>urn:a\r\nX: y</deviceType><UDN>uuid:a</UDN></device></root>",
  ])
  func whatDescribesNoDevice(text: String) { #expect(throws: XMLError.malformed) { try read(text) } }

  @Test func embeddedDevices() throws {
    let inner = device("<serviceList>\(service("S"))</serviceList>", udn: "uuid:b")
    let read = try read(root(device("<deviceList>\(inner)<device/>\(inner)</deviceList>")))
    #expect(read.device.devices.map(\.udn) == ["b", "b"])
    #expect(read.device.devices[0].services.count == 1)
  }

  @Test func numbersAreBounded() throws {
    let services = (0..<300).map { service("S\($0)") }.joined()
    let icons = String(repeating: "<icon><url>/i</url></icon>", count: 50)
    let devices = String(repeating: device("", udn: "uuid:b"), count: 50)
    let many = try read(
      root(
        device(
          "<iconList>\(icons)</iconList><serviceList>\(services)</serviceList><deviceList>\(devices)</deviceList>"
        )
      )
    ).device
    #expect(many.services.count == RootDescription.maximumServices)
    #expect(many.icons.count == RootDescription.maximumIcons)
    #expect(many.devices.count == RootDescription.maximumDevices - 1)
    func nested(_ depth: Int) -> String {
      device(depth > 0 ? "<deviceList>\(nested(depth - 1))</deviceList>" : "")
    }
    var (depth, devicesAt) = (0, try read(root(nested(6))).device)
    while let next = devicesAt.devices.first { (depth, devicesAt) = (depth + 1, next) }
    #expect(depth == RootDescription.maximumEmbedding)
    #expect(throws: XMLError.tooLarge) { try read(root(nested(30))) }
    #expect(throws: XMLError.tooLarge) { try read(root(String(repeating: "<a/>", count: 5000))) }
    #expect(throws: XMLError.tooLarge) { try read(root(String(repeating: " ", count: 256 * 1024))) }
  }

  /// They end up in requests.
  @Test func addressesAreChecked() throws {
    let long = String(repeating: "x", count: RootDescription.maximumAddressLength + 1)
    for url in ["/a&#9;b", "/a&#13;&#10;X: y", "/a&quot;", "/a&lt;", long] {
      #expect(
        try read(root(device("<serviceList>\(service("S", url))</serviceList>"))).device.services.isEmpty)
    }
    let spaced = try read(root(device("<serviceList>\(service("S", "/a b"))</serviceList>")))
    #expect(spaced.device.services.map(\.controlURL) == ["/a%20b"])
    let name = String(repeating: "n", count: 5000)
    let read = try read(root(device("<friendlyName>\(name)</friendlyName>")))
    #expect(read.device.friendlyName.count == RootDescription.maximumTextLength)
  }
}
