import Foundation
import Player
import Testing

@testable import GStreamerOutput

/// What becomes of a next track whose news comes only after the track before it has ended.
@Suite(.serialized) struct NextTrackTests {
  private let server = MediaServer()
  private let recorder = Recorder("null")

  private func sound(_ frames: Int) -> [UInt8] {
    let name = "next-\(frames).wav"
    Fixtures.write(Fixtures.sound(frames: frames), name)
    return (try? Array(Data(contentsOf: Fixtures.directory.appendingPathComponent(name)))) ?? []
  }

  /// Plays a short track of so many frames, and then what `behaviour` serves.
  private func play(_ frames: Int = 22050, then behaviour: MediaServer.Behaviour) {
    server["/first.wav"] = .file(sound(frames), type: "audio/wav", ranges: true)
    server["/next"] = behaviour
    recorder.start(1, server.uri("/first.wav"))
    recorder.setNext(2, server.uri("/next"))
  }

  @Test func itsServerBreaksOff() {
    let whole = sound(88200)
    play(then: .short(Array(whole.prefix(whole.count / 2)), promised: whole.count, seconds: 1.5))
    #expect(recorder.wait { $0 == .started(PlayID(2)) } != nil)
    #expect(recorder.failure(2) != nil)
    #expect(!recorder.events.contains(.ended(PlayID(2))))
  }

  @Test func itIsMissing() {
    play(then: .late(.status(404), seconds: 1.5))
    #expect(recorder.failure(2)?.kind == .notFound)
    #expect(recorder.ended(1))
  }

  @Test func itIsElsewhere() {
    server["/there.wav"] = .file(sound(22051), type: "audio/wav", ranges: true)
    play(then: .late(.redirect("/there.wav"), seconds: 1.5))
    #expect(recorder.ended(2))
  }

  @Test func itHasTitles() throws {
    let names = try #require(Fixtures.pair("titles", "lame.mp3", first: 88200, second: 4410))
    let bytes = try Array(Data(contentsOf: Fixtures.directory.appendingPathComponent(names[0])))
    play(then: .late(.station(bytes, name: "A station", title: "A song"), seconds: 1.5))
    #expect(
      recorder.wait { if case .tags(PlayID(2), let tags) = $0 { tags.title == "A song" } else { false } }
        != nil)
  }

  @Test func itIsClearedWhileItsServerIsSlow() {
    // The answer comes long after the next track is cleared, and while the first one still plays.
    play(44100 * 4, then: .late(.status(404), seconds: 2))
    recorder.wait { $0.isPlaying }
    recorder.submit(.setNext(nil))
    #expect(recorder.ended(1))
    #expect(!recorder.events.contains { $0.playID == PlayID(2) })
  }
}
