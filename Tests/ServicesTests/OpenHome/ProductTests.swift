import Player
import Testing
import UPnP

@testable import Services

@Suite struct ProductTests {
  private let speaker = Speaker()

  private var source: String? { speaker.evented(speaker.product, "SourceIndex") }

  @Test func names() throws {
    #expect(
      try speaker.call(speaker.product, "Manufacturer") == [
        "Name": "Maker", "Info": "makes", "Url": "http://192.0.2.80/",
        "ImageUri": "http://192.0.2.7:49494/maker.png",
      ])
    #expect(try speaker.call(speaker.product, "Model")["ImageUri"] == "http://192.0.2.80/m.png")
    #expect(
      try speaker.call(speaker.product, "Product") == [
        "Room": "Kitchen & Hall", "Name": "Vireo", "Info": "A speaker", "Url": "http://192.0.2.7:49494/",
        "ImageUri": "http://192.0.2.7:49494/icon-120.png",
        "ImageHiresUri": "http://192.0.2.7:49494/icon-256.png",
      ])
  }

  @Test(arguments: [("Low", "120"), ("High", "256"), ("Huge", "256"), ("", "256"), (" Low ", "120")])
  func images(_ resolution: String, _ size: String) throws {
    #expect(
      try speaker.call(speaker.product, "GetImageUri", ["Resolution": resolution])["ImageUri"]
        == "http://192.0.2.7:49494/icon-\(size).png")
  }

  @Test func withoutNetworkThereAreNoURLs() throws {
    let speaker = Speaker(base: "")
    #expect(speaker.evented(speaker.product, "ProductUrl") == "")
    #expect(speaker.evented(speaker.product, "ModelImageUri") == "http://192.0.2.80/m.png")
  }

  @Test func sources() throws {
    #expect(
      try speaker.call(speaker.product, "SourceXml")["Value"]
        == "<SourceList>"
        + "<Source><Name>Playlist</Name><Type>Playlist</Type><Visible>true</Visible>"
        + "<SystemName>Playlist</SystemName></Source>"
        + "<Source><Name>Radio</Name><Type>Radio</Type><Visible>true</Visible>"
        + "<SystemName>Radio</SystemName></Source>"
        + "<Source><Name>UPnP AV</Name><Type>UpnpAv</Type><Visible>false</Visible>"
        + "<SystemName>UPnP AV</SystemName></Source>"
        + "<Source><Name>Songcast</Name><Type>Receiver</Type><Visible>true</Visible>"
        + "<SystemName>Songcast</SystemName></Source></SourceList>")
    #expect(try speaker.call(speaker.product, "SourceCount")["Value"] == "4")
    #expect(
      try speaker.call(speaker.product, "Source", ["Index": "2"]) == [
        "SystemName": "UPnP AV", "Type": "UpnpAv", "Name": "UPnP AV", "Visible": "0",
      ])
    #expect(try speaker.fault(speaker.product, "Source", ["Index": "4"]) == 801)
  }

  @Test func withoutUPnPAVThereIsNoSuchSource() throws {
    let speaker = Speaker(configuration: PlayerConfiguration(avEnabled: false))
    #expect(try speaker.call(speaker.product, "SourceCount")["Value"] == "3")
    #expect(
      try speaker.call(speaker.transport, "Modes")["Modes"] == "[\"playlist\",\"radio\",\"receiver\"]")
    #expect(try speaker.fault(speaker.product, "SetSourceBySystemName", ["Value": "UPnP AV"]) == 801)
  }

  @Test func withoutRoomsNothingIsPromisedOfThem() throws {
    let speaker = Speaker(configuration: PlayerConfiguration(receiverEnabled: false))
    #expect(try speaker.call(speaker.product, "Attributes")["Value"] == "Volume Time Info Transport Pins")
    let services = OpenHomeDevice.services(
      player: speaker.player, settings: speaker.settings, logger: speaker.avTransport.logger,
      hasReceiver: false, hasSender: false)
    #expect(!services.contains { ["Receiver", "Sender"].contains($0.identity.name) })
  }

  @Test func namesCanChange() throws {
    let changes = { try speaker.call(speaker.product, "SourceXmlChangeCount")["Value"] }
    #expect(try changes() == "1")
    speaker.settings.configuration.room = "Hall"
    #expect(speaker.evented(speaker.product, "ProductRoom") == "Hall")
    #expect(try changes() == "1")
    speaker.settings.configuration.sources[.radio] = .init("Wireless <1>")
    let xml = try #require(speaker.evented(speaker.product, "SourceXml"))
    #expect(xml.contains("<Name>Wireless &lt;1&gt;</Name><Type>Radio</Type>"))
    #expect(try changes() == "2")
    try speaker.call(speaker.product, "SetSourceIndexByName", ["Value": "Wireless <1>"])
    #expect(source == "1")
    #expect(try speaker.fault(speaker.product, "SetSourceIndexByName", ["Value": "Radio"]) == 801)
    #expect(try changes() == "2")
  }

  /// What is counted are the changes, whether or not somebody has looked in between.
  @Test func everyChangeOfTheSourcesCounts() throws {
    let changes = { try speaker.call(speaker.product, "SourceXmlChangeCount")["Value"] }
    speaker.settings.configuration.sources[.radio] = .init("Wireless")
    speaker.settings.configuration.sources[.radio] = .init("Radio")
    #expect(try changes() == "3", "the start, there and back")
    speaker.settings.configuration.sources[.upnpAV] = .init("UPnP AV", isVisible: true)
    #expect(try changes() == "4", "visible now")
    speaker.settings.configuration.productName = "Other"
    speaker.settings.configuration.sources[.radio] = .init("Radio")
    #expect(try changes() == "4", "no other source than before")
  }

  @Test func switching() throws {
    try speaker.call(speaker.product, "SetSourceIndex", ["Value": "1"])
    #expect(source == "1")
    try speaker.call(speaker.product, "SetSourceBySystemName", ["Value": "UPnP AV"])
    #expect(source == "2")
    #expect(try speaker.fault(speaker.product, "SetSourceIndex", ["Value": "4"]) == 801)
    #expect(try speaker.fault(speaker.product, "SetSourceBySystemName", ["Value": "upnp av"]) == 801)
    #expect(source == "2")
  }

  @Test func switchingStopsTheSourceBefore() throws {
    try speaker.add("a")
    try speaker.call(speaker.playlist, "Play")
    speaker.hear()
    #expect(speaker.state(speaker.playlist) == "Playing")
    try speaker.call(speaker.product, "SetSourceIndex", ["Value": "1"])
    #expect(speaker.state(speaker.playlist) == "Stopped")
    #expect(speaker.state(speaker.transport) == "Stopped")
    #expect(speaker.output.requests.contains(.stop))
  }

  @Test func standby() throws {
    try speaker.add("a")
    try speaker.call(speaker.playlist, "Play")
    speaker.hear()
    try speaker.call(speaker.product, "SetStandby", ["Value": "true"])
    #expect(speaker.evented(speaker.product, "Standby") == "1")
    #expect(speaker.evented(speaker.product, "StandbyTransitioning") == "0")
    #expect(speaker.state(speaker.playlist) == "Stopped")
    #expect(speaker.output.requests.contains(.release))
    try speaker.call(speaker.playlist, "Play")
    #expect(speaker.evented(speaker.product, "Standby") == "0")
  }

  @Test func anUnknownSourceStillWakes() throws {
    try speaker.call(speaker.product, "SetStandby", ["Value": "1"])
    #expect(try speaker.fault(speaker.product, "SetSourceIndex", ["Value": "9"]) == 801)
    #expect(speaker.evented(speaker.product, "Standby") == "0")
  }

  @Test(arguments: [(1, 1), (2, 2), (4, 4), (0, 1), (9, 4)])
  func theVersionCanBeLowered(_ configured: Int, _ announced: Int) {
    var configuration = OpenHomeConfiguration.example
    configuration.compatibility = OpenHomeCompatibility(productVersion: configured)
    #expect(Speaker(openHome: configuration).product.identity.version == announced)
  }

  /// OpenHome's topology library of 2016 uses no service of another version, whichever it is.
  @Test func versionOneIsVersionOneOfEverything() throws {
    var configuration = OpenHomeConfiguration.example
    configuration.compatibility = OpenHomeCompatibility(productVersion: 1)
    let speaker = Speaker(openHome: configuration)
    let services: [any ServiceProvider] = [
      speaker.product, speaker.playlist, speaker.radio, speaker.info, speaker.time, speaker.volume,
      speaker.transport, speaker.receiver, speaker.sender,
    ]
    for service in services {
      #expect(service.identity.version == 1, "\(service.identity.name)")
      let described = Set(
        service.description.variables.filter { service.scpd.tail.contains("<name>\($0.name)</name>") }.map(
          \.name))
      let newer = Set(service.description.variables.filter { $0.since > 1 }.map(\.name))
      #expect(described.isDisjoint(with: newer))
      let evented = Set(service.description.variables.filter { $0.sendsEvents && $0.since == 1 }.map(\.name))
      #expect(Set(service.eventedValues().map(\.name)) == evented, "\(service.identity.name)")
      for action in service.description.actions where action.since > 1 {
        #expect(!service.scpd.tail.contains("<name>\(action.name)</name>"))
      }
    }
    // Nobody who knows them has to do without.
    try speaker.call(speaker.volume, "SetVolumeNoUnmute", ["Value": "7"])
    #expect(speaker.evented(speaker.volume, "Volume") == "7")
    try speaker.call(speaker.product, "SetSourceBySystemName", ["Value": "Radio"])
  }
}
