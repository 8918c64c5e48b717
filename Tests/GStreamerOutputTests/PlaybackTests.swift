import Foundation
import Player
import Testing

@testable import GStreamerOutput

/// One track at a time, in real time, through the `file:` and `null` outputs.
@Suite(.serialized) struct PlaybackTests {
  @Test func playsPausesSeeksExactly() throws {
    let sound = Fixtures.sound(frames: 66150)
    Fixtures.write(sound, "one.wav")
    let server = MediaServer()
    let uri = server.add("/one.wav", fixture: "one.wav")
    let recorder = Recorder("file:\(Fixtures.path("one.out.wav"))")
    recorder.start(1, uri, paused: true)
    #expect(recorder.wait { $0 == .paused(PlayID(1), position: .zero) } != nil)
    #expect(recorder.events.contains(.seekable(PlayID(1), true)))
    #expect(recorder.events.contains(.duration(PlayID(1), .milliseconds(1500))))
    #expect(!recorder.events.contains(.started(PlayID(1))))
    recorder.submit(.seek(PlayID(1), .seconds(1)))
    #expect(recorder.wait { $0 == .paused(PlayID(1), position: .seconds(1)) } != nil)
    recorder.submit(.resume(PlayID(1)))
    #expect(recorder.wait { $0.isPlaying } != nil)
    #expect(recorder.ended(1))
    recorder.submit(.release)
    #expect(recorder.ping())
    #expect(difference(Fixtures.read("one.out.wav"), Array(sound.dropFirst(44100 * 2))) == 0)
  }

  @Test func seekInMP3KeepsTheTrim() throws {
    try Fixtures.need("lame", "ffmpeg")
    for format in ["lame.mp3", "ffmpeg.mp3"] {
      let names = try #require(Fixtures.pair("seek", format, first: 88200, second: 30000))
      let recorder = Recorder("file:\(Fixtures.path("seek.out.wav"))", releaseAfter: .zero)
      recorder.start(1, Fixtures.uri(names[0]), at: .milliseconds(1500))
      recorder.setNext(2, Fixtures.uri(names[1]))
      #expect(recorder.ended(2))
      recorder.shutdown()
      let reference = Array(Fixtures.decoded(names[0]).dropFirst(66150 * 2)) + Fixtures.decoded(names[1])
      let recorded = Fixtures.read("seek.out.wav")
      #expect(recorded.count == reference.count)
      // The decoder's memory of what came before the position is missing in the first two frames.
      #expect((difference(Array(recorded.dropFirst(2304)), Array(reference.dropFirst(2304))) ?? .max) <= 2)
    }
  }

  @Test func stopLeavesAGoodHeader() {
    Fixtures.write(Fixtures.sound(frames: 4410), "stop.wav")
    let recorder = Recorder("file:\(Fixtures.path("stop.out.wav"))")
    recorder.start(1, Fixtures.uri("stop.wav"))
    #expect(recorder.ended(1))
    recorder.start(2, Fixtures.uri("stop.wav"), paused: true)
    recorder.wait { $0.isPaused }
    recorder.submit(.stop)
    #expect(recorder.ping())
    let size = (try? Data(contentsOf: Fixtures.directory.appendingPathComponent("stop.out.wav")))?.count ?? 0
    #expect(size > 44)
    #expect(Fixtures.read("stop.out.wav").count * 2 == size - 44)
  }

  @Test func anotherRateIsConvertedWithoutAClick() {
    func sine(_ rate: Int) -> [Int16] {
      (0..<rate / 2).flatMap { frame -> [Int16] in
        let value = Int16(20000 * sin(2 * .pi * 441 * Double(frame) / Double(rate)))
        return [value, value]
      }
    }
    Fixtures.write(sine(44100), "rate-1.wav")
    Fixtures.write(sine(96000), "rate-2.wav", rate: 96000)
    let recorder = Recorder("file:\(Fixtures.path("rate.out.wav"))")
    recorder.start(1, Fixtures.uri("rate-1.wav"))
    recorder.setNext(2, Fixtures.uri("rate-2.wav"))
    #expect(recorder.ended(2))
    recorder.shutdown()
    let left = Fixtures.read("rate.out.wav").enumerated().filter { $0.offset % 2 == 0 }.map {
      Int($0.element)
    }
    #expect(abs(left.count - 44100) <= 2)
    let steps = zip(left, left.dropFirst()).map { abs($0 - $1) }
    // 20000 · 2π · 441 / 44100 is the steepest step of the sine itself.
    #expect((steps.max() ?? .max) < 1400)
    let crossings = zip(left, left.dropFirst()).filter { $0 < 0 && $1 >= 0 }.count
    #expect(abs(crossings - 441) <= 2)
  }

