import DIDLLite
import Pins
import Player
import Text
import UPnP
import XML

/// The pins as favourites: `FV:2/n`, where n stays the same when a pin gets other texts.
struct ZoneFavourites: Sendable {
  let parts: ZonePlayback

  private var state: PlayerState { parts.player.currentState }
  private var bank: PinBank { state.pins }

  /// What controllers add besides stations: a pin of an address, whose free text says so.
  private static let trackType = "track"

  private func slot(_ number: UInt32) -> PinBank.Slot? {
    let state = state
    return state.pins.slots.lazy.compactMap { $0 }.first { state.favouriteNumber(of: $0.id) == number }
  }

  // MARK: Reading

  /// All of them, in the order of the slots.
  var items: [String] {
    let stations = presets
    return bank.slots.compactMap { slot in slot.map { item($0, stations) } }
  }

  func item(_ number: UInt32) -> String? { slot(number).map { item($0, presets) } }

  private var presets: [UInt32: Media] {
    Dictionary(
      state.radio.presets.lazy.compactMap(\.self).map { ($0.id, $0.media) },
      uniquingKeysWith: { first, _ in first })
  }

  private func item(_ slot: PinBank.Slot, _ presets: [UInt32: Media]) -> String {
    let played = Self.played(slot.pin, presets)
    let number = state.favouriteNumber(of: slot.id)
    let type = played.map { #" protocolInfo="\#($0.protocolInfo)""# } ?? #" protocolInfo="*:*:*:*""#
    let inside =
      DIDLWriter.element("dc:title", slot.pin.title)
      + DIDLWriter.element("upnp:class", "object.itemobject.item.sonos-favorite")
      + DIDLWriter.element("r:ordinal", "\(number)")
      + "<res\(type)>\(XMLEscaping.text(played?.uri ?? ""))</res>"
      + DIDLWriter.element("upnp:albumArtURI", slot.pin.picture)
      + DIDLWriter.element("r:type", played == nil ? "shortcut" : "instantPlay")
      + DIDLWriter.element("r:description", slot.pin.detail)
      + DIDLWriter.element("r:resMD", played.map { Self.metadata(slot.pin, $0) } ?? "")
    return ZoneDIDL.object("item", id: "FV:2/\(number)", parent: "FV:2", restricted: false, inside)
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
    case .stream(let uri) where pin.type == trackType:
      return Played(uri: uri, protocolInfo: "http-get:*:*:*", upnpClass: DIDLWriter.trackClass, id: "-1")
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
        DIDLWriter.element("dc:title", pin.title) + DIDLWriter.element("upnp:class", played.upnpClass)
          + ZoneDIDL.ownDescription))
  }

  // MARK: Changing

  /// Pins what the DIDL-Lite `elements` names; returns the id of the new object.
  func create(_ elements: String) throws(UPnPError) -> String {
    guard let sent = DIDL.items(elements).first, let resource = sent.resources.first,
      let title = sent.title, !title.isEmpty
    else { throw .invalidArgs("Elements") }
    let uri: PinURI
    var type: String?
    switch ZoneURI(resource.uri) {
    case .track(let address): (uri, type) = (.stream(address), Self.trackType)
    case .station(let addresses): uri = .stream(addresses[0])
    case .playlist(let id): uri = .playlist(String(id))
    case .queue, .group, .library, .unsupported: throw .zoneMediaNotSupported
    }
    guard let index = bank.firstEmpty else { throw UPnPError(code: 709, description: "Full") }
    let picture = (sent.albumArtURI ?? "").lowercased().hasPrefix("http") ? sent.albumArtURI ?? "" : ""
    guard
      let pin = try? Pin(
        mode: uri.mode, type: type ?? uri.type, uri: uri.text, title: title,
        detail: ZoneTags(elements).description ?? "", picture: picture)
    else { throw .invalidArgs("the address is too long") }
    try parts.player.changeZone(.pins(.set(pin, index: index)))
    return "FV:2/\(bank.slots[index]?.id ?? 0)"
  }

  func delete(_ number: UInt32) throws(UPnPError) {
    guard let slot = slot(number) else { throw .zoneNoObject }
    try parts.player.changeZone(.pins(.clear(slot.id)))
  }

  /// Gives a favourite other texts.
  func update(_ number: UInt32, from old: ZoneTags, to new: ZoneTags) throws(UPnPError) {
    guard let slot = slot(number) else { throw .zoneNoObject }
    let pin = slot.pin
    guard old.title == nil || old.title == pin.title,
      old.description == nil || old.description == pin.detail
    else { throw .zoneOldTags }
    guard new.title != "", new.title != nil || new.description != nil,
      let changed = try? Pin(
        mode: pin.mode, type: pin.type, uri: pin.uri, title: new.title ?? pin.title,
        detail: new.description ?? pin.detail, picture: pin.picture, isShuffled: pin.isShuffled)
    else { throw .zoneNewTags }
    try parts.player.changeZone(.zone(.changePin(slot.id, to: changed)))
  }
}

/// The tags of an object that controllers change, as they send them: `<dc:title>…</dc:title>,<r:description>…`.
struct ZoneTags: Sendable, Hashable {
  var title: String?
  var description: String?

  /// Reads tags, with or without an object around them.
  init(_ text: String) {
    let root = LenientXML.parse(
      #"<tags xmlns:dc="d" xmlns:upnp="u" xmlns:r="r">\#(text)</tags>"#, limit: Self.mostElements)
    let document = root?.child("DIDL-Lite") ?? root
    let item = document?.child("item") ?? document
    title = item?.child("title")?.text.trimmingASCIISpace
    description = item?.child("description")?.text.trimmingASCIISpace
  }

  private static let mostElements = 100
}

extension UPnPError {
  static let zoneOldTags = UPnPError(code: 702, description: "Invalid CurrentTagValue")
  static let zoneNewTags = UPnPError(code: 703, description: "Invalid NewTagValue")
}
