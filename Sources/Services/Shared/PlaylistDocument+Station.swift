import Kept
import Player

extension PlaylistDocument.Entry {
  /// The entry as a radio preset.
  public var station: Media { Media(station: uri, name: title, image: imageURI) }
}
