import Logging
import Player

/// A sound system whose volume is made by a mixer; of the player's gains only what the mixer leaves gets through.
final class MixedSound: SoundSystem {
  private let sound: any SoundSystem
  /// nil: nobody makes the volume.
  private let mixer: (any Mixer)?

  init(_ sound: any SoundSystem, mixer: (any Mixer)?) {
    self.sound = sound
    self.mixer = mixer
  }

  /// `sound` as it is, or behind the mixer that `settings` choose.
  static func make(_ sound: any SoundSystem, _ settings: Settings.Audio, logger: Logger) -> any SoundSystem {
    // The reader lets nothing else in.
    switch (try? MixerChoice(settings.mixer)) ?? .software {
    case .software: sound
    case .none: MixedSound(sound, mixer: nil)
    case .alsa(let control, let card):
      MixedSound(
        sound,
        mixer: ALSAMixer(
          control: control, card: card ?? MixerChoice.card(of: settings.output), logger: logger))
    case .command(let program): MixedSound(sound, mixer: CommandMixer(program: program, logger: logger))
    }
  }

  /// Has the mixer follow the volume, from what it is now.
  func attach(to player: PlayerCore) {
    player.assumeIsolated { player in
      take(player.state.volume)
      player.observe { [weak self] old, new in
        if new.volume != old.volume { self?.take(new.volume) }
      }
    }
  }

  private func take(_ volume: Volume) {
    mixer?.apply(volume)
    let gain = mixer == nil ? MixerGain.fixed(volume) : MixerGain.remaining(of: volume)
    sound.submit(.setGain(left: gain.left, right: gain.right))
  }

  func submit(_ request: OutputRequest) {
    // Ours comes with the change of the volume, right behind this.
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

  func shutdown() {
    sound.shutdown()
    mixer?.close()
  }
}
