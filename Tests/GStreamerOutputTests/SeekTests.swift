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

  @Test(arguments: [false, true])
  func theLastOfTwoSeeksCounts(paused: Bool) throws {
    let (engine, track) = try engine(10, paused: paused)
    #expect(told.drive(engine) { isSilent(at: .zero) || told.events.contains { $0.isPlaying } })
    let before = told.events.count
    engine.perform(.seek(PlayID(1), .seconds(4)))
    #expect(!track.isReady)
    engine.perform(.seek(PlayID(1), .seconds(7)))
    #expect(told.drive(engine) { told.events.dropFirst(before).contains { $0.isPlaying || $0.isPaused } })
    let position: Duration? = told.events.dropFirst(before).compactMap { event -> Duration? in
      switch event {
      case .playing(_, let position), .paused(_, let position): position
      default: nil
      }
    }.first
    #expect(try (.seconds(7) ... .milliseconds(7500)).contains(#require(position)))
    told.end(engine)
  }

  /// A demuxer that answers first and flushes later.
  @Test(arguments: [false, true])
  func aSeekWaitsForTheFlushOfTheOneBefore(atItsEnd: Bool) throws {
    let (engine, track) = try engine(10, paused: true)
    #expect(told.drive(engine) { isSilent(at: .zero) })
    engine.perform(.seek(PlayID(1), .seconds(4)))
    _ = track.feed.beginFlush()
    engine.perform(.seek(PlayID(1), .seconds(6)))
    engine.perform(.seek(PlayID(1), .seconds(7)))
    #expect(track.epoch == 1)
    track.feed.endFlush()
    let format = try #require(track.format)
    engine.handle(
      atItsEnd
        ? .finished(track.serial, epoch: track.epoch) : .ready(track.serial, epoch: track.epoch, format))
    #expect(track.epoch == 3)
    #expect(track.awaitedSeek == nil)
    #expect(told.drive(engine) { isSilent(at: .seconds(7)) })
    #expect(!isSilent(at: .seconds(4)))
    told.end(engine)
  }
}
