import Logging
import Player

/// A sound system whose volume is set by a mixer. The samples get only the part of the gain that the mixer leaves.
final class MixerSoundSystem: SoundSystem {
  private let sound: any SoundSystem
  /// The mixer; nil when the volume is fixed.
  private let mixer: (any Mixer)?

  init(_ sound: any SoundSystem, mixer: (any Mixer)?) {
    self.sound = sound
    self.mixer = mixer
  }

  /// Returns `sound` itself, or `sound` behind the mixer that `settings` choose.
  static func make(_ sound: any SoundSystem, _ settings: Settings.Audio, logger: Logger) -> any SoundSystem {
    // The settings reader refuses any other value.
    switch (try? MixerChoice(settings.mixer)) ?? .software {
    case .software: sound
    case .none: MixerSoundSystem(sound, mixer: nil)
    case .alsa(let control, let card):
      MixerSoundSystem(
        sound,
        mixer: ALSAMixer(
          control: control, card: card ?? MixerChoice.card(of: settings.output), logger: logger))
    case .command(let program): MixerSoundSystem(sound, mixer: CommandMixer(program: program, logger: logger))
    }
  }

  /// Makes the mixer follow the player's volume, starting with the current one, and the player follow the mixer.
  func attach(to player: PlayerCore) {
    player.assumeIsolated { player in
      take(player.state.volume)
      player.observe { [weak self] old, new in
        if new.volume != old.volume {
          self?.take(new.volume)
        } else if new.device.isOpen, !old.device.isOpen {
          self?.mixer?.deviceOpened(new.volume)
        }
      }
      mixer?.follow { [weak self] change in
        // Apply the resulting volume even if it was clamped: the player's limit is valid for the card too.
        Task { self?.mixer?.apply(await player.take(change)) }
      }
    }
  }

  private func take(_ volume: Volume) {
    mixer?.apply(volume)
    let gain = mixer == nil ? MixerGain.fixed(volume) : MixerGain.remaining(of: volume)
    sound.submit(.setGain(left: gain.left, right: gain.right))
  }

  func submit(_ request: OutputRequest) {
    // The player's own gain is ignored; observing the volume submits the remaining gain right after it.
    if case .setGain = request { return }
    sound.submit(request)
  }

  func begin() { sound.begin() }
  func ping(_ answered: @escaping @Sendable () -> Void) { sound.ping(answered) }
  func findMIMETypes(_ found: @escaping @Sendable ([String]) -> Void) { sound.findMIMETypes(found) }
  func fetch(_ uri: String, _ fetched: @escaping @Sendable (Result<[UInt8], PlaybackFailure>) -> Void) {
    sound.fetch(uri, fetched)
  }

  var buffered: Duration { sound.buffered }

  func shutdown() -> Bool {
    defer { mixer?.close() }
    return sound.shutdown()
  }
}
