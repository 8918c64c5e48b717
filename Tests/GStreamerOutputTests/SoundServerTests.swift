import Player
import Testing

@testable import GStreamerOutput

/// Loudspeakers that vanish and return while something plays.
@Suite(.serialized) struct SoundServerTests {
  private func position(_ event: OutputEvent?) -> Duration? {
    if case .playing(_, let position) = event { position } else { nil }
  }

  @Test func soundGoesOnWhereItWasCutOff() throws {
    guard let server = SoundServer() else { return }
    try #require(server.plug("speaker"))
    Fixtures.write(Fixtures.sound(frames: 44100 * 4), "speaker.wav")
    let recorder = Recorder("pulse:speaker")
    recorder.start(1, Fixtures.uri("speaker.wav"), at: .seconds(1))
    try #require(recorder.wait { $0.isPlaying } != nil)
    let before = recorder.events.count
    #expect(server.unplug())
    #expect(server.plug("speaker"))
    let again = position(recorder.wait(from: before) { $0.isPlaying })
    #expect((again ?? .zero) >= .seconds(1))
    #expect((again ?? .seconds(5)) < .seconds(4))
    #expect(recorder.ended(1))
    #expect(!recorder.events.contains { if case .failed = $0 { true } else { false } })
    // All of a process share one connection to PulseAudio, which mustn't outlive the server.
    recorder.shutdown()
  }

  @Test func aLoudspeakerThatStaysAwayIsAFailureThatHeals() throws {
    guard let server = SoundServer() else { return }
    try #require(server.plug("speaker"))
    Fixtures.write(Fixtures.sound(frames: 44100 * 30), "away.wav")
    let recorder = Recorder("pulse:speaker")
    recorder.start(1, Fixtures.uri("away.wav"))
    try #require(recorder.wait { $0.isPlaying } != nil)
    #expect(server.unplug())
    let failure = recorder.failure(1, 20)
    #expect(failure?.kind == .device)
    #expect(failure?.message.contains("pulse:speaker") == true)
    #expect(server.plug("speaker"))
    let before = recorder.events.count
    recorder.start(2, Fixtures.uri("away.wav"))
    #expect(recorder.wait(from: before) { $0.isPlaying } != nil)
    recorder.shutdown()
  }
}
