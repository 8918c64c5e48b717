import Player

/// A change that others made to a mixer; nil for what they left alone.
struct MixerChange: Sendable, Equatable {
  enum Level: Sendable, Equatable {
    /// 1/100 dB, at most 0.
    case centibels(Int)
    /// 0...100, for a card that knows no decibels.
    case step(Int)
  }

  var level: Level?
  var isMuted: Bool?
}

/// Tells changes by others from our own. Pure.
///
/// A card rounds the level that it is set to, so what it reports after that is not a change by others. Only a
/// difference from its last report is one. This prevents a feedback loop.
struct MixerSync {
  struct Reading: Sendable, Equatable {
    var level: MixerChange.Level
    var isMuted: Bool
  }

  private(set) var card: Reading?

  /// Notes what the card reports after we have set it.
  mutating func settled(_ reading: Reading) { card = reading }

  /// Returns the change that the card reports after an event; nil when nothing has changed.
  mutating func read(_ reading: Reading) -> MixerChange? {
    defer { card = reading }
    guard let card, card != reading else { return nil }
    return MixerChange(
      level: reading.level == card.level ? nil : reading.level,
      isMuted: reading.isMuted == card.isMuted ? nil : reading.isMuted)
  }

  /// Whether the card already has this level, because the player has followed it there.
  func isAt(centibels: Int, step: Int, isMuted: Bool) -> Bool {
    guard let card, card.isMuted == isMuted else { return false }
    return switch card.level {
    // The player counts in 1/256 dB.
    case .centibels(let value): abs(value - centibels) <= 1
    case .step(let value): value == step
    }
  }
}

extension PlayerCore {
  /// Applies a change that others made to the mixer, as far as the limit allows. Returns the resulting volume.
  func take(_ change: MixerChange) -> Volume {
    switch change.level {
    case .centibels(let value):
      let range = state.volume.decibelRange
      let decibels = Int((Double(value) * 2.56).rounded())
      try? perform(
        .setVolumeDecibels(.master, min(max(decibels, range.lowerBound), range.upperBound)))
    case .step(let step): try? perform(.setVolume(.master, min(max(step, 0), 100)))
    case nil: break
    }
    if let isMuted = change.isMuted { try? perform(.setMute(.master, isMuted)) }
    return state.volume
  }
}
