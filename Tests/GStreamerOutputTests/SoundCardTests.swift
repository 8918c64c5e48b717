import CGStreamer
import Foundation
import Player
import Testing

@testable import GStreamerOutput

@Suite struct CardDepthTests {
  @Test(
    arguments: [
      // What is wider in what the card takes.
      (.s16, ["S16LE", "S32LE"], .s32), (.u8, ["S16LE", "S32LE"], .s32), (.s24, ["S24LE", "S32LE"], .s32),
      (.s16, ["S16LE", "S24LE"], .s24), (.s16, ["S24_32LE", "S24LE"], .s24in32),
      // What isn't.
      (.s16, ["S16LE"], .s16), (.s24in32, ["S24LE"], .s24in32), (.s32, ["S32LE"], .s32),
      (.f32, ["S32LE"], .f32), (.s16, ["F32LE"], .s16),
    ] as [(SampleEncoding, [String], SampleEncoding)])
  func theWidestIsChosen(encoding: SampleEncoding, taken: [String], chosen: SampleEncoding) {
    let found = CardDepth.widest(for: encoding, rate: 44100, channels: 2) { caps in
      !caps.contains("format=") || taken.contains { caps.contains("format=\($0),rate=44100,channels=2") }
    }
    #expect(found == chosen)
  }

  /// Nothing is converted for the sake of the depth; but what is converted anyway may be.
  @Test(arguments: [(96000, SampleEncoding.s16), (48000, .s32), (44100, .s32)])
  func theRateComesFirst(rate: Int, chosen: SampleEncoding) {
    let taken = ["S16LE,rate=96000", "S16LE,rate=48000", "S32LE,rate=48000"]
    let found = CardDepth.widest(for: .s16, rate: rate, channels: 2) { caps in
      taken.contains { "audio/x-raw,format=\($0),channels=2".hasPrefix(caps) }
        || taken.contains { caps == "audio/x-raw,\($0.dropFirst(6)),channels=2" }
    }
    #expect(found == chosen)
  }

  /// Others may go back to fewer bits.
  @Test(arguments: [
    ("alsa:hw:0", true), ("alsa:hw:CARD=DAC,DEV=0", true), ("alsa:plughw:0", false), ("alsa:default", false),
    ("alsa", false), ("pulse:hw:0", false), ("pipeline:alsasink device=hw:0", false),
  ])
  func onlyACardIsAskedFor(output: String, isCard: Bool) throws {
    GStreamerLibrary.prepare()
    let choice = try SinkChoice(name: output)
    let sink = try choice.make()
    #expect((CardDepth(choice, sink: sink) != nil) == isCard)
    gst_object_unref(sink)
  }
}

/// ALSA's devices.
extension SoundServerTests {
  /// A card that writes down what it gets; its clock is the server's.
  @Test(arguments: [1, 0.3])
  func aCardGetsItsWidestWords(gain: Double) throws {
    let server = try SoundServer()
    try #require(server.plug("speaker"))
    let name = "card-\(gain).raw"
    let configuration = ALSAConfiguration(
      """
      pcm.hw {
        @args [ CARD ]
        @args.CARD { type string default "0" }
        type file
        slave.pcm { type pulse device "speaker" }
        file "\(Fixtures.path(name))"
        format raw
      }
      """)
    defer { withExtendedLifetime(configuration) {} }
    let sound = Fixtures.sound(frames: 22050)
    Fixtures.write(sound, "card.wav")
    let recorder = Recorder("alsa:hw:0", releaseAfter: .zero)
    recorder.submit(.setGain(left: gain, right: gain))
    recorder.start(1, Fixtures.uri("card.wav"))
    #expect(recorder.ended(1))
    let report = recorder.wait { $0.isDevice(\.isOpen) }
    recorder.shutdown()
    guard case .device(.open(_, let path)) = report else {
      Issue.record("nothing was told of the card")
      return
    }
    #expect(path.decoded.name == "S16LE")
    #expect(path.delivered.name == "S32LE")
    #expect(path.changes == (gain == 1 ? [] : [.volume, .dither]))
    let bytes = try Data(contentsOf: Fixtures.directory.appendingPathComponent(name))
    let heard = bytes.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count - 3, by: 4).map {
        Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: Int32.self))
      }
    }
    // Both begin with silence.
    let loud = Array(heard.drop { abs($0) < 65536 / 4 })
    let wanted = sound.drop { $0 == 0 }.map { Double($0) * 65536 * gain }
    try #require(loud.count >= wanted.count)
    #expect(zip(loud, wanted).allSatisfy { abs(Double($0) - $1) <= (gain == 1 ? 0 : 2) })
  }

  /// Nobody tries again by himself for so long: the watch on the directory of ALSA's nodes has told.
  @Test func aCardThatIsPluggedInMuchLaterIsFound() throws {
    let nodes = Fixtures.path("nodes-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(atPath: nodes, withIntermediateDirectories: true)
    let plugged = "pcm.card { type null }"
    let configuration = ALSAConfiguration(plugged)
    Fixtures.write(Fixtures.sound(frames: 4410), "nodes.wav")
    let recorder = Recorder("alsa:card", releaseAfter: .zero, deviceNodes: nodes)
    recorder.start(1, Fixtures.uri("nodes.wav"))
    try #require(recorder.ended(1))
    configuration.write("")
    var before = recorder.events.count
    recorder.start(2, Fixtures.uri("nodes.wav"))
    try #require(
      recorder.wait(from: before) { $0.isDevice { if case .away = $0 { true } else { false } } } != nil)
    Thread.sleep(forTimeInterval: 4.5)
    #expect(recorder.ping())
    before = recorder.events.count
    configuration.write(plugged)
    #expect(recorder.wait(from: before, 1) { $0.isDevice(\.isOpen) } == nil, "nobody has told yet")
    try #require(FileManager.default.createFile(atPath: nodes + "/controlC0", contents: nil))
    #expect(recorder.wait(from: before, 15) { $0.isDevice(\.isOpen) } != nil)
    #expect(recorder.ended(2))
    #expect(recorder.failure(2, 0) == nil)
    recorder.shutdown()
  }
}
