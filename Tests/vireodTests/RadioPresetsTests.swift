import Logging
import NIOPosix
import Player
import Synchronization
import Testing

@testable import vireod

/// A server of lists that answers when the test says so.
private final class SlowLists: SoundSystem {
  typealias Answer = @Sendable (Result<[UInt8], PlaybackFailure>) -> Void

  let waiting = Mutex<[Answer]>([])

  func fetch(_ uri: String, _ fetched: @escaping Answer) { waiting.withLock { $0.append(fetched) } }

  /// Answers the oldest request; false when there is none.
  func answer(_ list: String) -> Bool {
    let oldest = waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    oldest?(.success(Array(list.utf8)))
    return oldest != nil
  }

  func begin() {}
  func submit(_ request: OutputRequest) {}
  func ping(_ answered: @escaping @Sendable () -> Void) { answered() }
  func findMIMETypes(_ found: @escaping @Sendable ([String]) -> Void) { found([]) }
  let buffered = Duration.zero
  func shutdown() -> Bool { true }
}

@Suite struct RadioPresetsTests {
  /// The server may have answered the first request before its list changed.
  @Test func aListThatIsBeingReadIsReadAgain() async throws {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let sound = SlowLists()
    let presets = RadioPresets(eventLoop: loop, sound: sound, logger: Logger(label: "test"))
    let player = PlayerCore(
      executor: loop.executor, configuration: PlayerConfiguration(), output: sound,
      clock: { PlayerInstant(nanoseconds: 0) }, edge: { _, _ in })
    var settings = Settings.Radio()
    settings.playlists = ["http://192.0.2.1/list.m3u"]
    await presets.set(settings, for: player)
    // More often than once changes nothing: one that waits reads what is true then.
    for _ in 0..<3 { await presets.set(settings, for: player) }
    #expect(sound.answer("http://192.0.2.1/old.mp3"))
    // What was answered has arrived, and the next request is out.
    try await loop.submit {}.get()
    #expect(sound.answer("http://192.0.2.1/new.mp3"))
    try await loop.submit {}.get()
    #expect(await player.state.radio.presets.map { $0?.media.uri } == ["http://192.0.2.1/new.mp3"])
    #expect(!sound.answer(""))
  }
}
