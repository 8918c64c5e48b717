import Testing

@testable import Player

/// The playlist as somebody would describe it who had never to make it fast: a list, a current track, and what was
/// heard since the last shuffling.
private struct ModelPlaylist {
  var tracks: [(id: UInt32, media: Media)] = []
  var lastID: UInt32 = 0
  /// What was told before a restart is below this.
  var firstID: UInt32 = 1
  var changes: UInt32 = 0
  var current: UInt32 = 0
  var repeats = false
  var shuffles = false
  var isPlaying = false
  /// Tracks that had their turn in this round of a shuffled list; nil when going back has made that unclear.
  var heard: Set<UInt32>? = []
  let most: Int

  var ids: [UInt32] { tracks.map(\.id) }
  private var index: Int { ids.firstIndex(of: current) ?? 0 }

  mutating func insert(_ media: Media, after: UInt32) -> PlayerError? {
    if tracks.count == most { return .playlistFull }
    guard let place = after == 0 ? 0 : ids.firstIndex(of: after).map({ $0 + 1 }) else { return .idNotFound }
    lastID = max(lastID + 1, firstID)
    tracks.insert((lastID, media), at: place)
    changes += 1
    if tracks.count == 1 { current = lastID }
    return nil
  }

  /// What of a shuffled list is allowed to be current when going on from here.
  func allowed() -> Set<UInt32> {
    guard let heard else { return Set(ids) }
    let left = Set(ids).subtracting(heard)
    return left.isEmpty ? Set(ids) : left
  }

  private var isLast: Bool {
    shuffles ? heard.map { Set(ids).subtracting($0).isEmpty } ?? false : index == tracks.count - 1
  }

  /// Goes on; what is shown is believed for a shuffled list, as far as it is allowed.
  mutating func next(shown: UInt32, isPlaying shownPlaying: Bool) -> Bool {
    guard !tracks.isEmpty else {
      isPlaying = false
      return true
    }
    heard?.insert(current)
    let wasLast = isLast
    if wasLast { heard = heard.map { _ in [] } }
    isPlaying = heard == nil && shuffles ? shownPlaying : !wasLast || repeats
    let fine = !shuffles || allowed().contains(shown)
    current = shuffles ? shown : ids[(index + 1) % tracks.count]
    if isPlaying { heard?.insert(current) }
    return fine
  }
}

@Suite struct PlaylistModelTests {
  @Test(arguments: 1...4) func behavesAsTheModel(run: Int) {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    let most = [1, 4, 12, 40].randomElement(using: &random) ?? 4
    var rig = Rig(PlayerConfiguration(shuffleSeed: seed, tracksMax: most))
    var model = ModelPlaylist(most: most)
    let token = rig.state.playlist.token
    var moves = 0
    for step in 0..<10_000 {
      let comment: Comment = "seed \(seed), step \(step), run \(run)"
      let known = rig.ids.randomElement(using: &random) ?? 77
      let id = Int.random(in: 0..<20, using: &random) == 0 ? UInt32.random(in: 0...80, using: &random) : known
      switch Int.random(in: 0..<26, using: &random) {
      case 0..<8:
        let media = Media.track("\(step % 17)")
        let after = Int.random(in: 0..<4, using: &random) == 0 ? 0 : id
        let (refusal, expected) = (
          refusal(&rig, .insert(after: after, media)), model.insert(media, after: after)
        )
        #expect(refusal == expected, comment)
      case 8..<12: delete(id, &rig, &model, comment)
      case 12 where Int.random(in: 0..<8, using: &random) == 0:
        rig.playlist(.deleteAll)
        if !model.tracks.isEmpty { model.changes += 1 }
        (model.tracks, model.current, model.isPlaying, model.heard) = ([], 0, false, [])
      case 13:
        rig.playlist(.setRepeat(Bool.random(using: &random)))
        model.repeats = rig.state.playlist.isRepeating
      case 14:
        let isOn = Bool.random(using: &random)
        rig.playlist(.setShuffle(isOn))
        if isOn, !model.shuffles { model.heard = [model.current] }
        model.shuffles = isOn
      case 15, 16: play(&rig, &model, comment)
      case 17:
        rig.playlist(.stop)
        model.isPlaying = false
      case 18, 19:
        moves += 1
        rig.playlist(.next)
        let isAllowed = model.next(shown: rig.currentID, isPlaying: rig.state.transport != .stopped)
        #expect(isAllowed, comment)
      case 20 where !model.shuffles || Int.random(in: 0..<20, using: &random) == 0: previous(&rig, &model)
      case 21: choose(.playID(id), id, &rig, &model, .idNotFound, comment)
      case 22:
        let index = Int.random(in: 0...most, using: &random)
        let chosen = model.ids.indices.contains(index) ? model.ids[index] : 0
        choose(.playIndex(index), chosen, &rig, &model, .indexNotFound, comment)
      case 23...:
        guard model.isPlaying else { break }
        rig.start()
        rig.wait(TrackRateLimit.interval)
        if let offered = rig.state.offer {
          moves += 1
          rig.receive(.started(offered.track.id))
        } else {
          rig.receive(.ended(rig.id))
        }
        let isAllowed = model.next(shown: rig.currentID, isPlaying: rig.state.transport != .stopped)
        #expect(isAllowed, comment)
      default: break
      }
      check(rig, model, token, comment)
      if Int.random(in: 0..<200, using: &random) == 0 {
        // A restart: the same list under the same ids; a new round for a shuffled one. Further ids leave out what may
        // have been told and wasn't saved.
        model.firstID = model.lastID + 65_537
        rig = Rig(rig.state.configuration, snapshot: rig.state.snapshot)
        model.isPlaying = false
        model.heard = model.current == 0 ? [] : [model.current]
        model.changes = rig.state.playlist.token &- token
      }
    }
    #expect(moves > 500, "seed \(seed)")
  }

