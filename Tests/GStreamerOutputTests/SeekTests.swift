import CGStreamer
import Foundation
import Player
import Testing

@testable import GStreamerOutput

/// Requests that meet each other, the end of a track or a device that is away.
@Suite(.serialized) struct SeekTests {
  private let told = EngineEvents()

  /// An engine that plays a WAV file of so many seconds, or waits silently in it.
  private func engine(
    _ seconds: Int, paused: Bool, _ output: String = "null", at position: Duration = .zero
  ) throws -> (Engine, EngineTrack) {
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

  /// The pipeline of a track that waits for its turn may be in the middle of a change of state, which ends when it has had
  /// it: an error that comes meanwhile must not have the engine wait for that.
  @Test func anErrorWaitsForNoChangeOfState() throws {
    let engine = try told.engine("null")
    engine.perform(.prepare(Media(uri: "http://127.0.0.1:9/a.wav")))
    let track = try #require(engine.prepared)
    // Safe: the other thread has let go of the pipeline before the test ends.
    nonisolated(unsafe) let pipeline = track.track.pipeline
    let (isHeld, mayGo) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let hasGone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      _ = vireo_try_lock_state(pipeline)
      isHeld.signal()
      _ = mayGo.wait(timeout: .now() + 10)
      vireo_unlock_state(pipeline)
      hasGone.signal()
    }
    isHeld.wait()
    let start = ContinuousClock.now
    track.track.carryOn()
    #expect(ContinuousClock.now - start < .seconds(8))
    mayGo.signal()
    hasGone.wait()
    told.end(engine)
  }

  // MARK: One after the other

  @Test func whatWasSaidBeforeASeekIsNoNewsAfterIt() throws {
    let (engine, track) = try engine(10, paused: true)
    #expect(told.drive(engine) { isSilent(at: .zero) })
    engine.perform(.seek(PlayID(1), .seconds(4)))
    let format = try #require(track.state.format)
    // These lay behind the request.
    engine.handle(.finished(track.serial, epoch: 0))
    engine.handle(.joined(track.serial, epoch: 0, running: 0, media: 77))
    engine.handle(.ready(track.serial, epoch: 0, format))
    #expect(!track.state.isFinished)
    #expect(track.state.joint == nil)
    #expect(!track.state.isReady)
    #expect(!engine.machine.isEndSent)
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
    #expect(!track.state.isReady)
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
    _ = track.track.feed.beginFlush()
    engine.perform(.seek(PlayID(1), .seconds(6)))
    engine.perform(.seek(PlayID(1), .seconds(7)))
    #expect(track.state.epoch == 1)
    track.track.feed.endFlush()
    let format = try #require(track.state.format)
    engine.handle(
      atItsEnd
        ? .finished(track.serial, epoch: track.state.epoch)
        : .ready(track.serial, epoch: track.state.epoch, format))
    #expect(track.state.epoch == 3)
    #expect(track.state.awaitedSeek == nil)
    #expect(told.drive(engine) { isSilent(at: .seconds(7)) })
    #expect(!isSilent(at: .seconds(4)))
    told.end(engine)
  }

  // MARK: At the end

  /// Nothing is left of the first: the next one must not be taken for its continuation.
  @Test(arguments: ["seek", "start", "paused"], [false, true])
  func behindTheEndTheNextTrackBegins(_ how: String, isReadyBefore: Bool) throws {
    let isPaused = how == "paused"
    let (engine, _) = try engine(2, paused: isPaused, at: how == "start" ? .seconds(2) : .zero)
    if how != "start" {
      #expect(told.drive(engine) { isSilent(at: .zero) || told.events.contains { $0.isPlaying } })
    }
    let next = NextTrack(id: PlayID(2), media: Media(uri: Fixtures.uri("seek-2.wav")))
    if isReadyBefore {
      engine.perform(.setNext(next))
      #expect(told.drive(engine) { engine.upcoming?.state.isReady == true })
    }
    if how != "start" { engine.perform(.seek(PlayID(1), .seconds(3))) }
    if !isReadyBefore { engine.perform(.setNext(next)) }
    if isPaused {
      #expect(told.drive(engine) { isSilent(at: .seconds(2)) })
      engine.perform(.resume(PlayID(1)))
    }
    // Long before it has ended.
    #expect(told.drive(engine, 1.5) { told.events.contains(.started(PlayID(2))) })
    #expect(told.drive(engine) { told.events.contains(.ended(PlayID(2))) })
    #expect(!told.events.contains(.ended(PlayID(1))))
    let begins = told.events.contains {
      if case .playing(PlayID(2), let position) = $0 { position < .milliseconds(300) } else { false }
    }
    #expect(begins)
    told.end(engine)
  }

