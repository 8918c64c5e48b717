import Foundation
import Player
import Testing

@testable import GStreamerOutput

/// The sound fades out before it stops; what follows waits for that, but never for good.
@Suite(.serialized) struct FadeTests {
  private let uri: String = {
    Fixtures.write(Fixtures.sound(frames: 44100 * 3), "fade.wav")
    return Fixtures.uri("fade.wav")
  }()

  /// However soon the next track comes, and whether or not its pipeline was made before.
  @Test(arguments: [Duration.zero, .seconds(10)], [false, true])
  func aStartBehindAStopIsHeard(_ releaseAfter: Duration, _ isPrepared: Bool) {
    let recorder = Recorder("file:\(Fixtures.path("restart.out.wav"))", releaseAfter: releaseAfter)
    var id: UInt64 = 0
    for delay in [0, 20, 60, 100, 150] {
      for playing in [0, 50] {
        id += 1
        let before = recorder.events.count
        if isPrepared { recorder.submit(.prepare(Media(uri: uri))) }
        recorder.start(id, uri)
        #expect(recorder.wait(from: before) { $0 == .started(PlayID(id)) } != nil, "\(delay) ms")
        #expect(recorder.wait(from: before) { $0.isPlaying } != nil, "\(delay) ms")
        usleep(useconds_t(playing * 1000))
        recorder.submit(.stop)
        usleep(useconds_t(delay * 1000))
      }
    }
    recorder.shutdown()
  }

  @Test func aPauseTakenBackIsHeardWhole() {
    let out = "pauses.out.wav"
    let recorder = Recorder("file:\(Fixtures.path(out))")
    recorder.start(1, uri)
    #expect(recorder.wait { $0.isPlaying } != nil)
    for delay in [0, 5, 20, 50, 100, 150] {
      recorder.submit(.pause(PlayID(1)))
      usleep(useconds_t(delay * 1000))
      recorder.submit(.resume(PlayID(1)))
      usleep(100_000)
    }
    #expect(recorder.ended(1))
    recorder.shutdown()
    #expect(Fixtures.read(out).count == 44100 * 3 * 2)
  }

  /// Somebody drags the slider right after Pause: nothing is heard of the new place before Play.
  @Test func aSeekWhileAPauseFadesStaysSilent() throws {
    let out = "drag.out.wav"
    let recorder = Recorder("file:\(Fixtures.path(out))")
    recorder.start(1, uri)
    #expect(recorder.wait { $0.isPlaying } != nil)
    usleep(300_000)
    recorder.submit(.pause(PlayID(1)), .seek(PlayID(1), .seconds(2)))
    #expect(recorder.wait { $0 == .paused(PlayID(1), position: .seconds(2)) } != nil)
    func size() throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: Fixtures.path(out))[.size] as? Int
    }
    let before = try size()
    usleep(700_000)
    #expect(try size() == before)
    recorder.submit(.resume(PlayID(1)))
    #expect(recorder.ended(1))
    recorder.shutdown()
    let end = Fixtures.read(out).suffix(44100 * 2 - 4000)
    #expect(difference(Array(end), Array(Fixtures.sound(frames: 44100 * 3).suffix(44100 * 2 - 4000))) == 0)
  }

  /// The position is that of the last sample before the silence, and the sound goes on there.
  @Test func aPauseIsWhereItWasHeardLast() throws {
    let out = "position.out.wav"
    let recorder = Recorder("file:\(Fixtures.path(out))")
    recorder.start(1, uri)
    #expect(recorder.wait { $0.isPlaying } != nil)
    recorder.submit(.pause(PlayID(1)))
    let paused = recorder.wait { $0.isPaused }
    guard case .paused(_, let position) = paused else {
      Issue.record("it doesn't pause")
      return
    }
    let bytes = try FileManager.default.attributesOfItem(atPath: Fixtures.path(out))[.size] as? Int
    let frames = try (#require(bytes) - 44) / 4
    #expect(abs(position / .seconds(1) - Double(frames) / 44100) < 0.0001)
    let before = recorder.events.count
    recorder.submit(.resume(PlayID(1)))
    let resumed = recorder.wait(from: before) { $0.isPlaying }
    guard case .playing(_, let again) = resumed else {
      Issue.record("it doesn't go on")
      return
    }
    #expect(again >= position && again < position + .seconds(1))
    recorder.submit(.stop)
    recorder.shutdown()
  }
}