  @Test func gainIsLinearAndPerChannel() {
    let sound = Fixtures.sound(frames: 4410)
    Fixtures.write(sound, "gain.wav")
    let recorder = Recorder("file:\(Fixtures.path("gain.out.wav"))")
    recorder.submit(.setGain(left: 0.25, right: 0.5))
    recorder.start(1, Fixtures.uri("gain.wav"))
    #expect(recorder.ended(1))
    recorder.shutdown()
    let expected = sound.enumerated().map { Int16(Double($0.element) * ($0.offset % 2 == 0 ? 0.25 : 0.5)) }
    #expect((difference(Fixtures.read("gain.out.wav"), expected) ?? .max) <= 2)
  }

  @Test(arguments: [("/l16", 16), ("/l24", 24)])
  func rawStreams(_ path: String, _ bits: Int) {
    let sound = Fixtures.sound(frames: 8000)
    let bytes = sound.flatMap { sample -> [UInt8] in
      let high = UInt8(truncatingIfNeeded: sample >> 8)
      let low = UInt8(truncatingIfNeeded: sample)
      return bits == 16 ? [high, low] : [high, low, 0]
    }
    let type = "audio/L\(bits);rate=44100;channels=2"
    let server = MediaServer()
    server["/hinted"] = .file(bytes, type: nil, ranges: true)
    server["/header"] = .file(bytes, type: type, ranges: true)
    for (uri, format) in [(server.uri("/hinted"), type), (server.uri("/header"), nil)] {
      let out = Fixtures.path("raw.out.wav")
      let recorder = Recorder(
        "pipeline:audioconvert ! audio/x-raw,format=S16LE ! wavenc ! filesink location=\(out)")
      recorder.start(1, uri, format: format)
      #expect(recorder.ended(1))
      recorder.shutdown()
      // From 24 to 16 bits, dither moves the last one.
      #expect((difference(Fixtures.read("raw.out.wav"), sound) ?? .max) <= (bits == 16 ? 0 : 1))
    }
  }

  /// The tag of the first file that it sends is neither the station's end nor its length.
  @Test func aStationThatPlaysTaggedFilesGoesOn() throws {
    try Fixtures.need("lame")
    let names = try #require(Fixtures.pair("tagged", "lame.mp3", first: 44100, second: 44100))
    let bytes = try names.flatMap { Array(try Data(contentsOf: URL(fileURLWithPath: Fixtures.path($0)))) }
    let server = MediaServer()
    server["/radio"] = .station(bytes, name: "Files", title: "One")
    let recorder = Recorder("file:\(Fixtures.path("tagged.out.wav"))", releaseAfter: .zero)
    recorder.start(1, server.uri("/radio"))
    #expect(recorder.ended(1))
    recorder.shutdown()
    #expect(Fixtures.read("tagged.out.wav").count > 2 * (88200 - 12000))
    #expect(!recorder.events.contains { if case .duration = $0 { true } else { false } })
  }

  @Test func stationTitlesAreTags() throws {
    try Fixtures.need("lame")
    let names = try #require(Fixtures.pair("station", "lame.mp3", first: 88200, second: 1000))
    let bytes = try Array(Data(contentsOf: Fixtures.directory.appendingPathComponent(names[0])))
    let server = MediaServer()
    server["/radio"] = .station(bytes, name: "Radio Test", title: "Somebody - Something")
    let recorder = Recorder("pipeline:fakesink")
    recorder.start(1, server.uri("/radio"))
    let found = recorder.wait {
      if case .tags(_, let tags) = $0 {
        tags.title == "Somebody - Something" && tags.station == "Radio Test"
      } else {
        false
      }
    }
    #expect(found != nil)
    #expect(recorder.events.contains(.seekable(PlayID(1), false)))
  }

  @Test func manyLoadsLeaveNothingBehind() {
    Fixtures.write(Fixtures.sound(frames: 2000), "many.wav")
    let server = MediaServer()
    let uri = server.add("/many.wav", fixture: "many.wav")
    let recorder = Recorder("pipeline:fakesink")
    func load(_ numbers: Range<UInt64>) {
      for number in numbers {
        recorder.start(number, uri)
        #expect(recorder.ended(number))
      }
    }
    func count(_ directory: String) -> Int {
      (try? FileManager.default.contentsOfDirectory(atPath: directory))?.count ?? 0
    }
    load(1..<20)
    let before = count("/proc/self/fd")
    load(20..<220)
    #expect(count("/proc/self/fd") <= before + 3)
    #expect(count("/proc/self/task") < 100)
  }
}
