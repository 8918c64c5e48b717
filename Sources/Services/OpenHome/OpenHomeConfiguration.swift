import Player

/// How this device presents itself to OpenHome control points, and its compatibility options.
///
/// Strings are not escaped. Paths on this server (`/icon.png`) are completed with the server's address;
/// absolute URLs are used as they are; nil means none.
public struct OpenHomeConfiguration: Sendable, Hashable {
  /// The manufacturer or the model.
  public struct Origin: Sendable, Hashable {
    public var name: String
    public var info: String
    public var url: String
    /// Path or URL of a picture.
    public var image: String?

    public init(name: String, info: String = "", url: String = "", image: String? = nil) {
      self.name = name
      self.info = info
      self.url = url
      self.image = image
    }
  }

  /// A source as users see it; control points hide a source that isn't visible.
  public struct Source: Sendable, Hashable {
    public var name: String
    public var isVisible: Bool

    public init(_ name: String, isVisible: Bool = true) {
      self.name = name
      self.isVisible = isVisible
    }

    /// A source by its default name, or another one.
    public init(_ kind: SourceKind, name: String? = nil) {
      self.init(name ?? kind.defaultName, isVisible: kind.names.isVisible)
    }
  }

  /// Where this room sends what it plays (Songcast).
  public struct Sender: Sendable, Hashable {
    /// The UDN without `uuid:`.
    public var zone: String
    /// To a group of addresses, rather than to each listener.
    public var isMulticast: Bool

    public init(zone: String, isMulticast: Bool = false) {
      self.zone = zone
      self.isMulticast = isMulticast
    }
  }

  /// Control points group devices by room.
  public var room: String
  public var productName: String
  /// A line about the product, for its page in the control point.
  public var productInfo: String
  public var manufacturer: Origin
  public var model: Origin
  /// Path or URL of the device's own page.
  public var presentation: String?
  /// Path or URL of a picture of the device; `imageHires` is the large one.
  public var image: String?
  public var imageHires: String?
  /// Those that aren't here are shown as they are by default.
  public var sources: [SourceKind: Source]
  public var compatibility: OpenHomeCompatibility
  public var sender: Sender

  public init(
    room: String, productName: String, productInfo: String = "", manufacturer: Origin, model: Origin,
    presentation: String? = nil, image: String? = nil, imageHires: String? = nil,
    sources: [SourceKind: Source] = [:], compatibility: OpenHomeCompatibility = OpenHomeCompatibility(),
    sender: Sender = Sender(zone: "")
  ) {
    self.room = room
    self.productName = productName
    self.productInfo = productInfo
    self.manufacturer = manufacturer
    self.model = model
    self.presentation = presentation
    self.image = image
    self.imageHires = imageHires
    self.sources = sources
    self.compatibility = compatibility
    self.sender = sender
  }

  public func source(_ kind: SourceKind) -> Source { sources[kind] ?? Source(kind) }

  /// True when each source has the same name and visibility in `other`.
  func showsSources(as other: OpenHomeConfiguration) -> Bool {
    SourceKind.allCases.allSatisfy { source($0) == other.source($0) }
  }
}

/// Options for control points with conflicting requirements. The defaults suit the current ones; each option
/// names those that need it.
///
/// One such option is outside these services: old versions of Kinsky need a device without UPnP AV, so the
/// MediaRenderer is disabled for them.
public struct OpenHomeCompatibility: Sendable, Hashable {
  /// The announced version of Product, 1...4.
  ///
  /// One version of the Lumin app doesn't find a renderer that announces Product:2 or later. Control points
  /// with OpenHome's topology library of 2016 (old ones of Kazoo and Linn) use only services of version 1.
  /// With 1, all services are announced and described as version 1. All actions stay available regardless.
  public var productVersion: Int
  /// Puts a station's current song into Info's Metadata, with the station as the artist if the stream names
  /// none.
  ///
  /// This is for control points that ignore Metatext and would show only the station. Leave it off for the
  /// others: Metadata then changes with every song, as if another station had been chosen.
  public var currentSongInMetadata: Bool

  public init(productVersion: Int = 4, currentSongInMetadata: Bool = false) {
    self.productVersion = min(max(productVersion, 1), 4)
    self.currentSongInMetadata = currentSongInMetadata
  }
}
