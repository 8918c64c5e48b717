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
  func shutdown() -> Bool { true }
}

private final class FakeMixer: Mixer {
  let steps = Mutex<[Int]>([])
  let opened = Mutex<[Int]>([])
  func apply(_ volume: Volume) { steps.withLock { $0.append(volume.step(of: .master)) } }
  func deviceOpened(_ volume: Volume) { opened.withLock { $0.append(volume.step(of: .master)) } }
  func close() {}
}

@Suite struct MixedSoundTests {
  private func run(_ mixer: FakeMixer?, _ commands: [Command]) async throws -> [[Double]] {
    let recorder = GainRecorder()
    let sound = MixerSoundSystem(recorder, mixer: mixer)
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

  /// A converter that is plugged in again has a level of its own.
  @Test func aDeviceThatReturnsGetsTheVolume() async throws {
    let mixer = FakeMixer()
    let sound = MixerSoundSystem(GainRecorder(), mixer: mixer)
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let player = PlayerCore(
      executor: loop.executor, configuration: PlayerConfiguration(), output: sound,
      clock: { PlayerInstant(nanoseconds: 0) }, edge: { _, _ in })
    try await loop.submit { sound.attach(to: player) }.get()
    try await player.perform(.setVolume(.master, 20))
    let format = SampleFormat(name: "S16LE", depth: 16, isFloat: false, rate: 44100, channels: 2)
    var path = SoundPath(decoded: format, delivered: format, target: .card)
    await player.receive(.device(.open(name: "alsa:hw:0", path)))
    #expect(mixer.opened.withLock { $0 } == [20])
    path.hasReplayGain = true
    await player.receive(.device(.open(name: "alsa:hw:0", path)))
    await player.receive(.device(.away("unplugged")))
    #expect(mixer.opened.withLock { $0 } == [20], "it is the same card, or none")
    await player.receive(.device(.open(name: "alsa:hw:0", path)))
    #expect(mixer.opened.withLock { $0 } == [20, 20])
    #expect(mixer.steps.withLock { $0 } == [50, 20])
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

/// What others do with a card, told from what we do.
@Suite struct MixerSyncTests {
  private static func at(_ centibels: Int, muted: Bool = false) -> MixerSync.Reading {
    MixerSync.Reading(level: .centibels(centibels), isMuted: muted)
  }

  @Test func onlyWhatDiffersIsSomebodysWish() {
    var sync = MixerSync()
    #expect(sync.read(Self.at(-1000)) == nil, "the first thing that a card says is no change")
    // Asked for -1230, the card rounds: its own event for that says nothing new.
    sync.settled(Self.at(-1200))
    #expect(sync.read(Self.at(-1200)) == nil)
    #expect(sync.read(Self.at(-900)) == MixerChange(level: .centibels(-900), isMuted: nil))
    #expect(sync.read(Self.at(-900, muted: true)) == MixerChange(level: nil, isMuted: true))
    #expect(
      sync.read(Self.at(-600)) == MixerChange(level: .centibels(-600), isMuted: false))
    #expect(sync.read(Self.at(-600)) == nil)
  }

  @Test func whatWasFollowedIsNotSetAgain() {
    var sync = MixerSync()
    #expect(!sync.isAt(centibels: -900, step: 50, isMuted: false), "nobody knows where it is")
    sync.settled(Self.at(-900))
    #expect(sync.isAt(centibels: -901, step: 50, isMuted: false))
    #expect(!sync.isAt(centibels: -905, step: 50, isMuted: false))
    #expect(!sync.isAt(centibels: -900, step: 50, isMuted: true))
    sync.settled(MixerSync.Reading(level: .step(40), isMuted: false))
    #expect(sync.isAt(centibels: 0, step: 40, isMuted: false))
    #expect(!sync.isAt(centibels: 0, step: 41, isMuted: false))
  }

  @Test func thePlayerFollowsWithinItsLimit() async {
    let player = PlayerCore(
      executor: MultiThreadedEventLoopGroup.singleton.next().executor,
      configuration: PlayerConfiguration(volumeLimit: 60), output: GainRecorder(),
      clock: { PlayerInstant(nanoseconds: 0) }, edge: { _, _ in })
    var volume = await player.take(MixerChange(level: .step(30), isMuted: true))
    #expect(volume.step(of: .master) == 30)
    #expect(volume.isMuted(.master))
    volume = await player.take(MixerChange(level: .centibels(0), isMuted: false))
    #expect(volume.step(of: .master) == 60)
    #expect(!volume.isMuted(.master))
    volume = await player.take(MixerChange(level: .centibels(-9_999_999), isMuted: nil))
    #expect(volume.step(of: .master) == 0)
    volume = await player.take(MixerChange(level: .centibels(-1806), isMuted: nil))
    #expect(volume.step(of: .master) == 50, "cubic: half is -18.06 dB")
  }
}
