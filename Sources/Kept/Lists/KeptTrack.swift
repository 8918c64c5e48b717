import DIDLLite
import Player
import Text
import XML

/// A track of a stored playlist.
public struct KeptTrack: Sendable, Hashable {
  /// Its address, and the metadata that it came with. In that stand title, artist and album, and the object's id on its server.
  public var media: Media
  /// The UDN of the media server that it is from, in lower case and without `uuid:`; nil where nobody knows.
  public var server: String?

  public init(_ media: Media, server: String? = nil) {
    self.media = media
    self.server = server
  }

  /// What it counts for in ``KeptLimits``.
  var bytes: Int {
    media.uri.utf8.count + media.metadata.utf8.count + (media.contentFormat?.utf8.count ?? 0)
      + (server?.utf8.count ?? 0)
  }

  /// Zero where the length isn't known.
  var milliseconds: Int64 { max(0, media.durationHint?.milliseconds ?? 0) }

  /// What its metadata says; read anew each time.
  public var facts: TrackWords { TrackWords(media) }
}

/// A track of a stored playlist, and its id.
public struct KeptEntry: Sendable, Hashable {
  /// Names it in its list; never given to another track.
  public var id: UInt32
  public var track: KeptTrack

  public init(id: UInt32, track: KeptTrack) {
    self.id = id
    self.track = track
  }
}

/// What the metadata of a track says of it, as far as that tells it from others.
public struct TrackWords: Sendable, Hashable {
  /// Its id on its media server; nil for metadata that no server made.
  public var object: String?
  /// The id of the container that it was listed in.
  public var parent: String?
  public var title: String?
  public var artist: String?
  public var album: String?

  init(
    object: String? = nil, parent: String? = nil, title: String?, artist: String?, album: String?
  ) {
    self.object = object
    self.parent = parent
    self.title = title
    self.artist = artist
    self.album = album
  }

  init(_ media: Media) {
    guard let root = LenientXML.parse(media.metadata, limit: 600),
      let item = root.name == "item" ? root : root.child("item")
    else {
      self.init(title: nil, artist: nil, album: nil)
      return
    }
    let sent = DIDL(item)
    self.init(
      object: item.attributes["id"].flatMap(Self.id), parent: item.attributes["parentID"].flatMap(Self.id),
      title: sent.title, artist: sent.artist, album: sent.album)
  }

  /// Control points write these where they know no object.
  private static func id(_ id: String) -> String? {
    let id = id.trimmingASCIISpace
    return ["", "0", "-1"].contains(id) ? nil : id
  }
}
