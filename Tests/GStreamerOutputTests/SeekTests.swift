import CGStreamer
import Foundation
import Player
import Testing

@testable import GStreamerOutput

/// Seeks that meet each other, the end of a track or a device that is away.
@Suite(.serialized) struct SeekTests {
  private let told = EngineEvents()

  /// An engine that plays a WAV file of so many seconds, or waits silently in it.
  private func engine(
    _ seconds: Int, paused: Bool, _ output: String = "null", at position: Duration = .zero
  ) throws -> (Engine, Track) {
    let name = "seek-\(seconds).wav"
    Fixtures.write(Fixtures.sound(frames: 44100 * seconds), name)
    let engine = try told.engine(output)
    engine.perform(
      .start(PlayID(1), Media(uri: Fixtures.uri(name)), position: position, paused: paused))
    return (engine, try #require(engine.heard))
  }

  private func isSilent(at position: Duration) -> Bool {
    told.events.contains(.paused(PlayID(1), position: position))
  }

  // MARK: One after the other

  @Test func whatWasSaidBeforeASeekIsNoNewsAfterIt() throws {
    let (engine, track) = try engine(10, paused: true)
    #expect(told.drive(engine) { isSilent(at: .zero) })
    engine.perform(.seek(PlayID(1), .seconds(4)))
    let format = try #require(track.format)
    // These lay behind the request.
    engine.handle(.finished(track.serial, epoch: 0))
    engine.handle(.joined(track.serial, epoch: 0, running: 0, media: 77))
    engine.handle(.ready(track.serial, epoch: 0, format))
    #expect(!track.isFinished)
    #expect(track.joint == nil)
    #expect(!track.isReady)
    #expect(!engine.isEndSent)
    #expect(told.drive(engine) { isSilent(at: .seconds(4)) })
    #expect(track.duration == 10_000_000_000)
    told.end(engine)
  }
}
