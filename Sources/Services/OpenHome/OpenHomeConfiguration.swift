/// What OpenHome control points are shown of this device, and how far it bends to particular ones.
///
/// Texts are not escaped. Paths are those of this server (`/icon.png`) and become URLs with the server's address;
/// absolute URLs are taken as they are; nil is nothing.
public struct OpenHomeConfiguration: Sendable, Hashable {
  /// Who made it, or what was made.
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

  /// A source as users see it; control points leave out those that aren't visible.
  public struct Source: Sendable, Hashable {
    public var name: String
    public var isVisible: Bool

    public init(_ name: String, isVisible: Bool = true) {
      self.name = name
      self.isVisible = isVisible
    }
  }

  /// Devices of one room are shown together.
  public var room: String
  public var productName: String
  /// A line about the product, as shown on its page.
  public var productInfo: String
  public var manufacturer: Origin
  public var model: Origin
  /// Path or URL of the device's own page.
  public var presentation: String?
  /// Path or URL of a small and of a large picture of the device.
  public var image: String?
  public var imageHires: String?
  public var playlist: Source
  public var radio: Source
  /// Hidden by default: an OpenHome control point can't give it anything to play.
  public var upnpAV: Source
  public var compatibility: OpenHomeCompatibility

  public init(
    room: String, productName: String, productInfo: String = "", manufacturer: Origin, model: Origin,
    presentation: String? = nil, image: String? = nil, imageHires: String? = nil,
    playlist: Source = Source("Playlist"), radio: Source = Source("Radio"),
    upnpAV: Source = Source("UPnP AV", isVisible: false),
    compatibility: OpenHomeCompatibility = OpenHomeCompatibility()
  ) {
    self.room = room
    self.productName = productName
    self.productInfo = productInfo
    self.manufacturer = manufacturer
    self.model = model
    self.presentation = presentation
    self.image = image
    self.imageHires = imageHires
    self.playlist = playlist
    self.radio = radio
    self.upnpAV = upnpAV
    self.compatibility = compatibility
  }
}

/// Where control points disagree. The defaults suit the current ones; each switch names who needs it.
///
/// One more is no matter of these services: old versions of Kinsky want no UPnP AV beside OpenHome; for them the
/// MediaRenderer is left out.
public struct OpenHomeCompatibility: Sendable, Hashable {
  /// The version of Product that is announced, 1...4. One version of the Lumin app doesn't find a renderer that
  /// announces Product:2 or later: set 1 for it. All actions stay available whatever is announced.
  public var productVersion: Int
  /// Puts the song that a station plays now into Info's Metadata, with the station as the artist where the stream
  /// names none. For control points that ignore Metatext and would show nothing but the station. Leave it off for
  /// the others: Metadata changes then with each song, as if another station had been chosen.
  public var currentSongInMetadata: Bool

  public init(productVersion: Int = 4, currentSongInMetadata: Bool = false) {
    self.productVersion = min(max(productVersion, 1), 4)
    self.currentSongInMetadata = currentSongInMetadata
  }
}
