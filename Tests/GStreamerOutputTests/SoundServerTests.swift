import Foundation
import Player
import Testing

@testable import GStreamerOutput

/// Loudspeakers that vanish and return while something plays.
@Suite(.serialized) struct SoundServerTests {
  private func position(_ event: OutputEvent?) -> Duration? {
    if case .playing(_, let position) = event { position } else { nil }
  }

  @Test func soundGoesOnWhereItWasCutOff() throws {
    let server = try SoundServer()
    try #require(server.plug("speaker"))
    Fixtures.write(Fixtures.sound(frames: 44100 * 4), "speaker.wav")
    let recorder = Recorder("pulse:speaker")
    recorder.start(1, Fixtures.uri("speaker.wav"), at: .seconds(1))
    try #require(recorder.wait { $0.isPlaying } != nil)
    let before = recorder.events.count
    #expect(server.unplug())
    #expect(recorder.wait(from: before, 10) { $0.isBuffering } != nil)
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
    let server = try SoundServer()
    try #require(server.plug("speaker"))
    Fixtures.write(Fixtures.sound(frames: 44100 * 30), "away.wav")
    let recorder = Recorder("pulse:speaker", devicePatience: .seconds(5))
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

  /// Longer than anybody would have tried again by himself.
  @Test func whatIsPluggedInMuchLaterIsFound() throws {
    let server = try SoundServer()
    try #require(server.plug("speaker"))
    Fixtures.write(Fixtures.sound(frames: 44100 * 60), "later.wav")
    let recorder = Recorder("pulse:speaker")
    recorder.start(1, Fixtures.uri("later.wav"), at: .seconds(10))
    try #require(recorder.wait { $0.isPlaying } != nil)
    var before = recorder.events.count
    #expect(server.unplug())
    #expect(
      recorder.wait(from: before, 10) { $0.isDevice { if case .away = $0 { true } else { false } } } != nil)
    #expect(recorder.wait(from: before, 10) { $0.isBuffering } != nil)
    Thread.sleep(forTimeInterval: 4.5)
    #expect(recorder.ping())
    before = recorder.events.count
    #expect(server.plug("speaker"))
    let again = position(recorder.wait(from: before, 15) { $0.isPlaying })
    #expect((again ?? .zero) >= .seconds(10))
    #expect((again ?? .seconds(60)) < .seconds(14))
    #expect(!recorder.events.contains { if case .failed = $0 { true } else { false } })
    recorder.shutdown()
  }

  @Test func aServerThatComesBackIsFound() throws {
    Fixtures.write(Fixtures.sound(frames: 44100 * 60), "server.wav")
    let server = try SoundServer()
    try #require(server.plug("speaker"))
    let recorder = Recorder("pulse:speaker")
    recorder.start(1, Fixtures.uri("server.wav"))
    try #require(recorder.wait { $0.isPlaying } != nil)
    var before = recorder.events.count
    server.stop()
    #expect(recorder.wait(from: before, 10) { $0.isBuffering } != nil)
    Thread.sleep(forTimeInterval: 4.5)
    before = recorder.events.count
    try #require(server.start())
    try #require(server.plug("speaker"))
    #expect(recorder.wait(from: before, 15) { $0.isPlaying } != nil)
    recorder.shutdown()
  }

  @Test func pauseAndSeekHoldWhileItIsAway() throws {
    let server = try SoundServer()
    try #require(server.plug("speaker"))
    Fixtures.write(Fixtures.sound(frames: 44100 * 60), "held.wav")
    let recorder = Recorder("pulse:speaker")
    recorder.start(1, Fixtures.uri("held.wav"))
    try #require(recorder.wait { $0.isPlaying } != nil)
    var before = recorder.events.count
    #expect(server.unplug())
    #expect(recorder.wait(from: before, 10) { $0.isBuffering } != nil)
    before = recorder.events.count
    recorder.submit(.pause(PlayID(1)))
    #expect(recorder.wait(from: before, 10) { $0.isPaused } != nil)
    before = recorder.events.count
    recorder.submit(.seek(PlayID(1), .seconds(30)))
    #expect(recorder.wait(from: before, 10) { $0 == .paused(PlayID(1), position: .seconds(30)) } != nil)
    #expect(server.plug("speaker"))
    before = recorder.events.count
    recorder.submit(.resume(PlayID(1)))
    let again = position(recorder.wait(from: before, 15) { $0.isPlaying })
    #expect((again ?? .zero) >= .seconds(30))
    #expect((again ?? .seconds(60)) < .seconds(32))
    recorder.shutdown()
  }

