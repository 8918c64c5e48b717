/// Commands of the playlist source (OpenHome Playlist:1).
extension Transition {
  mutating func perform(_ command: PlaylistCommand) throws(PlayerError) {
    if isActive, command.isTransport { activeSourceControlled() }
    switch command {
    case .insert(let after, let media): try insert(media, after: after)
    case .delete(let id): try delete(id)
    case .deleteAll: deleteAll()
    case .insertEach(let after, let media): try insert(media, after: after)
    case .deleteEach(let ids): try delete(ids)
    case .move(let ids, let after):
      var tracks = state.playlist.tracks
      guard tracks.move(ids, after: after) else { throw .idNotFound }
      replaceTracks(with: tracks)
    case .bringNext(let ids): changingWhatFollows { playlist, _ in playlist.bringNext(ids) }
    case .restore(let tracks, let current):
      replaceTracks(with: tracks, current: current)
      state.zone.filler = nil
    case .play: playPlaylist()
    case .pause: if isActive, !state.isLive { hold() }
    case .stop: if isActive { halt() }
    case .next: if isActive { next() }
    case .previous: if isActive { previous() }
    case .playID(let id): try play(id)
    case .playIndex(let index):
      let ids = state.playlist.tracks.ids
      guard ids.indices.contains(index) else { throw .indexNotFound }
      try play(ids[index])
    case .seek(let position): if isActive { try seekAndRun(to: position) }
    case .skip(let distance): if isActive { try seekAndRun(by: distance) }
    case .setRepeat(let isOn): state.playlist.setRepeating(isOn)
    case .setShuffle(let isOn): changingWhatFollows { $0.setShuffling(isOn, using: &$1) }
    }
    if state.playlist.isEmpty { state.zone.filler = nil }
  }

  private var isActive: Bool { state.isActive(.playlist) }

  // MARK: Editing

  private mutating func insert(_ media: Media, after: UInt32) throws(PlayerError) {
    let (tracks, limits) = (state.playlist.tracks, state.configuration)
    let bytes = tracks.textBytes + media.textBytes
    guard tracks.count < limits.tracksMax, bytes <= limits.playlistBytesMax, state.playlist.nextID != nil
    else { throw .playlistFull }
    guard after == 0 || tracks.contains(after) else { throw .idNotFound }
    _ = changingWhatFollows { $0.insert(media, after: after, using: &$1) }
  }

  private mutating func insert(_ media: [Media], after: UInt32) throws(PlayerError) {
    guard after == 0 || state.playlist.tracks.contains(after) else { throw .idNotFound }
    let new = state.playlist.newTracks(media, within: state.configuration)
    guard !new.isEmpty else { throw .playlistFull }
    var tracks = state.playlist.tracks
    guard tracks.insert(new, after: after) else { throw .idNotFound }
    replaceTracks(with: tracks)
  }

  private mutating func delete(_ ids: [UInt32]) throws(PlayerError) {
    var tracks = state.playlist.tracks
    guard ids.allSatisfy(tracks.contains) else { throw .idNotFound }
    tracks.remove(Set(ids))
    tracks.isEmpty ? deleteAll() : replaceTracks(with: tracks)
  }

  /// Replaces the list; when the playing track isn't in it, the next one starts.
  private mutating func replaceTracks(with tracks: PlaylistTracks, current: UInt32 = 0) {
    let isPlaying = isActive && state.transport.continuation == .playing
    let removal = changingWhatFollows { $0.replaceTracks(with: tracks, current: current, using: &$1) }
    guard removal != .other, state.activeSource == .playlist else { return }
    state.facts = TrackFacts()
    if isPlaying, removal == .currentFollowed { begin(.playing) } else { halt() }
  }

  private mutating func delete(_ id: UInt32) throws(PlayerError) {
    let isPlaying = isActive && state.transport.continuation == .playing
    guard let removal = changingWhatFollows({ $0.remove(id, using: &$1) }) else { throw .idNotFound }
    guard removal != .other, state.activeSource == .playlist else { return }
    state.facts = TrackFacts()
    if isPlaying, removal == .currentFollowed { begin(.playing) } else { halt() }
  }

  private mutating func deleteAll() {
    guard !state.playlist.isEmpty else { return }
    state.playlist.removeAll()
    guard state.activeSource == .playlist else { return }
    state.facts = TrackFacts()
    state.failure = nil
    halt()
  }

  /// Changes the playlist. When this clears the skipped tracks after the current one, they no longer count as
  /// failures.
  private mutating func changingWhatFollows<Result>(
    _ change: (inout Playlist, inout SplitMix64) -> Result
  ) -> Result {
    let before = state.playlist.skipped
    let result = change(&state.playlist, &state.random)
    if state.activeSource == .playlist, state.playlist.skipped < before {
      state.failuresInRow = max(0, state.failuresInRow - before)
    }
    return result
  }

  // MARK: Transport

  private mutating func playPlaylist() {
    let wasActive = isActive
    activate(.playlist)
    switch state.transport {
    case .stopped:
      state.failuresInRow = 0
      let before = state.playlist.currentID
      state.playlist.begin(using: &state.random)
      if state.playlist.currentID != before { playCurrent() } else { run() }
    case .playing where wasActive: begin(.playing)
    case .playing, .resolving, .loading, .buffering, .paused, .reconnecting, .suspended: run()
    }
  }

  private mutating func next() {
    state.playlist.prepareFollower(using: &state.random)
    if let step = state.playlist.successor() {
      state.playlist.take(step)
      playCurrent()
    } else {
      state.playlist.rewind(using: &state.random)
      standAtCurrent()
    }
  }

  private mutating func previous() {
    if let step = state.playlist.predecessor() {
      state.playlist.take(step)
      playCurrent()
    } else {
      state.playlist.rewindInOrder()
      standAtCurrent()
    }
  }

  private mutating func play(_ id: UInt32) throws(PlayerError) {
    guard state.playlist.tracks.contains(id) else { throw .idNotFound }
    activate(.playlist)
    _ = state.playlist.take(id: id, using: &state.random)
    playCurrent()
  }

  /// Plays a track chosen by a control point: earlier failures don't count.
  private mutating func playCurrent() {
    state.failuresInRow = 0
    state.facts = TrackFacts()
    begin(.playing)
  }

  private mutating func standAtCurrent() {
    state.facts = TrackFacts()
    halt()
  }
}
