import Player
import Synchronization

/// Remembers the songs that the present station has played since it was chosen.
public final class RadioSongs: Sendable {
  /// The most that are remembered.
  static let most = 50

  struct Song: Sendable, Equatable {
    var text: String
    var began: PlayerInstant
  }

  private let songs = Mutex<[Song]>([])

  public init() {}

  /// The latest first.
  var all: [Song] { songs.withLock { $0 } }

  /// Takes a change of the player.
  ///
  /// - Returns: true when the songs have changed.
  public func take(_ old: PlayerState, _ new: PlayerState, at now: @autoclosure () -> PlayerInstant) -> Bool {
    if old.radio.channel?.uri != new.radio.channel?.uri {
      return songs.withLock { songs in
        defer { songs = [] }
        return !songs.isEmpty
      }
    }
    guard new.activeSource == .radio, old.facts.tags != new.facts.tags, let song = new.metatext else {
      return false
    }
    let text = redacted(text: [song.artist, song.title].compactMap(\.self).joined(separator: " - "))
    let began = now()
    return songs.withLock { songs in
      guard songs.first?.text != text else { return false }
      songs.insert(Song(text: text, began: began), at: 0)
      if songs.count > Self.most { songs.removeLast() }
      return true
    }
  }
}
