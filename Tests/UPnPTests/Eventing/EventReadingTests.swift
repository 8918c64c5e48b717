import NIOCore
import Testing
import XML

@testable import UPnP

@Suite struct EventReadingTests {
  private static let values = [
    EventedValue(name: "Mute", channel: "LF", value: "0"),
    EventedValue(name: "Mute", channel: "Master", value: "1"),
    EventedValue(name: "Title", value: "a<b>&\"'\t\n\r ]]> \u{e9} \u{1F600}"),
    EventedValue(name: "Empty", value: ""),
  ]

  private func read(_ text: String) throws(XMLError) -> [EventedValue] {
    try PropertySet.read(ByteBuffer(string: text))
  }

  /// What we send, we read.
  @Test func ourOwnProperties() throws {
    let sent = Self.values.map { EventedValue(name: $0.name, value: $0.value) }
    #expect(try PropertySet.read(PropertySet.document(sent, style: .properties)) == sent)
    #expect(try PropertySet.read(PropertySet.document([], style: .properties)) == [])
  }

  @Test func ourOwnLastChange() throws {
    let style = EventStyle.lastChange(namespace: "urn:schemas-upnp-org:metadata-1-0/RCS/")
    let properties = try PropertySet.read(PropertySet.document(Self.values, style: style))
    #expect(properties.map(\.name) == ["LastChange"])
    let read = try LastChange.read(try #require(properties.first).value)
    #expect(read == [.init(id: 0, values: Self.values)])
  }

  @Test(arguments: [
    "<?xml version='1.0'?><e:propertyset xmlns:e='urn:schemas-upnp-org:event-1-0'><e:property><A>1</A></e:property><e:property><B>2</B></e:property></e:propertyset>",
    // Both in one property, without name spaces, with the space of pretty printing.
    "<propertyset>\n <property>\n <A>1</A>\n <B>2</B>\n </property>\n</propertyset>",
    // Undeclared prefixes, cut off, a C string's end.
    "<e:propertyset><e:property><A>1</A></e:property><e:property><B>2\u{0}",
  ])
  func oddPropertySets(text: String) throws {
    #expect(try read(text) == [.init(name: "A", value: "1"), .init(name: "B", value: "2")])
  }

  @Test func ampersandsMayStandAlone() throws {
    #expect(
      try read("<propertyset><property><A>Tom & Ann</A></property></propertyset>").map(\.value) == [
        "Tom & Ann"
      ])
  }

  @Test(arguments: ["", "<a/>", "{}", "<!DOCTYPE a><propertyset/>"])
  func whatIsNoPropertySet(text: String) { #expect(throws: XMLError.malformed) { try read(text) } }

  @Test(arguments: [
    "<Event xmlns='urn:x'><InstanceID val='0'><Volume channel='Master' val='10'/><Mute val='1'/></InstanceID></Event>",
    "<Event><InstanceID val=\" 0 \"><Volume Channel='Master' val='10'></Volume><Mute>1</Mute></InstanceID></Event>",
    "<x:Event><InstanceID><x:Volume channel='Master' val='10'/><Mute val='1'/></InstanceID>",
    "&lt;Event&gt;&lt;InstanceID val=&quot;0&quot;&gt;&lt;Volume channel=&quot;Master&quot; val=&quot;10&quot;/&gt;&lt;Mute val=&quot;1&quot;/&gt;&lt;/InstanceID&gt;&lt;/Event&gt;",
  ])
  func oddLastChanges(text: String) throws {
    let values = [
      EventedValue(name: "Volume", channel: "Master", value: "10"), EventedValue(name: "Mute", value: "1"),
    ]
    #expect(try LastChange.read(text) == [.init(id: 0, values: values)])
  }

  @Test func instances() throws {
    let text =
      "<Event><InstanceID val='0'/><InstanceID val='x'><A val='1'/></InstanceID><InstanceID val='3'><A val='2'/></InstanceID></Event>"
    #expect(
      try LastChange.read(text) == [
        .init(id: 0, values: []), .init(id: 3, values: [.init(name: "A", value: "2")]),
      ])
    #expect(try LastChange.read(" ") == [])
    for text in ["x", "<a/>", "NOT_IMPLEMENTED"] {
      #expect(throws: XMLError.malformed) { try LastChange.read(text) }
    }
  }

  @Test func sizesAreBounded() throws {
    let many = { (count: Int) in
      "<propertyset>" + String(repeating: "<property><A>1</A></property>", count: count) + "</propertyset>"
    }
    #expect(try read(many(PropertySet.maximumVariables)).count == PropertySet.maximumVariables)
    #expect(try read(many(PropertySet.maximumVariables + 1)).count == PropertySet.maximumVariables)
    #expect(throws: XMLError.tooLarge) { try read(many(PropertySet.limits.elements)) }
    let long = String(repeating: "x", count: PropertySet.limits.bytes)
    #expect(throws: XMLError.tooLarge) {
      try read("<propertyset><property><A>\(long)</A></property></propertyset>")
    }
    #expect(throws: XMLError.tooLarge) { try LastChange.read("<Event>\(long)</Event>") }
    let changes = String(repeating: "<A val='1'/>", count: LastChange.limits.elements)
    #expect(throws: XMLError.tooLarge) {
      try LastChange.read("<Event><InstanceID val='0'>\(changes)</InstanceID></Event>")
    }
  }
}
