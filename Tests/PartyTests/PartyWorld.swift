import Player
import SeededRandom

@testable import Party

/// A party, and a player's queue that does what follows from it.
struct PartyWorld {
  var session: PartySession
  var queue = PartyQueue(tracks: [], current: 0, isPlaying: false)
  var songs: [UInt32: PartySong] = [:]
  var now = Duration.seconds(1000)
  var lastTrack: UInt32 = 0
  var random: SeededRandom
  private var lastSong = 0

  init(_ mode: PartyMode = .add, rules: PartyRules = PartyRules(), seed: UInt64 = 1) {
    random = SeededRandom(seed: seed)
    session = PartySession(mode, rules: rules, at: now, using: &random)
  }

  /// A song that nobody has named yet.
  mutating func newSong() -> PartySong {
    lastSong += 1
    return PartySong(title: "Song \(lastSong)", artist: "Artist", address: "http://s/\(lastSong)")
  }

  // MARK: Guests

  mutating func join(_ name: String? = nil, from address: String = "192.0.2.1") throws(PartyRefusal) -> String
  {
    try session.join(code: session.code, name: name, from: address, at: now, using: &random).token
  }

  @discardableResult
  mutating func request(
    _ song: PartySong? = nil, _ token: String, from address: String = "192.0.2.1", next: Bool = false
  ) throws(PartyRefusal) -> Int {
    let song = song ?? newSong()
    let (id, effects) = try session.request(
      song, Media(uri: song.address), token: token, from: address, wantsNext: next, at: now)
    perform(effects)
    return id
  }

  mutating func vote(
    _ id: Int, _ token: String, isFor: Bool = true, from address: String = "192.0.2.1"
  ) throws(PartyRefusal) {
    perform(try session.vote(id, isFor, token: token, from: address, at: now))
  }

  mutating func withdraw(_ id: Int, _ token: String) throws(PartyRefusal) {
    perform(try session.withdraw(id, token: token, at: now))
  }

  // MARK: The host

  mutating func accept(_ id: Int) throws(PartyRefusal) { perform(try session.accept(id)) }
  mutating func refuse(_ id: Int) throws(PartyRefusal) { perform(try session.refuse(id)) }

  /// Adds a track of the host's at the end of the queue.
  mutating func append() {
    lastTrack += 1
    songs[lastTrack] = newSong()
    queue.tracks.append(lastTrack)
    if queue.current == 0 { queue.current = lastTrack }
    take()
  }

  mutating func remove(_ track: UInt32) {
    guard let index = queue.tracks.firstIndex(of: track) else { return }
    queue.tracks.remove(at: index)
    if track == queue.current {
      queue.current =
        queue.tracks.indices.contains(index) ? queue.tracks[index] : queue.tracks.first ?? 0
    }
    take()
  }

  /// The next track plays.
  mutating func advance() {
    guard let index = queue.tracks.firstIndex(of: queue.current) else { return }
    if queue.isPlaying, index + 1 < queue.tracks.count { queue.current = queue.tracks[index + 1] }
    queue.isPlaying = true
    take()
  }

  mutating func jump(to track: UInt32) {
    queue.current = track
    queue.isPlaying = true
    take()
  }

  @discardableResult
  mutating func take() -> Bool {
    session.take(queue, at: now) { [songs, queue] in songs[queue.current] }
  }

  mutating func perform(_ effects: [PartyEffect]) {
    for effect in effects {
      switch effect {
      case .insert(let id, let media, let place):
        lastTrack += 1
        songs[lastTrack] = PartySong(title: "", address: media.uri)
        put(lastTrack, behind: place.anchor(in: queue))
        if queue.current == 0 { queue.current = lastTrack }
        session.inserted(id, as: lastTrack)
      case .move(let track, let place):
        let anchor = place.anchor(in: queue, for: track)
        guard anchor != track else { continue }
        queue.tracks.removeAll { $0 == track }
        put(track, behind: anchor)
      case .remove(let track): remove(track)
      }
    }
    take()
  }

  private mutating func put(_ track: UInt32, behind anchor: UInt32) {
    let index = anchor == 0 ? 0 : queue.tracks.firstIndex(of: anchor).map { $0 + 1 } ?? 0
    queue.tracks.insert(track, at: index)
  }
}