  @Test func aRecordingGoesOnBehindTheEndInItsFormat() throws {
    let out = "seek-end.out.wav"
    let other = Fixtures.sound(frames: 24000, rate: 48000)
    Fixtures.write(other, "seek-48.wav", rate: 48000)
    let (engine, track) = try engine(2, paused: true, "file:\(Fixtures.path(out))")
    // Made while the recording had no format yet.
    engine.perform(.setNext(NextTrack(id: PlayID(2), media: Media(uri: Fixtures.uri("seek-48.wav")))))
    #expect(told.drive(engine) { isSilent(at: .zero) && engine.upcoming?.state.isReady == true })
    engine.perform(.seek(PlayID(1), .seconds(2)))
    engine.perform(.resume(PlayID(1)))
    #expect(told.drive(engine) { told.events.contains(.ended(PlayID(2))) })
    #expect(track != engine.heard)
    told.end(engine)
    #expect(abs(Fixtures.read(out).count - 44100) <= 4)
  }

  // MARK: With the device away

  /// The device was busy when it was opened, and what comes from the source comes meanwhile.
  @Test(arguments: [true, false], [true, false])
  func aDeviceThatIsBusyAtFirstGetsAllOfIt(isSought: Bool, isReadyBefore: Bool) throws {
    // One that can't be opened until its directory is there.
    let directory = "busy-\(isSought)-\(isReadyBefore)"
    let out = "\(directory)/out.wav"
    let (engine, track) = try engine(
      2, paused: false,
      "pipeline:audioconvert ! audio/x-raw,format=S16LE ! wavenc ! filesink location=\(Fixtures.path(out))",
      at: isSought ? .milliseconds(1500) : .zero)
    #expect(told.drive(engine) { engine.parts.device == nil && track.state.format != nil })
    try FileManager.default.createDirectory(
      atPath: Fixtures.path(directory), withIntermediateDirectories: true)
    if isReadyBefore {
      // More than enough for all of it to be decoded.
      usleep(100_000)
      #expect(told.drive(engine) { track.state.isReady })
    } else if isSought {
      engine.machine.performSeek(track.serial, track.state.startPosition)
      engine.handle(.time, at: .now)
      #expect(!track.state.isReady)
    }
    engine.hasten(\.device.retry)
    #expect(told.drive(engine) { told.events.contains(.ended(PlayID(1))) })
    told.end(engine)
    let sound = Fixtures.sound(frames: 88200)
    #expect(difference(Fixtures.read(out), isSought ? Array(sound.dropFirst(66150 * 2)) : sound) == 0)
  }

  /// All of it was in a device that is lost, and there is no way back.
  @Test func aTrackThatWasLostWithItsDeviceEnds() throws {
    let (engine, track) = try engine(1, paused: true)
    #expect(told.drive(engine) { isSilent(at: .zero) })
    engine.perform(.resume(PlayID(1)))
    #expect(told.drive(engine) { track.state.isFinished })
    track.isSeekable = false
    engine.loseDevice()
    #expect(told.drive(engine) { told.events.contains(.ended(PlayID(1))) })
    told.end(engine)
  }

  /// Its end was told before, and is read after.
  @Test(arguments: [0, 1_000_000_000] as [guint64])
  func whatALostDeviceHadIsNotCounted(joint: guint64) throws {
    let (engine, track) = try engine(2, paused: true)
    #expect(told.drive(engine) { isSilent(at: .zero) })
    track.state.joint = (joint, 0)
    engine.loseDevice()
    engine.handle(.finished(track.serial, epoch: track.state.epoch))
    #expect(track.exactDuration == nil)
    #expect(track.duration == 2_000_000_000)
    told.end(engine)
  }

  // MARK: Too late

  @Test(arguments: [false, true])
  func aNextTrackIsWithdrawnOrTold(isSeekable: Bool) throws {
    let (engine, track) = try engine(1, paused: true)
    engine.perform(.setNext(NextTrack(id: PlayID(2), media: Media(uri: Fixtures.uri("seek-1.wav")))))
    #expect(told.drive(engine) { isSilent(at: .zero) && engine.upcoming?.state.isReady == true })
    engine.perform(.resume(PlayID(1)))
    #expect(told.drive(engine) { engine.upcoming?.state.joint != nil })
    #expect(engine.heard == track)
    track.isSeekable = isSeekable
    engine.perform(.setNext(nil))
    #expect(
      told.drive(engine) {
        told.events.contains(.ended(PlayID(1))) || told.events.contains(.ended(PlayID(2)))
      })
    #expect(told.events.contains(.started(PlayID(2))) == !isSeekable)
    #expect(told.events.contains(.ended(PlayID(1))) == isSeekable)
    told.end(engine)
  }

  /// Of two that wait for the control thread only the last is left, and what it finds is told.
  @Test func aPauseOfWhatIsSilentIsTold() throws {
    let (engine, _) = try engine(10, paused: true)
    #expect(told.drive(engine) { isSilent(at: .zero) })
    let before = told.events.count
    engine.perform(.pause(PlayID(1)))
    #expect(told.events.dropFirst(before) == [.paused(PlayID(1), position: .zero)])
    engine.perform(.resume(PlayID(1)))
    #expect(told.drive(engine) { told.events.last?.isPlaying == true })
    engine.perform(.resume(PlayID(1)))
    #expect(told.events.suffix(2).filter { $0.isPlaying }.count == 2)
    told.end(engine)
  }
}
