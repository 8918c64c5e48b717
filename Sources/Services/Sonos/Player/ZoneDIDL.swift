import DIDLLite
import Kept
import Player
import Text
import UPnP
import XML

/// Writes DIDL-Lite as controllers of the Sonos class read it: each object with one `res`, and no white space.
enum ZoneDIDL {
  static let head =
    #"<DIDL-Lite xmlns:dc="http://purl.org/dc/elements/1.1/""#
    + #" xmlns:upnp="urn:schemas-upnp-org:metadata-1-0/upnp/""#
    + #" xmlns:r="urn:schemas-rinconnetworks-com:metadata-1-0/""#
    + #" xmlns="urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/">"#
  static let tail = "</DIDL-Lite>"

  /// Says that something belongs to no music service. One controller throws a whole list away without it.
  static let ownDescription =
    #"<desc id="cdudn" nameSpace="urn:schemas-rinconnetworks-com:metadata-1-0/">RINCON_AssociatedZPUDN</desc>"#

  static func document(_ objects: String = "") -> String { head + objects + tail }

  // MARK: Tracks

  /// A track of the queue or of a playlist, or the one that plays (id and parent `-1`).
  ///
  /// - Parameters:
  ///   - uri: the address as it is shown; nil for the real one.
  ///   - duration: as the decoder knows it; nil for what the metadata says.
  ///   - tags: what the file says; used where the metadata says nothing.
  static func track(
    _ media: Media, id: String, parent: String, uri: String? = nil, duration: Duration? = nil,
    tags: StreamTags? = nil
  ) -> String {
    let sent = DIDL.items(media.metadata).first
    let resource = sent?.resource(for: media.uri)
    let format = (media.contentFormat ?? resource?.protocolInfo?.mimeType)?.prefix { $0 != ";" }
    let length = duration ?? media.durationHint ?? resource?.duration
    let attributes =
      #" protocolInfo="\#(XMLEscaping.attribute("http-get:*:\(format ?? "*"):*"))""#
      + (length.map { #" duration="\#(ClockTime.text($0))""# } ?? "")
    let title = shown(sent?.title) ?? shown(tags?.title) ?? DIDLWriter.title(of: media.uri)
    var item = "<res\(attributes)>\(XMLEscaping.text(uri ?? media.uri))</res>"
    item += DIDLWriter.element("upnp:albumArtURI", art(sent, of: media))
    item += DIDLWriter.element("dc:title", title)
    item += DIDLWriter.element("upnp:class", DIDLWriter.trackClass)
    if let artist = shown(sent?.artist) ?? shown(tags?.artist) {
      item += DIDLWriter.element("dc:creator", artist)
    }
    if let album = shown(sent?.album) ?? shown(tags?.album) {
      item += DIDLWriter.element("upnp:album", album)
    }
    if let number = sent?.trackNumber { item += DIDLWriter.element("upnp:originalTrackNumber", "\(number)") }
    return object("item", id: id, parent: parent, item)
  }

  /// The station that plays, with its song in `streamContent`.
  static func playing(station media: Media, uri: String, content: String) -> String {
    let sent = DIDL.items(media.metadata).first
    let item =
      #"<res protocolInfo="\#(stationProtocol(uri))">\#(XMLEscaping.text(uri))</res>"#
      + DIDLWriter.element("r:streamContent", content) + DIDLWriter.element("r:radioShowMd", "")
      + DIDLWriter.element("upnp:albumArtURI", art(sent, of: media))
      + DIDLWriter.element("dc:title", name(of: media)) + DIDLWriter.element("upnp:class", "object.item")
    return object("item", id: "-1", parent: "-1", item)
  }

  /// A station to choose from.
  static func station(_ media: Media, id: String, parent: String, title: String? = nil) -> String {
    let uri = ZoneURI.station(media.uri)
    let sent = DIDL.items(media.metadata).first
    let item =
      #"<res protocolInfo="\#(stationProtocol(uri))">\#(XMLEscaping.text(uri))</res>"#
      + DIDLWriter.element("upnp:albumArtURI", art(sent, of: media))
      + DIDLWriter.element("dc:title", title ?? name(of: media))
      + DIDLWriter.element("upnp:class", DIDLWriter.stationClass)
    return object("item", id: id, parent: parent, item)
  }

  /// The metadata of a station whose controller sent none: its name, for Enqueued…MetaData.
  static func stationMetadata(_ media: Media) -> String {
    document(
      object(
        "item", id: "R:0/0/0", parent: "R:0/0",
        DIDLWriter.element("dc:title", name(of: media))
          + DIDLWriter.element("upnp:class", DIDLWriter.stationClass)))
  }

  /// Metadata that every controller can read: as it was sent, or else what can be read of it, written anew.
  ///
  /// Controllers drop a whole event when the metadata in it isn't well-formed, or has no object with an id, a title and a class.
  static func readable(_ metadata: String) -> String {
    guard !metadata.isEmpty, !isComplete(metadata) else { return metadata }
    guard let sent = DIDL.items(metadata).first, let title = shown(sent.title) else { return "" }
    var inside = DIDLWriter.element("dc:title", title)
    inside += DIDLWriter.element("upnp:class", shown(sent.upnpClass) ?? "object.item.audioItem")
    if let art = sent.albumArtURI { inside += DIDLWriter.element("upnp:albumArtURI", art) }
    if let artist = shown(sent.artist) { inside += DIDLWriter.element("dc:creator", artist) }
    if let album = shown(sent.album) { inside += DIDLWriter.element("upnp:album", album) }
    return document(object("item", id: "-1", parent: "-1", inside))
  }

  /// What metadata may hold that goes into events as it was sent; longer metadata is written anew.
  private static let limits = XMLTree.Limits(bytes: 16 * 1024, elements: 200)

  private static func isComplete(_ metadata: String) -> Bool {
    guard let root = XMLTree.readStrictly(metadata, limits: limits), root.name == "DIDL-Lite",
      let object = root.child("item") ?? root.child("container")
    else { return false }
    let attributes = ["id", "parentID"].compactMap { object.attributes[$0] }
    let texts = ["title", "class"].compactMap { shown(object.text(of: $0)) }
    return attributes.count == 2 && texts.count == 2
  }

  private static func stationProtocol(_ uri: String) -> String {
    uri.lowercased().hasPrefix("http") ? "http-get:*:*:*" : "\(ZoneURI.stationScheme):*:*:*"
  }

  /// The name of a station or a track.
  static func name(of media: Media) -> String {
    shown(DIDL.items(media.metadata).first?.title) ?? DIDLWriter.title(of: media.uri)
  }

  // MARK: Containers and favourites

  static func container(
    id: String, parent: String, title: String, uri: String = "",
    protocolInfo: String = "x-rincon-playlist:*:*:*",
    upnpClass: String = "object.container", children: Int? = nil
  ) -> String {
    let inside =
      DIDLWriter.element("dc:title", title)
      + #"<res protocolInfo="\#(protocolInfo)">\#(XMLEscaping.text(uri))</res>"#
      + DIDLWriter.element("upnp:class", upnpClass)
    return object("container", id: id, parent: parent, children: children, inside)
  }

  static func playlist(_ head: KeptHead) -> String {
    container(
      id: "SQ:\(head.id)", parent: "SQ:", title: head.name, uri: ZoneURI.playlist(head.id),
      protocolInfo: "file:*:audio/mpegurl:*", upnpClass: "object.container.playlistContainer",
      children: head.count)
  }

  static func queue(_ uid: String, count: Int) -> String {
    container(
      id: "Q:0", parent: "Q:", title: "Queue Instance 0", uri: ZoneURI.queue(uid),
      protocolInfo: "x-rincon-queue:*:*:*", upnpClass: "object.container.playlistContainer", children: count)
  }

  // MARK: Parts

  static func object(
    _ element: String, id: String, parent: String, restricted: Bool = true, children: Int? = nil,
    _ inside: String
  ) -> String {
    let count = children.map { #" childCount="\#($0)""# } ?? ""
    return
      #"<\#(element) id="\#(XMLEscaping.attribute(id))" parentID="\#(XMLEscaping.attribute(parent))" restricted="\#(restricted)"\#(count)>\#(inside)</\#(element)>"#
  }

  /// An absolute address, or where this zone has the picture of the file.
  private static func art(_ sent: DIDL?, of media: Media) -> String {
    if let uri = sent?.albumArtURI, uri.lowercased().hasPrefix("http") { return uri }
    return "/getaa?s=1&u=\(encoded(media.uri))"
  }

  private static func encoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x7e: bytes.append(byte)
      default:
        let digits = String(byte, radix: 16)
        bytes += Array("%\(digits.utf8.count == 1 ? "0" : "")\(digits)".utf8)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func shown(_ text: String?) -> String? {
    guard let text, !text.isEmpty else { return nil }
    return String(text.unicodeScalars.prefix(ShownTrack.longestText))
  }
}

/// A long DIDL-Lite document, written in pieces.
struct ZoneDIDLList: ChunkedText {
  private let count: Int
  private let object: @Sendable (Int) -> String
  private var next = 0

  /// - Parameter object: the object at a place, from 0; called while the document is written.
  init(count: Int, object: @escaping @Sendable (Int) -> String) {
    self.count = count
    self.object = object
  }

  mutating func write(to text: inout XMLText) -> Bool {
    let before = text.count
    if next == 0 { text.append(markup: ZoneDIDL.head) }
    while next < count {
      // Metadata is read for each object, which takes longer than writing it.
      guard text.count - before < Self.usualLength / 8 else { return true }
      text.append(markup: object(next))
      next += 1
    }
    text.append(markup: ZoneDIDL.tail)
    return false
  }
}
