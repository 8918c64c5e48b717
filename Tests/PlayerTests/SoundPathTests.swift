import Testing

@testable import Player

/// What keeps the decoder's bits from the device.
@Suite struct SoundPathTests {
  static func format(_ depth: Int, _ rate: Int = 44100, _ channels: Int = 2, float: Bool = false)
    -> SampleFormat
  {
    SampleFormat(
      name: "\(float ? "F" : "S")\(depth)LE", depth: depth, isFloat: float, rate: rate, channels: channels)
  }

  typealias Row = (
    name: String, decoded: SampleFormat, delivered: SampleFormat, SoundPath.Target, [SoundPath.Change]
  )

  @Test func formats() {
    let rows: [Row] = [
      ("the same", Self.format(16), Self.format(16), .card, []),
      ("in wider words", Self.format(16), Self.format(32), .card, []),
      ("24 bits in floating point", Self.format(24), Self.format(32, float: true), .card, []),
      (
        "32 bits in floating point", Self.format(32), Self.format(32, float: true), .card,
        [.narrowed(from: 32, to: 24)]
      ),
      ("32 bits in long floating point", Self.format(32), Self.format(64, float: true), .card, []),
      ("floating point as it is", Self.format(32, float: true), Self.format(32, float: true), .card, []),
      (
        "long floating point cut", Self.format(64, float: true), Self.format(32, float: true), .card,
        [.narrowed(from: 64, to: 24)]
      ),
      ("floating point rounded", Self.format(32, float: true), Self.format(16), .card, [.rounded]),
      ("24 to 16 bits", Self.format(24), Self.format(16), .card, [.narrowed(from: 24, to: 16)]),
      (
        "another rate", Self.format(16, 96000), Self.format(16, 48000), .card,
        [.resampled(from: 96000, to: 48000)]
      ),
      ("other channels", Self.format(16, 44100, 1), Self.format(16), .card, [.remixed(from: 1, to: 2)]),
      (
        "ALSA's plugins", Self.format(16), Self.format(16), .alsaPlugins(device: "default"),
        [.plugins(device: "default")]
      ),
      ("a server", Self.format(16), Self.format(16), .server("PulseAudio"), [.server("PulseAudio")]),
      ("a described pipeline", Self.format(16), Self.format(16), .pipeline, [.pipeline]),
      (
        "a sink that nobody knows", Self.format(16), Self.format(16), .unknown(sink: "osssink"),
        [.unknown(sink: "osssink")]
      ),
      ("a file", Self.format(16), Self.format(16), .file, []),
      (
        "several at once", Self.format(24, 96000), Self.format(16, 48000), .server("PipeWire"),
        [.resampled(from: 96000, to: 48000), .narrowed(from: 24, to: 16), .server("PipeWire")]
      ),
    ]
    for (name, decoded, delivered, target, changes) in rows {
      let path = SoundPath(decoded: decoded, delivered: delivered, target: target)
      #expect(path.changes == changes, "\(name)")
      #expect(path.isBitPerfect == changes.isEmpty, "\(name)")
    }
  }

  @Test func whatIsDoneToSamples() {
    let rows: [(SoundPath.Change, (inout SoundPath) -> Void)] = [
      (.volume, { $0.level = .reduced }), (.silence, { $0.level = .silent }),
      (.balance, { $0.hasBalance = true }),
      (.replayGain, { $0.hasReplayGain = true }), (.dither, { $0.hasDither = true }),
      (.mapping("mono"), { $0.channelMapping = "mono" }),
    ]
    for (change, make) in rows {
      var path = SoundPath(decoded: Self.format(16), delivered: Self.format(16), target: .card)
      make(&path)
      #expect(path.changes == [change])
      #expect(!path.isBitPerfect)
      #expect(!change.text.isEmpty)
    }
  }
}
