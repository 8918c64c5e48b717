import Logging
import NIOPosix
import Player
import Synchronization
import Testing

@testable import vireod

@Suite struct MixerChoiceTests {
  @Test func whatIsAllowedIsRead() throws {
    #expect(try MixerChoice("software") == .software)
    #expect(try MixerChoice("none") == MixerChoice.none)
    #expect(try MixerChoice("alsa:Master") == .alsa(control: "Master", card: nil))
    #expect(try MixerChoice("alsa:PCM Left@hw:1") == .alsa(control: "PCM Left", card: "hw:1"))
    #expect(try MixerChoice("command:/usr/local/bin/amp") == .command("/usr/local/bin/amp"))
  }

  @Test(arguments: [
    "alsa", "alsa:", "alsa:@hw:1", "alsa:X@", "command:", "command:amp", "none:1", "x", "softwar",
  ])
  func theRestIsRefused(text: String) {
    #expect(SettingsChecks.mixer(text) != nil)
  }

  @Test(arguments: [
    ("auto", "default"), ("alsa", "default"), ("alsa:hw:1,0", "hw:1"),
    ("alsa:plughw:CARD=DAC,DEV=0", "hw:DAC"),
    ("alsa:hw:2", "hw:2"), ("alsa:default", "default"), ("pulse", "default"), ("alsa:null", "default"),
  ])
  func theCardIsThatOfTheOutput(output: String, card: String) {
    #expect(MixerChoice.card(of: output) == card)
  }
}

/// Remembers the gains that get through.
private final class GainRecorder: SoundSystem {
  let gains = Mutex<[[Double]]>([])

  func submit(_ request: OutputRequest) {
    if case .setGain(let left, let right) = request {
      gains.withLock { $0.append([left, right]) }
    }
  }
  func begin() {}
  func ping(_ answered: @escaping @Sendable () -> Void) {}
  func findMIMETypes(_ found: @escaping @Sendable ([String]) -> Void) {}
  func fetch(_ uri: String, _ fetched: @escaping @Sendable (Result<[UInt8], PlaybackFailure>) -> Void) {}
  let buffered = Duration.zero
  func shutdown() {}
}

private final class FakeMixer: Mixer {
  let steps = Mutex<[Int]>([])
  func apply(_ volume: Volume) { steps.withLock { $0.append(volume.step(of: .master)) } }
  func close() {}
}

@Suite struct MixedSoundTests {
  private func run(_ mixer: FakeMixer?, _ commands: [Command]) async throws -> [[Double]] {
    let recorder = GainRecorder()
    let sound = MixedSound(recorder, mixer: mixer)
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let player = PlayerCore(
      executor: loop.executor, configuration: PlayerConfiguration(), output: sound,
      clock: { PlayerInstant(nanoseconds: 0) }, edge: { _, _ in })
    try await loop.submit { sound.attach(to: player) }.get()
    for command in commands { try await player.perform(command) }
    return recorder.gains.withLock { $0 }
  }

  @Test func aMixerMakesTheVolumeAndSamplesStayAsTheyAre() async throws {
    let mixer = FakeMixer()
    let gains = try await run(mixer, [.setVolume(.master, 20), .setVolume(.master, 90)])
    #expect(mixer.steps.withLock { $0 } == [50, 20, 90])
    #expect(gains == [[1, 1], [1, 1], [1, 1]])
  }

  @Test func muteAndZeroAreSilenceWhateverTheCardCan() async throws {
    let gains = try await run(
      FakeMixer(), [.setMute(.master, true), .setMute(.master, false), .setVolume(.master, 0)])
    #expect(gains == [[1, 1], [0, 0], [1, 1], [0, 0]])
  }

  @Test func balanceStaysInTheSamples() async throws {
    let gains = try await run(FakeMixer(), [.setMute(.left, true), .setVolume(.master, 10)])
    #expect(gains == [[1, 1], [0, 1], [0, 1]])
  }

  @Test func aFixedVolumeIsFixed() async throws {
    let gains = try await run(nil, [.setVolume(.master, 0), .setVolume(.left, 3), .setMute(.master, true)])
    #expect(gains == [[1, 1], [1, 1], [1, 1], [0, 0]])
  }
}

@Suite struct ALSAMixerTests {
  /// There is no such card: it is said once, and nothing hangs.
  @Test func anAbsentCardIsSaidOnce() {
    let lines = Mutex<[String]>([])
    let logger = Logger(label: "test") { _ in Recorder(lines: { line in lines.withLock { $0.append(line) } })
    }
    let mixer = ALSAMixer(control: "Master", card: "hw:31", logger: logger)
    for step in [10, 20] {
      mixer.apply(Volume(step: step))
      mixer.close()
    }
    #expect(lines.withLock { $0.count } == 1)
    #expect(lines.withLock { $0.first }?.contains("\"Master\" of hw:31") == true)
  }

  private struct Recorder: LogHandler {
    var lines: @Sendable (String) -> Void
    var logLevel = Logger.Level.trace
    var metadata = Logger.Metadata()
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }
    func log(event: LogEvent) { lines("\(event.message)") }
  }
}
