/// The class of an object (ContentDirectory, "upnp:class").
public struct MediaClass: Sendable, Hashable {
  /// As the server sent it: `object.item.audioItem.musicTrack`.
  public var text: String

  public init(_ text: String) { self.text = text }

  /// What a class says, as far as players need it.
  public enum Kind: Sendable, Hashable, CaseIterable {
    case album, artist, genre, playlist, folder
    case track, broadcast, audioBook, audio, video, image, playlistItem
    /// Anything else, such as a vendor's class or a number.
    case other
  }

  /// The kind by the most special known part of the class, in whatever case: servers shorten classes (`StorageFolder`) and
  /// append their own.
  public var kind: Kind {
    for part in text.utf8.split(separator: UInt8(ascii: ".")).suffix(16).reversed() {
      if let kind = Self.kinds[Substring(part).lowercased()] { return kind }
    }
    return .other
  }

  private static let kinds: [String: Kind] = [
    "musicalbum": .album, "album": .album, "musicartist": .artist, "person": .artist, "musicgenre": .genre,
    "genre": .genre,
    "playlistcontainer": .playlist, "storagefolder": .folder, "storagevolume": .folder,
    "storagesystem": .folder,
    "musictrack": .track, "audiobroadcast": .broadcast, "audiobook": .audioBook, "audioitem": .audio,
    "videoitem": .video, "imageitem": .image, "playlistitem": .playlistItem,
  ]
}

extension MediaClass.Kind {
  /// True for sound that plays by itself.
  public var isAudio: Bool {
    switch self {
    case .track, .broadcast, .audioBook, .audio: true
    case .album, .artist, .genre, .playlist, .folder, .video, .image, .playlistItem, .other: false
    }
  }
}
