import GStreamerOutput
import Page
import Player

/// A sound system that gets the speaker's own songs over the loopback address, whatever address the queue has them under.
final class OwnSongsSound: SoundSystem {
  private let sound: any SoundSystem
  private let own: OwnSongs

  init(_ sound: any SoundSystem, own: OwnSongs) {
    self.sound = sound
    self.own = own
  }

  /// Returns `sound` itself where there are no such songs.
  static func make(_ sound: any SoundSystem, _ songs: KeptSongs?) -> any SoundSystem {
    songs.map { OwnSongsSound(sound, own: $0.own) } ?? sound
  }

  func submit(_ request: OutputRequest) {
    switch request {
    case .prepare(let media): sound.submit(.prepare(own.local(media)))
    case .start(let id, let media, let position, let paused):
      sound.submit(.start(id, own.local(media), position: position, paused: paused))
    case .setNext(let next?): sound.submit(.setNext(NextTrack(id: next.id, media: own.local(next.media))))
    default: sound.submit(request)
    }
  }

  func attach(to player: PlayerCore) { sound.attach(to: player) }
  func begin() { sound.begin() }
  func ping(_ answered: @escaping @Sendable () -> Void) { sound.ping(answered) }
  func findMIMETypes(_ found: @escaping @Sendable ([String]) -> Void) { sound.findMIMETypes(found) }
  func fetch(_ uri: String, _ fetched: @escaping @Sendable (Result<[UInt8], PlaybackFailure>) -> Void) {
    sound.fetch(uri, fetched)
  }

  var rooms: OutputRooms? { sound.rooms }
  var buffered: Duration { sound.buffered }
  func shutdown() -> Bool { sound.shutdown() }
}
