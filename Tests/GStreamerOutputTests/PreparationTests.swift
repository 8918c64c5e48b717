import CGStreamer
import Foundation
import Player
import Testing

@testable import GStreamerOutput

/// What is made before Play: the track is there, nobody else has noticed, and it isn't kept for ever.
@Suite(.serialized) struct PreparationTests {
  private let heard = EngineEvents()

  private func engine(_ output: String = "null") throws -> Engine { try heard.engine(output) }

  private func end(_ engine: Engine) { heard.end(engine) }

  @Test func isUsedByTheStartOfTheSameMedia() throws {
    let server = MediaServer()
    server["/a.wav"] = .silence
    let media = Media(uri: server.uri("/a.wav"))
    let engine = try engine()
    engine.perform(.prepare(media))
    let track = try #require(engine.prepared)
    engine.perform(.start(PlayID(7), media, position: .seconds(1), paused: false))
    #expect(engine.heard === track)
    #expect(track.id == PlayID(7))
    #expect(track.startPosition == 1_000_000_000)
    #expect(engine.prepared == nil)
    #expect(engine.alarms.preparation == nil)
    end(engine)
  }

  @Test func reachesForNothingAndTellsNothing() throws {
    let server = MediaServer()
    let engine = try engine("file:\(Fixtures.path("prepared.out.wav"))")
    engine.perform(.prepare(Media(uri: server.uri("/missing.wav"))))
    #expect(engine.prepared != nil)
    engine.perform(.prepare(Media(uri: "ftp://127.0.0.1/a.wav")))
    #expect(engine.prepared == nil, "who starts it will hear why")
    #expect(engine.device == nil)
    #expect(server.requests.isEmpty)
    #expect(heard.events.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: Fixtures.path("prepared.out.wav")))
  }

  @Test func isGivenUp() throws {
    let media = Media(uri: "http://127.0.0.1:9/a.wav")
    let other = Media(uri: "http://127.0.0.1:9/b.wav")
    let engine = try engine()
    let ends: [(Engine) -> Void] = [
      { $0.perform(.stop) }, { $0.perform(.release) },
      { $0.ring(.now + .seconds(11)) },
      { $0.perform(.start(PlayID(1), other, position: .zero, paused: true)) },
    ]
    for giveUp in ends {
      engine.perform(.stop)
      engine.perform(.prepare(media))
      let first = try #require(engine.prepared)
      engine.perform(.prepare(media))
      #expect(engine.prepared !== first)
      giveUp(engine)
      #expect(engine.prepared == nil)
      #expect(engine.heard?.media != media)
    }
    engine.perform(.prepare(media))
    #expect(engine.prepared == nil, "something plays, or is about to")
    end(engine)
  }

  /// Who waits for the first samples has the processor for them; only then the buffer is filled.
  @Test func readsLittleUntilTheFirstSamplesAreThere() throws {
    let server = MediaServer()
    server["/a.wav"] = .silence
    server["/b.wav"] = .silence
    let engine = try engine()
    engine.perform(.start(PlayID(1), Media(uri: server.uri("/a.wav")), position: .zero, paused: true))
    engine.perform(.setNext(NextTrack(id: PlayID(2), media: Media(uri: server.uri("/b.wav")))))
    let (track, next) = (try #require(engine.heard), try #require(engine.upcoming))
    let (little, much) = (128 << 10, 882_000)
    #expect(track.readAhead?.limit == little)
    #expect(next.readAhead?.limit == little)
    let caps = try #require(
      gst_caps_from_string("audio/x-raw,format=S16LE,rate=44100,channels=2,layout=interleaved"))
    defer { gst_caps_unref(caps) }
    let format = try #require(StreamFormat(caps: caps))
    engine.handle(.ready(next.serial, epoch: 0, format))
    #expect(next.readAhead?.limit == much, "nobody waits for it")
    engine.handle(.ready(track.serial, epoch: 0, format))
    #expect(track.readAhead?.limit == little)
    engine.handle(.joined(track.serial, epoch: 0, running: 0, media: 0))
    #expect(track.readAhead?.limit == much)
    end(engine)
  }

  /// All the way: sample for sample what an unprepared start plays, with one request for it.
  @Test func playsTheSame() throws {
    let sound = Fixtures.sound(frames: 22050)
    Fixtures.write(sound, "prepare.wav")
    let server = MediaServer()
    let uri = server.add("/prepare.wav", fixture: "prepare.wav")
    let recorder = Recorder("file:\(Fixtures.path("prepare.out.wav"))", releaseAfter: .zero)
    recorder.submit(.prepare(Media(uri: uri)))
    #expect(recorder.ping())
    #expect(server.requests.isEmpty)
    recorder.start(1, uri)
    #expect(recorder.ended(1))
    recorder.shutdown()
    #expect(server.requests.count == 1)
    #expect(difference(Fixtures.read("prepare.out.wav"), sound) == 0)
  }
}
