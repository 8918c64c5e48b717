extension Radio: PlayerSource {
  var track: Media? { channel }
  var cue: Cue { content.cue }
  var playsStations: Bool { true }

  func save(in saved: inout SavedPlayer) {
    saved.channel = channel
    saved.isPreset = isPreset
  }

  mutating func open(_ content: MediaContent, using random: inout SplitMix64) { self.content = content }
  mutating func dataArrived() { link.hasSent = true }
  mutating func heard() { link.wasHeard = true }

  static func play(_ transition: inout Transition) throws(PlayerError) {
    try transition.perform(RadioCommand.play)
  }

  static func failed(_ failure: PlaybackFailure, _ transition: inout Transition) {
    transition.stationFailed(failure)
  }

  static func willReconnect(_ transition: inout Transition) { transition.readStationAgain() }
}
