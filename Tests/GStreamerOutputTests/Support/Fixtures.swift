import Foundation
import Testing

/// Sounds made for the tests.
enum Fixtures {
  /// Real path of a directory of this run.
  static let directory: URL = {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("vireo-output-\(ProcessInfo.processInfo.processIdentifier)")
    try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url.resolvingSymlinksInPath()
  }()

  static func path(_ name: String) -> String { directory.appendingPathComponent(name).path }
  static func uri(_ name: String) -> String { "file://" + path(name) }

  /// Stereo samples, different left and right, with no two stretches alike.
  static func sound(frames: Int, rate: Double = 44100, seed: Int = 0) -> [Int16] {
    var samples: [Int16] = []
    samples.reserveCapacity(frames * 2)
    for frame in 0..<frames {
      let time = Double(frame + seed) / rate
      let left = 0.4 * sin(2 * .pi * 440 * time) + 0.2 * sin(2 * .pi * (500 + 100 * time) * time)
      let right = 0.4 * sin(2 * .pi * 554 * time) + 0.2 * sin(2 * .pi * (900 - 50 * time) * time)
      samples.append(Int16(left * 30000))
      samples.append(Int16(right * 30000))
    }
    return samples
  }

  static func write(_ samples: [Int16], _ name: String, rate: Int = 44100, channels: Int = 2) {
    var bytes = Data()
    func add(_ value: some FixedWidthInteger) {
      withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }
    bytes.append(contentsOf: "RIFF".utf8)
    add(UInt32(36 + samples.count * 2))
    bytes.append(contentsOf: "WAVEfmt ".utf8)
    add(UInt32(16))
    add(UInt16(1))
    add(UInt16(channels))
    add(UInt32(rate))
    add(UInt32(rate * channels * 2))
    add(UInt16(channels * 2))
    add(UInt16(16))
    bytes.append(contentsOf: "data".utf8)
    add(UInt32(samples.count * 2))
    samples.withUnsafeBytes { bytes.append(contentsOf: $0) }
    try? bytes.write(to: directory.appendingPathComponent(name))
  }

  /// Samples of a 16-bit WAV file, as its header says.
  static func read(_ name: String) -> [Int16] {
    guard let bytes = try? Data(contentsOf: directory.appendingPathComponent(name)), bytes.count > 44,
      let mark = bytes.range(of: Data("data".utf8))
    else { return [] }
    let size = bytes[mark.upperBound..<mark.upperBound + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
    let body = bytes[(mark.upperBound + 4)...].prefix(size)
    return body.withUnsafeBytes { raw in
      (0..<raw.count / 2).map {
        Int16(littleEndian: raw.loadUnaligned(fromByteOffset: $0 * 2, as: Int16.self))
      }
    }
  }

  /// Ends a test as failed where a program is missing: `make test-packages` installs all of them.
  static func need(_ tools: String..., at place: SourceLocation = #_sourceLocation) throws {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let missing = tools.filter { tool in
      !folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)") }
    }
    try #require(missing.isEmpty, "not installed; make test-packages installs them", sourceLocation: place)
  }

  @discardableResult
  static func run(_ arguments: String...) -> Bool { run(arguments) }

  @discardableResult
  static func run(_ arguments: [String]) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    // Where ours is closed, ffmpeg would take the first file that it opens for somebody's keyboard.
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  /// Splits one sound into two files of `format` ("wav", "flac", "lame.mp3", "ffmpeg.mp3", "opus", "ogg", "m4a",
  /// "alac.m4a"); names end in -1 and -2.
  static func pair(_ base: String, _ format: String, first: Int, second: Int, rate: Int = 44100) -> [String]?
  {
    let whole = sound(frames: first + second, rate: Double(rate))
    let parts = [Array(whole.prefix(first * 2)), Array(whole.dropFirst(first * 2))]
    var names: [String] = []
    for (index, part) in parts.enumerated() {
      let wav = "\(base)-\(index + 1).wav"
      let name = "\(base)-\(index + 1).\(format)"
      write(part, wav, rate: rate)
      let isMade =
        switch format {
        case "wav": true
        case "flac": run("flac", "-s", "-f", path(wav), "-o", path(name))
        case "lame.mp3": run("lame", "--quiet", "-b", "192", path(wav), path(name))
        case "vbr.mp3": run("lame", "--quiet", "-V", "2", path(wav), path(name))
        case "ffmpeg.mp3":
          run("ffmpeg", "-v", "error", "-y", "-i", path(wav), "-c:a", "libmp3lame", path(name))
        case "opus": run("opusenc", "--quiet", path(wav), path(name))
        case "ogg": run("oggenc", "-Q", "-o", path(name), path(wav))
        case "alac.m4a": run("ffmpeg", "-v", "error", "-y", "-i", path(wav), "-c:a", "alac", path(name))
        default: run("ffmpeg", "-v", "error", "-y", "-i", path(wav), path(name))
        }
      guard isMade else { return nil }
      names.append(name)
    }
    return names
  }

  /// What ffmpeg, which minds encoder delay and padding, makes of a file.
  static func decoded(_ name: String, rate: Int = 44100) -> [Int16] {
    let out = name + ".reference.wav"
    guard run("ffmpeg", "-v", "error", "-y", "-i", path(name), "-c:a", "pcm_s16le", path(out)) else {
      return []
    }
    return read(out)
  }
}

/// Greatest difference of two sounds of the same length; nil when the lengths differ.
func difference(_ left: [Int16], _ right: [Int16]) -> Int? {
  guard left.count == right.count else { return nil }
  return zip(left, right).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
}
