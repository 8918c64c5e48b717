import DIDLLite
import Player

/// The metadata that a service shows, built once per track and song.
///
/// Building it may mean parsing a long document, and services are asked for all their values after every change.
final class ShownMetadata: Sendable {
  private struct Key: Equatable, Sendable {
    var media: Media
    var isStation: Bool
    var song: StreamTags?
  }

  private let last = Memo<Key, String>()

  /// The metadata of `media` for control points, with `song` instead of its title.
  func text(of media: Media, isStation: Bool, song: StreamTags? = nil) -> String {
    last.value(for: Key(media: media, isStation: isStation, song: song)) { key in
      if let song = key.song { return DIDLWriter.metadata(of: key.media, song: song) }
      return key.isStation ? key.media.stationMetadata : key.media.trackMetadata
    }
  }
}
