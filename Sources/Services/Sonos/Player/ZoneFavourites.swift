import DIDLLite
import Pins
import Player
import Text
import UPnP
import XML

/// The pins as favourites: `FV:2/n`, where n is the id of the pin.
struct ZoneFavourites: Sendable {
  let parts: ZonePlayback

  private var bank: PinBank { parts.player.currentState.pins }

  // MARK: Reading

  /// All of them, in the order of the slots.
  var items: [String] {
    let stations = presets
    return bank.slots.compactMap { slot in slot.map { item($0, stations) } }
  }

  func item(_ id: UInt32) -> String? {
    bank.slots.lazy.compactMap { $0 }.first { $0.id == id }.map { item($0, presets) }
  }

  private var presets: [UInt32: Media] {
    Dictionary(
      parts.player.currentState.radio.presets.lazy.compactMap(\.self).map { ($0.id, $0.media) },
      uniquingKeysWith: { first, _ in first })
  }

  private func item(_ slot: PinBank.Slot, _ presets: [UInt32: Media]) -> String {
    let played = Self.played(slot.pin, presets)
    let type = played.map { #" protocolInfo="\#($0.protocolInfo)""# } ?? #" protocolInfo="*:*:*:*""#
    let inside =
      DIDLWriter.element("dc:title", slot.pin.title)
      + DIDLWriter.element("upnp:class", "object.itemobject.item.sonos-favorite")
      + DIDLWriter.element("r:ordinal", "\(slot.id)")
      + "<res\(type)>\(XMLEscaping.text(played?.uri ?? ""))</res>"
      + DIDLWriter.element("upnp:albumArtURI", slot.pin.picture)
      + DIDLWriter.element("r:type", played == nil ? "shortcut" : "instantPlay")
      + DIDLWriter.element("r:description", slot.pin.detail)
      + DIDLWriter.element("r:resMD", played.map { Self.metadata(slot.pin, $0) } ?? "")
    return ZoneDIDL.object("item", id: "FV:2/\(slot.id)", parent: "FV:2", restricted: false, inside)
  }

  /// What a controller plays for a pin.
  private struct Played {
    var uri: String
    var protocolInfo: String
    var upnpClass: String
    var id: String
  }

  /// Nil for what a controller can't play.
  private static func played(_ pin: Pin, _ presets: [UInt32: Media]) -> Played? {
    func station(_ uri: String) -> Played {
      Played(
        uri: ZoneURI.station(uri), protocolInfo: "\(ZoneURI.stationScheme):*:*:*",
        upnpClass: DIDLWriter.stationClass, id: "R:0/0/0")
    }
    switch try? PinURI(pin.uri, mode: pin.mode) {
    case .stream(let uri): return station(uri)
    case .preset(let id): return presets[id].map { station($0.uri) }
    case .playlist(let text):
      guard let id = UInt32(text) else { return nil }
      return Played(
        uri: ZoneURI.playlist(id), protocolInfo: "file:*:audio/mpegurl:*",
        upnpClass: "object.container.playlistContainer", id: "SQ:\(id)")
    case .source, .object, nil: return nil
    }
  }

  private static func metadata(_ pin: Pin, _ played: Played) -> String {
    ZoneDIDL.document(
      ZoneDIDL.object(
        "item", id: played.id, parent: "-1",
        DIDLWriter.element("dc:title", pin.title) + DIDLWriter.element("upnp:class", played.upnpClass)))
  }

  // MARK: Changing

  /// Pins what the DIDL-Lite `elements` names; returns the id of the new object.
  func create(_ elements: String) throws(UPnPError) -> String {
    guard let sent = DIDL.items(elements).first, let resource = sent.resources.first,
      let title = sent.title, !title.isEmpty
    else { throw .invalidArgs("Elements") }
    let uri: PinURI
    switch ZoneURI(resource.uri) {
    case .track(let address): uri = .stream(address)
    case .station(let addresses): uri = .stream(addresses[0])
    case .playlist(let id): uri = .playlist(String(id))
    case .queue, .group, .library, .unsupported: throw .zoneMediaNotSupported
    }
    guard let index = bank.firstEmpty else { throw UPnPError(code: 709, description: "Full") }
    guard let pin = try? Pin(uri, title: title, picture: sent.albumArtURI ?? "") else {
      throw .invalidArgs("the address is too long")
    }
    try parts.player.changeZone(.pins(.set(pin, index: index)))
    return "FV:2/\(bank.slots[index]?.id ?? 0)"
  }

  func delete(_ id: UInt32) throws(UPnPError) {
    guard bank.index(of: id) != nil else { throw .zoneNoObject }
    try parts.player.changeZone(.pins(.clear(id)))
  }
}
