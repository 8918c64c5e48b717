import DIDLLite
import Player
import Testing
import UPnP

@testable import Services

/// What this room says of its sending.
@Suite struct SenderTests {
  private let speaker = Speaker()

  private func show(_ sender: SenderState) throws { try speaker.player.change(.senderChanged(sender)) }

  private func told(_ name: String) -> String? { speaker.evented(speaker.sender, name) }

  @Test func statesInTheirOrder() throws {
    #expect(told("Status") == "Disabled" && told("Status2") == "Disabled" && told("Enabled") == "0")
    try show(SenderState(isEnabled: false, isBlocked: true, listeners: 1, isSending: true))
    #expect(told("Status") == "Disabled" && told("Status2") == "Disabled")
    try show(SenderState(isEnabled: true, isBlocked: true))
    #expect(told("Status") == "Blocked" && told("Status2") == "Blocked" && told("Enabled") == "0")
    try show(SenderState(isEnabled: true))
    #expect(told("Status") == "Enabled" && told("Status2") == "Ready" && told("Enabled") == "1")
    #expect(told("Audio") == "0")
    try show(SenderState(isEnabled: true, listeners: 3))
    #expect(told("Status2") == "Ready", "nothing plays")
    try show(SenderState(isEnabled: true, listeners: 3, isSending: true))
    #expect(told("Status") == "Enabled" && told("Status2") == "Sending" && told("Audio") == "1")
    try show(SenderState(isEnabled: true, listeners: 3, isSending: true, mayPassOn: false))
    #expect(told("Status") == "Enabled" && told("Status2") == "Inactive" && told("Enabled") == "1")
    #expect(told("PresentationUrl") == "" && told("Attributes") == "")
  }

  @Test func aRoomThatListensIsInactive() throws {
    try show(SenderState(isEnabled: true, listeners: 1))
    try speaker.call(speaker.receiver, "SetSender", ["Uri": "ohu://192.0.2.7:51000", "Metadata": ""])
    #expect(told("Status2") == "Ready", "it doesn't listen yet")
    try speaker.call(speaker.receiver, "Play")
    #expect(told("Status2") == "Inactive" && told("Status") == "Enabled")
    try speaker.call(speaker.product, "SetSourceBySystemName", ["Value": "Playlist"])
    #expect(told("Status2") == "Ready")
  }

  @Test func itIsKnownByOneItem() throws {
    #expect(
      told("Metadata") == #"<DIDL-Lite xmlns="urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/""#
        + #" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:upnp="urn:schemas-upnp-org:metadata-1-0/upnp/">"#
        + #"<item id="0" parentID="-1" restricted="1"><dc:title>Kitchen &amp; Hall</dc:title>"#
        + "<upnp:albumArtURI>http://192.0.2.7:49494/icon-120.png</upnp:albumArtURI>"
        + "<upnp:class>object.item.audioItem</upnp:class>"
        + #"<res protocolInfo="ohz:*:*:u">ohz://239.255.255.250:51972/4d696e69-0000-0000-0000-000000000007"#
        + "</res></item></DIDL-Lite>")
    #expect(try speaker.call(speaker.sender, "Metadata")["Value"] == told("Metadata"), "also while disabled")
    speaker.settings.configuration.sender.isMulticast = true
    speaker.settings.configuration.image = nil
    let text = try #require(told("Metadata"))
    #expect(text.contains("\"ohz:*:*:m\"") && !text.contains("albumArtURI"))
    speaker.settings.configuration.room = "Hall"
    #expect(told("Metadata")?.contains("<dc:title>Hall</dc:title>") == true)
  }

  @Test(arguments: [0, 300, 400, 500, 600, 2000]) func itIsShort(_ length: Int) throws {
    speaker.settings.configuration.room = "Hall" + String(repeating: "&", count: length)
    speaker.settings.configuration.image = "/" + String(repeating: "i", count: 400)
    speaker.settings.configuration.sender.zone = String(repeating: "z", count: 300)
    let text = try #require(told("Metadata"))
    #expect(text.utf8.count <= 1000)
    let item = try #require(DIDL.items(text).first)
    #expect(item.title?.hasPrefix("Hall") == true)
    #expect(text.contains(String(repeating: "z", count: 256) + "</res>"))
  }
}
