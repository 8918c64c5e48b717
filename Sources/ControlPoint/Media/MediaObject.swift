import DIDLLite

/// A track, station, album, folder …: what a media server lists (ContentDirectory, "DIDL-Lite").
public struct MediaObject: Sendable, Hashable {
  /// An artist and what they did: `AlbumArtist`, `Composer`, `Performer`; nil for the artist as such.
  public struct Artist: Sendable, Hashable {
    public var name: String
    public var role: String?

    public init(name: String, role: String? = nil) {
      self.name = name
      self.role = role
    }
  }

  /// A picture.
  public struct Art: Sendable, Hashable {
    /// The absolute address.
    public var address: String
    /// What DLNA calls its size: `JPEG_TN` (160 pixels), `JPEG_SM`, `JPEG_MED`, `JPEG_LRG`.
    public var profile: String?

    public init(address: String, profile: String? = nil) {
      self.address = address
      self.profile = profile
    }
  }

  /// Empty if the server sent none.
  public var id: String
  public var parentID = ""
  /// The id of the object that this one stands for, such as the track in an album for a track in a playlist.
  public var refID: String?
  public var isContainer: Bool
  /// Empty if the server sent none.
  public var title: String
  public var mediaClass: MediaClass
  public var creator: String?
  public var artists: [Artist] = []
  /// The artist to show: the one without a role, else the performer, else the first, else the creator.
  public var artist: String?
  public var album: String?
  public var genres: [String] = []
  public var trackNumber: Int?
  public var discNumber: Int?
  /// Year, or year, month and day, as the server sent it.
  public var date: String?
  /// The best first, as the server lists them.
  public var art: [Art] = []
  public var resources: [MediaResource] = []
  /// Only a hint: several servers send none, or 0.
  public var childCount: Int?
  public var isSearchable = false
  /// The object as the server wrote it; nil for one that no server sent.
  public var sent: SentObject?

  public init(id: String, isContainer: Bool, title: String, mediaClass: MediaClass) {
    self.id = id
    self.isContainer = isContainer
    self.title = title
    self.mediaClass = mediaClass
  }

  /// An object for an address alone, such as a file's or a station's.
  ///
  /// - Parameters:
  ///   - title: nil for the last part of the address's path.
  ///   - mimeType: nil if it isn't known.
  public init(address: String, title: String? = nil, isStation: Bool = false, mimeType: String? = nil) {
    let last = address.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
      .split(separator: UInt8(ascii: "/")).last
      .map { PercentEncoding.shown(String(decoding: $0, as: UTF8.self)) }
    self.init(
      id: "0", isContainer: false, title: title ?? last ?? address,
      mediaClass: MediaClass(isStation ? DIDLWriter.stationClass : DIDLWriter.trackClass))
    parentID = "-1"
    let info = mimeType.flatMap { ProtocolInfo("http-get:*:\($0):*") }
    resources = [MediaResource(address: address, protocolInfo: info)]
  }

  /// True for an item that a renderer of music can play: one that is called audio, or has a resource that is.
  public var isPlayable: Bool {
    guard !isContainer, !resources.isEmpty else { return false }
    switch mediaClass.kind {
    case .video, .image: return false
    case .playlistItem: return resources.contains { $0.type?.isAudio == true }
    case .track, .broadcast, .audioBook, .audio: return resources.contains { $0.type?.isImage != true }
    case .album, .artist, .genre, .playlist, .folder, .other:
      return resources.contains { $0.type?.isAudio == true }
    }
  }

  /// The resource that the object is about: the first that is audio, else the first that is no picture; some servers send a
  /// dozen pictures of each track.
  public var mainResource: MediaResource? {
    resources.first { $0.type?.isAudio == true } ?? resources.first { $0.type?.isImage != true }
      ?? resources.first
  }

  /// What tells this object from others of its server: the id or, without one, title and address.
  var identity: String { id.isEmpty ? "\u{0}\(title)\u{0}\(resources.first?.address ?? "")" : id }
}
