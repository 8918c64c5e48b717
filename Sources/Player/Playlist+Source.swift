extension Playlist: PlayerSource {
  var track: Media? { current }
  var trackID: UInt32 { currentID }
  var canResume: Bool { !isEmpty }

  func save(in saved: inout SavedPlayer) {
    saved.isRepeating = isRepeating
    saved.isShuffling = isShuffling
    saved.currentTrackID = currentID
    saved.repeatsOne = repeatsOne
  }

  var follower: Media? { repeatsOne ? current : successor().flatMap(track(at:)) }
  var skipsBrokenTracks: Bool { true }

  func hasTrack(_ direction: SkipDirection) -> Bool { step(direction) != nil }
  func canSkip(_ direction: SkipDirection) -> Bool { !isEmpty }
  var canRepeat: Bool { true }
  var canShuffle: Bool { true }

  private func step(_ direction: SkipDirection) -> Step? {
    direction == .ahead ? successor() : predecessor()
  }

  mutating func advance(using random: inout SplitMix64) -> Bool {
    guard repeatsOne else { return move(.ahead, using: &random) }
    guard !isEmpty else { return false }
    take(.place(place))
    return true
  }

  mutating func move(_ direction: SkipDirection, using random: inout SplitMix64) -> Bool {
    if direction == .ahead { prepareFollower(using: &random) }
    guard let step = step(direction) else { return false }
    take(step)
    return true
  }

  static func play(_ transition: inout Transition) throws(PlayerError) {
    try transition.perform(PlaylistCommand.play)
  }

  static func skip(_ direction: SkipDirection, _ transition: inout Transition) throws(PlayerError) {
    transition.leaveStandby(choosingSource: false)
    try transition.perform(direction == .ahead ? PlaylistCommand.next : .previous)
  }
}