  private func refusal(_ rig: inout Rig, _ command: PlaylistCommand) -> PlayerError? {
    do {
      try rig.attempt(.playlist(command))
      return nil
    } catch {
      return error
    }
  }

  private func check(_ rig: Rig, _ model: ModelPlaylist, _ token: UInt32, _ comment: Comment) {
    let playlist = rig.state.playlist
    #expect(rig.ids == model.ids, comment)
    #expect(rig.currentID == model.current, comment)
    #expect(playlist.current == model.tracks.first { $0.id == model.current }?.media, comment)
    #expect((rig.state.transport != .stopped) == model.isPlaying, comment)
    #expect(playlist.tracks.lastID == model.lastID, comment)
    #expect(playlist.token == token &+ model.changes, comment)
    #expect(playlist.order.sorted() == model.ids.sorted(), comment)
    for (id, media) in model.tracks { #expect(playlist.tracks[id] == media, comment) }
    if !playlist.isShuffling { #expect(playlist.order == model.ids, comment) }
    let text = model.tracks.map { $0.media.uri.utf8.count + $0.media.metadata.utf8.count }.reduce(0, +)
    #expect(playlist.tracks.textBytes == text, comment)
  }

  private func delete(_ id: UInt32, _ rig: inout Rig, _ model: inout ModelPlaylist, _ comment: Comment) {
    let refusal = refusal(&rig, .delete(id))
    guard let index = model.ids.firstIndex(of: id) else {
      #expect(refusal == .idNotFound, comment)
      return
    }
    #expect(refusal == nil, comment)
    model.tracks.remove(at: index)
    model.changes += 1
    model.heard?.remove(id)
    guard id == model.current else { return }
    let (wasLast, shown) = (index == model.tracks.count, rig.currentID)
    if model.tracks.isEmpty {
      (model.current, model.isPlaying, model.heard) = (0, false, [])
    } else if model.shuffles {
      let left = model.heard.map { Set(model.ids).subtracting($0) }
      if left?.isEmpty == true {
        model.heard = []
        model.isPlaying = model.isPlaying && model.repeats
      } else if left == nil {
        // Whether it was the last of its round isn't known after going back.
        model.isPlaying = rig.state.transport != .stopped
      }
      #expect(model.allowed().contains(shown), comment)
      model.current = shown
      if model.isPlaying { model.heard?.insert(shown) }
    } else {
      model.current = model.ids[wasLast ? 0 : index]
      if wasLast && !model.repeats { model.isPlaying = false }
    }
  }

  private func play(_ rig: inout Rig, _ model: inout ModelPlaylist, _ comment: Comment) {
    let wasFresh = rig.state.playlist.isFresh
    rig.playlist(.play)
    guard !model.tracks.isEmpty else { return }
    if wasFresh, model.shuffles {
      model.current = rig.currentID
      model.heard = []
    }
    model.isPlaying = true
    model.heard?.insert(model.current)
  }

  private func previous(_ rig: inout Rig, _ model: inout ModelPlaylist) {
    let before = rig.state.playlist.place
    rig.playlist(.previous)
    guard !model.tracks.isEmpty else { return }
    model.isPlaying = before > 0 || model.repeats
    if model.shuffles {
      model.current = rig.currentID
      model.heard = nil
    } else if let index = model.ids.firstIndex(of: model.current) {
      let last = model.repeats ? model.tracks.count - 1 : 0
      model.current = model.ids[index > 0 ? index - 1 : last]
    }
  }

  private func choose(
    _ command: PlaylistCommand, _ id: UInt32, _ rig: inout Rig, _ model: inout ModelPlaylist,
    _ error: PlayerError, _ comment: Comment
  ) {
    let wasFresh = rig.state.playlist.isFresh
    let refusal = refusal(&rig, command)
    guard model.ids.contains(id) else {
      #expect(refusal == error, comment)
      return
    }
    #expect(refusal == nil, comment)
    if wasFresh { model.heard = [] } else { model.heard?.insert(model.current) }
    (model.current, model.isPlaying) = (id, true)
    model.heard?.insert(id)
  }
}
