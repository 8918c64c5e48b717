import Text

/// The id of an object that a controller of the Sonos class can browse.
enum ZoneObject: Sendable, Hashable {
  /// The queue: `Q:0`, and its items from 1: `Q:0/1`.
  case queue
  case queueItem(Int)
  /// All stored playlists: `SQ:`; one of them; a track of one, from 1.
  case playlists
  case playlist(UInt32)
  case playlistItem(UInt32, Int)
  /// Favourites: `FV:2`, `FV:2/n`.
  case favourites
  case favourite(UInt32)
  /// Stations: `R:0/0`, `R:0/0/n`.
  case stations
  case station(UInt32)
  /// What has a name, and nothing in it: shares, inputs, the music library and whatever would be below.
  case empty
  /// What contains others of these by name only.
  case root

  init?(_ id: String) {
    switch id {
    case "Q:0": self = .queue
    case "SQ:": self = .playlists
    case "FV:2": self = .favourites
    case "R:0/0": self = .stations
    case "0", "Q:", "R:", "R:0", "FV:": self = .root
    case "R:0/1", "AI:", "S:", "EN:": self = .empty
    default:
      if let number = Self.number("Q:0/", id) {
        self = .queueItem(Int(number))
      } else if let number = Self.number("FV:2/", id) {
        self = .favourite(number)
      } else if let number = Self.number("R:0/0/", id) {
        self = .station(number)
      } else if id.hasPrefix("SQ:") {
        let parts = id.dropFirst(3).split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count <= 2, let list = UInt32(parts[0]), list > 0 else { return nil }
        guard parts.count == 2 else {
          self = .playlist(list)
          return
        }
        guard let place = UInt32(parts[1]), place > 0 else { return nil }
        self = .playlistItem(list, Int(place))
      } else if id.hasPrefix("A:") || id.hasPrefix("S://") {
        self = .empty
      } else {
        return nil
      }
    }
  }

  /// A number from 1 behind `prefix`.
  private static func number(_ prefix: String, _ id: String) -> UInt32? {
    guard id.hasPrefix(prefix), let number = UInt32(id.dropFirst(prefix.count)), number > 0 else {
      return nil
    }
    return number
  }
}