  /// `[audio] rates`: a device gets the allowed rate, and positions are the track's all the same.
  @Test func aDeviceGetsAnAllowedRate() throws {
    let server = try SoundServer()
    try #require(server.plug("speaker"))
    Fixtures.write(Fixtures.sound(frames: 22050 * 60, rate: 22050), "half.wav", rate: 22050)
    let recorder = Recorder("pulse:speaker", rates: AllowedRates([48000, 44100]))
    recorder.start(1, Fixtures.uri("half.wav"))
    let open = recorder.wait { $0.isDevice { if case .open = $0 { true } else { false } } }
    guard case .device(.open(_, let path)) = open else {
      Issue.record("no device was found")
      return
    }
    #expect(path.changes == [.resampled(from: 22050, to: 44100), .server("PulseAudio")])
    try #require(recorder.wait { $0.isPlaying } != nil)
    recorder.submit(.seek(PlayID(1), .seconds(30)))
    recorder.submit(.pause(PlayID(1)))
    let paused = recorder.wait { if case .paused(_, let at) = $0 { at >= .seconds(30) } else { false } }
    guard case .paused(_, let place) = paused else {
      Issue.record("it doesn't pause behind the seek")
      return
    }
    #expect(place < .seconds(32))
    let before = recorder.events.count
    recorder.submit(.resume(PlayID(1)))
    let again = position(recorder.wait(from: before) { $0.isPlaying }) ?? .zero
    #expect(again >= place)
    #expect(again < place + .seconds(1))
    recorder.shutdown()
  }

  /// `auto`: silent and told, until a device comes.
  @Test func silenceEndsWhenADeviceComes() throws {
    let server = try SoundServer()
    server.stop()
    Fixtures.write(Fixtures.sound(frames: 44100 * 60), "auto.wav")
    let recorder = Recorder("auto")
    let begun = Date()
    recorder.start(1, Fixtures.uri("auto.wav"))
    try #require(recorder.wait { $0.isPlaying } != nil)
    #expect(recorder.events.contains { $0.isDevice { if case .silent = $0 { true } else { false } } })
    Thread.sleep(forTimeInterval: 4)
    let before = recorder.events.count
    try #require(server.start())
    try #require(server.plug("speaker"))
    let open = recorder.wait(from: before, 15) { $0.isDevice { if case .open = $0 { true } else { false } } }
    guard case .device(.open(let name, let path)) = open else {
      Issue.record("no device was found")
      return
    }
    #expect(name == "auto (pulsesink)")
    #expect(path.changes == [.server("PulseAudio")])
    // It ran in real time meanwhile.
    let position = position(recorder.wait(from: before, 15) { $0.isPlaying }) ?? .zero
    let passed = Date().timeIntervalSince(begun)
    #expect(position > .seconds(3))
    #expect(position < .milliseconds(Int(passed * 1000)))
    recorder.shutdown()
  }

  /// Of a device that was there the sound is waited for with `auto` too.
  @Test func autoWaitsForWhatWasThere() throws {
    let server = try SoundServer()
    try #require(server.plug("speaker"))
    Fixtures.write(Fixtures.sound(frames: 44100 * 60), "was.wav")
    let recorder = Recorder("auto")
    recorder.start(1, Fixtures.uri("was.wav"))
    try #require(recorder.wait { $0.isPlaying } != nil)
    let before = recorder.events.count
    server.stop()
    #expect(recorder.wait(from: before, 10) { $0.isBuffering } != nil)
    #expect(recorder.wait(from: before, 5) { $0.isPlaying } == nil)
    try #require(server.start())
    try #require(server.plug("speaker"))
    #expect(recorder.wait(from: before, 15) { $0.isPlaying } != nil)
    #expect(!recorder.events.contains { $0.isDevice { if case .silent = $0 { true } else { false } } })
    recorder.shutdown()
  }

