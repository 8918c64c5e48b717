import CGStreamer
import Foundation
import Player
import Synchronization
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
    #expect(engine.heard == track)
    #expect(track.id == PlayID(7))
    #expect(track.state.startPosition == 1_000_000_000)
    #expect(engine.prepared == nil)
    #expect(engine.machine.plan.preparation.expiry == nil)
    end(engine)
  }

  @Test func tellsNothing() throws {
    let server = MediaServer()
    let engine = try engine("file:\(Fixtures.path("prepared.out.wav"))")
    engine.perform(.prepare(Media(uri: server.uri("/missing.wav"))))
    #expect(engine.prepared != nil)
    #expect(heard.drive(engine) { engine.prepared == nil }, "who starts it hears what is wrong with it")
    engine.perform(.prepare(Media(uri: "ftp://127.0.0.1/a.wav")))
    #expect(engine.prepared == nil)
    #expect(engine.parts.device == nil)
    #expect(heard.events.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: Fixtures.path("prepared.out.wav")))
  }

  /// The server has answered before somebody wants to hear it, and isn't asked again.
  @Test(arguments: [Duration.zero, .milliseconds(200)])
  func isReadBeforeItIsStarted(from position: Duration) throws {
    Fixtures.write(Fixtures.sound(frames: 22050), "early.wav")
    let server = MediaServer()
    server["/moved"] = .redirect(server.add("/early.wav", fixture: "early.wav"))
    let media = Media(uri: server.uri("/moved"))
    let engine = try engine()
    engine.perform(.prepare(media))
    #expect(heard.drive(engine) { engine.prepared?.state.isReady == true })
    #expect(heard.events.isEmpty)
    #expect(engine.prepared?.readAhead?.limit == 64 << 10, "nobody may ever want more of it")
    engine.perform(.prepare(media))
    let asked = server.requests.count
    #expect(asked == 2)
    engine.perform(.start(PlayID(3), media, position: position, paused: false))
    #expect(heard.drive(engine) { heard.events.contains { if case .playing = $0 { true } else { false } } })
    #expect(heard.events.contains(.duration(PlayID(3), .milliseconds(500))))
    if position == .zero { #expect(server.requests.count == asked) }
    end(engine)
  }

  /// A bin that changes its state may wait for samples whose turn only the control thread can give.
  @Test func theStartDoesNotWaitForItsPipeline() throws {
    Fixtures.write(Fixtures.sound(frames: 22050), "wait.wav")
    let server = MediaServer()
    let media = Media(uri: server.add("/wait.wav", fixture: "wait.wav"))
    let engine = try engine()
    engine.perform(.prepare(media))
    #expect(heard.drive(engine) { engine.prepared?.state.isReady == true })
    let pipeline = UInt(bitPattern: try #require(engine.prepared).track.pipeline)
    let (locked, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let hasWaited = Mutex(false)
    Thread.detachNewThread {
      guard let element = UnsafeMutablePointer<GstElement>(bitPattern: pipeline) else { return }
      // A change of state that is under way may hold the lock, and waits for the start itself: just as well.
      var isLocked = vireo_try_lock_state(element) != 0
      for _ in 0..<1000 where !isLocked {
        usleep(1000)
        isLocked = vireo_try_lock_state(element) != 0
      }
      locked.signal()
      if done.wait(timeout: .now() + 5) == .timedOut { hasWaited.withLock { $0 = true } }
      if isLocked { vireo_unlock_state(element) }
      locked.signal()
    }
    try #require(locked.wait(timeout: .now() + 20) == .success)
    engine.perform(.start(PlayID(1), media, position: .zero, paused: false))
    done.signal()
    try #require(locked.wait(timeout: .now() + 20) == .success)
    #expect(!hasWaited.withLock { $0 })
    #expect(heard.drive(engine) { heard.events.contains(.ended(PlayID(1))) })
    end(engine)
  }

  /// What breaks off before Play is asked for again; what has no end would be heard too late.
  @Test func isNotKeptBrokenOrLive() throws {
    Fixtures.write(Fixtures.sound(frames: 22050), "whole.wav")
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: Fixtures.path("whole.wav"))))
    let server = MediaServer()
    server["/broken.wav"] = .short(Array(bytes.prefix(20_000)), promised: bytes.count)
    server["/live.wav"] = .station(bytes, name: "A station", title: "A song")
    let engine = try engine()
    for name in ["/broken.wav", "/live.wav"] {
      engine.machine.plan.preparation = PreparationPlan()
      engine.perform(.prepare(Media(uri: server.uri(name))))
      #expect(engine.prepared != nil)
      #expect(heard.drive(engine) { engine.prepared == nil }, "\(name)")
    }
    #expect(heard.events.isEmpty)
    end(engine)
  }

  /// Nobody has servers asked a thousand times for what nobody hears.
  @Test func isNotReadTooOften() throws {
    let server = MediaServer()
    for name in ["/a.wav", "/b.wav", "/c.wav"] { server[name] = .silence }
    let engine = try engine()
    let asked: (Int) -> () -> Bool = { count in { server.requests.count >= count } }
    engine.perform(.prepare(Media(uri: server.uri("/a.wav"))))
    engine.perform(.prepare(Media(uri: server.uri("/b.wav"))))
    #expect(engine.prepared?.media.uri == server.uri("/b.wav"))
    heard.drive(engine, 0.5, until: asked(2))
    #expect(!server.requests.contains { $0.hasPrefix("GET /b.wav") })
    engine.perform(.prepare(Media(uri: server.uri("/c.wav"))))
    for _ in 0..<50 where !server.requests.contains(where: { $0.hasPrefix("GET /c.wav") }) {
      heard.drive(engine, 0.1, until: { false })
    }
    #expect(server.requests.contains { $0.hasPrefix("GET /c.wav") })
    end(engine)
  }

  /// The parts of a track are made when nobody waits for them, and go when the device goes.
  @Test func partsOfTheNextTrackAreMadeAhead() throws {
    Fixtures.write(Fixtures.sound(frames: 4410), "spare.wav")
    let server = MediaServer()
    let media = Media(uri: server.add("/spare.wav", fixture: "spare.wav"))
    let engine = try engine()
    #expect(engine.parts.spare == nil)
    engine.perform(.start(PlayID(1), media, position: .zero, paused: false))
    #expect(heard.drive(engine) { heard.events.contains(.ended(PlayID(1))) })
    #expect(heard.drive(engine) { engine.parts.spare != nil })
    engine.perform(.start(PlayID(2), media, position: .zero, paused: false))
    #expect(engine.parts.spare == nil, "it was used")
    #expect(heard.drive(engine) { heard.events.contains(.ended(PlayID(2))) })
    #expect(heard.drive(engine) { engine.parts.spare != nil })
    end(engine)
    #expect(engine.parts.spare == nil)
    #expect(engine.machine.plan.preparation.spare == nil)
  }

  @Test func isGivenUp() throws {
    let media = Media(uri: "http://127.0.0.1:9/a.wav")
    let other = Media(uri: "http://127.0.0.1:9/b.wav")
    let engine = try engine()
    let ends: [(Engine) -> Void] = [
      { $0.perform(.stop) }, { $0.perform(.release) },
      { $0.doWhatIsDue(.now + .seconds(11)) },
      { $0.perform(.start(PlayID(1), other, position: .zero, paused: true)) },
    ]
    for giveUp in ends {
      engine.perform(.stop)
      engine.perform(.prepare(media))
      let first = try #require(engine.prepared)
      engine.perform(.prepare(media))
      #expect(engine.prepared == first)
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
    engine.hasten(\.next.deadline)
    let (track, next) = (try #require(engine.heard), try #require(engine.upcoming))
    let (little, much) = (64 << 10, 882_000)
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
    #expect(track.readAhead?.limit == little, "the device hasn't begun with them")
    engine.handle(.device(.settled), at: .now)
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
    recorder.start(1, uri)
    #expect(recorder.ended(1))
    recorder.shutdown()
    #expect(server.requests.count == 1)
    #expect(difference(Fixtures.read("prepare.out.wav"), sound) == 0)
  }
}
