extension AVQueue: PlayerSource {
  var cue: Cue { current.cue }

  var follower: Media? { following().flatMap(track(at:)) }
  var skipsBrokenTracks: Bool { current.list?.isContainer == true }

  func hasTrack(_ direction: SkipDirection) -> Bool { step(direction) != nil }
  var canPauseLive: Bool { true }

  private func step(_ direction: SkipDirection) -> Step? {
    direction == .ahead ? successor() : predecessor()
  }

  mutating func open(_ content: MediaContent, using random: inout SplitMix64) {
    current = content.list.map { .tracks(arranged($0, using: &random)) } ?? content
  }

  mutating func advance(using random: inout SplitMix64) -> Bool { takeIfAny(following()) }

  mutating func move(_ direction: SkipDirection, using random: inout SplitMix64) -> Bool {
    takeIfAny(step(direction))
  }

  private mutating func takeIfAny(_ step: Step?) -> Bool {
    guard let step else { return false }
    take(step)
    return true
  }

  static func selected(_ transition: inout Transition) { transition.restoreCast() }
  static func left(_ transition: inout Transition) { transition.saveCast() }
  /// A cast that waits for its Play is already stopped.
  static func stop(_ transition: inout Transition) { try? transition.stopShown() }
}
