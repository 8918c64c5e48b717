import DIDLLite
import Text
import XML

extension MediaObject {
  /// The limits of one object; what is beyond them is left out.
  public static let maximumResources = 64
  public static let maximumArtists = 32
  public static let maximumArt = 16
  public static let maximumGenres = 16
  /// In characters.
  public static let maximumTextLength = 2048
  /// In bytes. An object with a longer id isn't listed, since it couldn't be asked for.
  public static let maximumIDLength = 2048
  /// In bytes.
  public static let maximumAddressLength = 8192

  /// Reads one `item` or `container`; nil for one that nobody could ask for.
  ///
  /// - Parameters:
  ///   - base: what relative addresses are relative to: the URLBase or the location of the server's description.
  ///   - sent: the object as the server wrote it.
  init?(_ node: XMLNode, base: String?, sent: SentObject?) {
    let id = node.attributes["id"]?.trimmingASCIISpace ?? ""
    guard id.utf8.count <= Self.maximumIDLength else { return nil }
    let facts = DIDL(node)
    self.init(
      id: id, isContainer: node.name.lowercased() == "container", title: Self.shown(facts.title) ?? "",
      mediaClass: MediaClass(Self.short(facts.upnpClass) ?? ""))
    parentID = Self.identifier(node, "parentID") ?? ""
    refID = Self.identifier(node, "refID")
    creator = Self.shown(node.text(of: "creator"))
    artist = Self.shown(facts.artist)
    artists = node.children("artist").prefix(Self.maximumArtists).compactMap { node in
      Self.shown(node.text.trimmingASCIISpace).map {
        Artist(name: $0, role: Self.short(node.attributes["role"]))
      }
    }
    album = Self.shown(facts.album)
    genres = node.children("genre").prefix(Self.maximumGenres)
      .compactMap { Self.shown($0.text.trimmingASCIISpace) }
    trackNumber = Self.number(node.text(of: "originalTrackNumber"), upTo: 100_000)
    discNumber = Self.number(node.text(of: "originalDiscNumber"), upTo: 10_000)
    date = Self.short(node.text(of: "date"))
    childCount = Self.number(node.attributes["childCount"], from: 0, upTo: Int(UInt32.max))
    isSearchable = ["1", "true", "yes"].contains(node.attributes["searchable"]?.lowercased())
    for picture in node.children("albumArtURI") {
      add(art: Self.address(picture.text, base: base)?.text, profile: picture.attributes["profileID"])
    }
    for node in node.children("res").prefix(Self.maximumResources) {
      guard let resource = MediaResource(node, base: base) else { continue }
      // The pictures of containers, and a dozen sizes of each from some servers.
      if resource.type?.isImage == true, mediaClass.kind != .image {
        add(art: resource.address, profile: resource.protocolInfo?.dlna("DLNA.ORG_PN"))
      } else {
        resources.append(resource)
      }
    }
    self.sent = sent
  }

  private mutating func add(art address: String?, profile: String?) {
    guard let address, art.count < Self.maximumArt, !art.contains(where: { $0.address == address }) else {
      return
    }
    art.append(Art(address: address, profile: Self.short(profile)))
  }

  /// The attribute of that name; nil for an empty or overlong one.
  private static func identifier(_ node: XMLNode, _ name: String) -> String? {
    guard let id = node.attributes[name]?.trimmingASCIISpace, !id.isEmpty,
      id.utf8.count <= maximumIDLength
    else { return nil }
    return id
  }

  private static func short(_ text: String?) -> String? {
    guard let text, !text.isEmpty else { return nil }
    return cut(text, to: maximumTextLength)
  }

  /// A text for people, in which references that were escaped twice are replaced.
  private static func shown(_ text: String?) -> String? {
    short(text.map { HTMLEntities.plain(cut($0, to: 2 * maximumTextLength)) })
  }

  /// - Parameter length: in characters.
  private static func cut(_ text: String, to length: Int) -> String {
    // There are no more characters than bytes.
    text.utf8.count <= length ? text : String(text.unicodeScalars.prefix(length))
  }

  /// Tolerates what follows the number: `3/12`.
  private static func number(_ text: String?, from minimum: Int = 1, upTo maximum: Int) -> Int? {
    guard let text = text?.trimmingASCIISpace else { return nil }
    let digits = text.utf8.prefix { (0x30...0x39).contains($0) }
    guard (1...10).contains(digits.count), let value = Int(Substring(digits)), value >= minimum,
      value <= maximum
    else { return nil }
    return value
  }

  /// The absolute form of an address, and whether it is what the server sent; nil for what isn't an address.
  static func address(_ text: String, base: String?) -> (text: String, isAsSent: Bool)? {
    let sent = text.trimmingASCIISpace
    guard !sent.isEmpty, sent.utf8.count <= maximumAddressLength else { return nil }
    // Escaped twice, or broken over lines.
    var address = sent.utf8.contains(UInt8(ascii: "&")) ? sent.withEach("&amp;", replacedBy: "&") : sent
    if address.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) {
      address.unicodeScalars.removeAll { $0.value < 0x20 || $0.value == 0x7f }
    }
    if !hasScheme(address) {
      guard let base, let absolute = URIReference.resolved(address, against: base), hasScheme(absolute) else {
        return nil
      }
      address = absolute
    }
    return (address, address == sent)
  }

  private static func hasScheme(_ address: String) -> Bool {
    guard let colon = address.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
    let scheme = address.utf8[..<colon]
    guard let first = scheme.first, scheme.count <= 32 else { return false }
    let isLetter: (UInt8) -> Bool = { (0x61...0x7a).contains($0 | 0x20) }
    return isLetter(first)
      && scheme.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || [0x2b, 0x2d, 0x2e].contains($0) }
  }
}

extension MediaResource {
  /// Reads a `res`; nil for one without an address.
  init?(_ node: XMLNode, base: String?) {
    guard let address = MediaObject.address(node.text, base: base) else { return nil }
    self.init(
      address: address.text, protocolInfo: node.attributes["protocolInfo"].flatMap(Self.protocolInfo))
    isAsSent = address.isAsSent
    size = Self.number(node, "size").flatMap { $0 > 0 ? $0 : nil }
    duration = node.attributes["duration"].flatMap(ClockTime.duration).flatMap { $0 > .zero ? $0 : nil }
    sentBitRate = Self.small(node, "bitrate", 1_000_000_000)
    sampleRate = Self.small(node, "sampleFrequency", 50_000_000)
    channels = Self.small(node, "nrAudioChannels", 64)
    bitsPerSample = Self.small(node, "bitsPerSample", 64)
  }

  /// Some servers leave out what they would fill with an asterisk.
  private static func protocolInfo(_ text: String) -> ProtocolInfo? {
    guard text.utf8.count <= 1024, !text.trimmingASCIISpace.isEmpty else { return nil }
    let colons = text.utf8.count { $0 == UInt8(ascii: ":") }
    return ProtocolInfo(text + String(repeating: ":*", count: max(0, 3 - colons)))
  }

  private static func number(_ node: XMLNode, _ name: String) -> Int64? {
    node.attributes[name].flatMap { Int64($0.trimmingASCIISpace) }
  }

  private static func small(_ node: XMLNode, _ name: String, _ maximum: Int64) -> Int? {
    number(node, name).flatMap { (1...maximum).contains($0) ? Int($0) : nil }
  }
}