  /// Its server broke off too, and it is opened again: nobody has pressed Play for that.
  @Test func autoWaitsForWhatWasThereWhenTheTrackIsOpenedAgain() throws {
    let server = try SoundServer()
    try #require(server.plug("speaker"))
    Fixtures.write(Fixtures.sound(frames: 44100 * 60), "again.wav")
    let bytes = Array(try Data(contentsOf: Fixtures.directory.appendingPathComponent("again.wav")))
    let media = MediaServer()
    media["/again"] = .short(Array(bytes.prefix(44100 * 4 * 10)), promised: bytes.count, seconds: 6)
    let recorder = Recorder("auto", releaseAfter: .zero)
    recorder.start(1, media.uri("/again"))
    let deadline = Date(timeIntervalSinceNow: 20)
    while media.requests.isEmpty, Date() < deadline { usleep(10_000) }
    // Whoever asks for the rest.
    media["/again"] = .status(503)
    try #require(recorder.wait { $0.isPlaying } != nil)
    #expect(recorder.failure(1)?.mayPass == true)
    server.stop()
    media["/again"] = .file(bytes, type: nil, ranges: true)
    let before = recorder.events.count
    recorder.start(2, media.uri("/again"))
    #expect(
      recorder.wait(from: before, 20) { $0.isDevice { if case .away = $0 { true } else { false } } } != nil)
    try #require(server.start())
    try #require(server.plug("speaker"))
    #expect(recorder.wait(from: before, 20) { $0.isPlaying } != nil)
    #expect(!recorder.events.contains { $0.isDevice { if case .silent = $0 { true } else { false } } })
    recorder.shutdown()
  }

  // MARK: A server that has no device

  /// `auto`: the server runs all the time, and its only loudspeaker goes and comes.
  @Test func autoWaitsForALoudspeakerOfAServerThatStays() throws {
    let server = try SoundServer()
    try #require(server.plug("speaker"))
    Fixtures.write(Fixtures.sound(frames: 44100 * 60), "stays.wav")
    let recorder = Recorder("auto")
    recorder.start(1, Fixtures.uri("stays.wav"), at: .seconds(10))
    try #require(recorder.wait { $0.isPlaying } != nil)
    var before = recorder.events.count
    #expect(server.unplug())
    #expect(
      recorder.wait(from: before, 10) { $0.isDevice { if case .away = $0 { true } else { false } } } != nil)
    #expect(recorder.wait(from: before, 10) { $0.isBuffering } != nil)
    // Longer than anybody tries again by himself.
    #expect(recorder.wait(from: before, 5) { $0.isPlaying } == nil)
    before = recorder.events.count
    #expect(server.plug("speaker"))
    let again = position(recorder.wait(from: before, 15) { $0.isPlaying })
    #expect((again ?? .zero) >= .seconds(10))
    #expect((again ?? .seconds(60)) < .seconds(14))
    #expect(recorder.failure(1, 0) == nil)
    #expect(!recorder.events.contains { $0.isDevice { if case .silent = $0 { true } else { false } } })
    recorder.shutdown()
  }

  /// `auto`: the server runs all the time, and gets its first loudspeaker while the track plays silently.
  @Test func silenceEndsWhenAServerGetsALoudspeaker() throws {
    let server = try SoundServer()
    Fixtures.write(Fixtures.sound(frames: 44100 * 60), "first.wav")
    let recorder = Recorder("auto")
    recorder.start(1, Fixtures.uri("first.wav"))
    try #require(recorder.wait { $0.isPlaying } != nil)
    #expect(recorder.events.contains { $0.isDevice { if case .silent = $0 { true } else { false } } })
    Thread.sleep(forTimeInterval: 4.5)
    let before = recorder.events.count
    try #require(server.plug("speaker"))
    let open = recorder.wait(from: before, 15) { $0.isDevice(\.isOpen) }
    guard case .device(.open(let name, _)) = open else {
      Issue.record("no device was found")
      return
    }
    #expect(name == "auto (pulsesink)")
    // It ran in real time meanwhile.
    #expect((position(recorder.wait(from: before, 15) { $0.isPlaying }) ?? .zero) > .seconds(3))
    #expect(recorder.failure(1, 0) == nil)
    #expect(!recorder.events.contains { $0.isDevice { if case .away = $0 { true } else { false } } })
    recorder.shutdown()
  }

  /// `auto`: ALSA has a card that the server doesn't have. Its name must not lead to the server again.
  @Test func autoTakesACardBesideAnEmptyServer() throws {
    let server = try SoundServer()
    let configuration = ALSAConfiguration("pcm.default { type null }")
    defer { withExtendedLifetime((server, configuration)) {} }
    Fixtures.write(Fixtures.sound(frames: 44100), "beside.wav")
    let recorder = Recorder("auto")
    recorder.start(1, Fixtures.uri("beside.wav"))
    let open = recorder.wait { $0.isDevice(\.isOpen) }
    guard case .device(.open(let name, _)) = open else {
      Issue.record("no device was found")
      return
    }
    #expect(name == "auto (alsasink)")
    #expect(recorder.ended(1))
    recorder.shutdown()
  }

  // MARK: A device that is in use

  /// It is there: playing into nothing would be no help. Tried again for some seconds, then it is a failure.
  @Test func autoStopsWhereTheDeviceIsInUse() throws {
    let server = try SoundServer()
    server.stop()
    BusySink.offer(true)
    defer { BusySink.offer(false) }
    Fixtures.write(Fixtures.sound(frames: 44100), "use.wav")
    let recorder = Recorder("auto")
    let begun = Date()
    recorder.start(1, Fixtures.uri("use.wav"))
    let failure = recorder.failure(1)
    #expect(failure?.kind == .device)
    #expect(failure?.message.contains("in use") == true)
    #expect(Date().timeIntervalSince(begun) > 3)
    #expect(recorder.events.contains { $0.isDevice { if case .away = $0 { true } else { false } } })
    #expect(!recorder.events.contains { $0.isDevice { if case .silent = $0 { true } else { false } } })
    #expect(!recorder.events.contains { $0.isPlaying })
    recorder.shutdown()
  }

  /// Another one is free.
  @Test func autoTakesTheDeviceThatIsFree() throws {
    let server = try SoundServer()
    try #require(server.plug("speaker"))
    BusySink.offer(true)
    defer { BusySink.offer(false) }
    Fixtures.write(Fixtures.sound(frames: 44100), "free.wav")
    let recorder = Recorder("auto")
    recorder.start(1, Fixtures.uri("free.wav"))
    let open = recorder.wait { $0.isDevice(\.isOpen) }
    guard case .device(.open(let name, _)) = open else {
      Issue.record("no device was found")
      return
    }
    #expect(name == "auto (pulsesink)")
    #expect(recorder.ended(1))
    recorder.shutdown()
  }
}
