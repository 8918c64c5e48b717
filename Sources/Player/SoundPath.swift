import Text

/// The format of interleaved samples.
public struct SampleFormat: Sendable, Hashable {
  /// GStreamer's name of the format (`S16LE`).
  public var name: String
  /// Significant bits per sample.
  public var depth: Int
  public var isFloat: Bool
  /// Sample rate in Hz.
  public var rate: Int
  public var channels: Int

  public init(name: String, depth: Int, isFloat: Bool, rate: Int, channels: Int) {
    self.name = name
    self.depth = depth
    self.isFloat = isFloat
    self.rate = rate
    self.channels = channels
  }

  /// The widest integer, in bits, that every sample can hold exactly.
  var exactBits: Int { isFloat ? (depth > 32 ? 53 : 24) : depth }
}

/// The processing of samples between the decoder and the sound device.
public struct SoundPath: Sendable, Hashable {
  /// Where the sink sends the samples.
  public enum Target: Sendable, Hashable {
    /// The sound card itself (ALSA's `hw:`).
    case card
    /// A device defined in ALSA's configuration, whose plugins may convert samples.
    case alsaPlugins(device: String)
    /// A sound server, which mixes the sound of several programs.
    case server(String)
    /// A pipeline from the configuration, whose effect on samples is unknown.
    case pipeline
    /// A sink that this program doesn't know, by its GStreamer name.
    case unknown(sink: String)
    /// A file, or a sink that discards samples.
    case file
  }

  /// How the volume changes the samples.
  public enum Level: Sendable, Hashable { case full, reduced, silent }

  /// The decoder's output format.
  public var decoded: SampleFormat
  /// The sink's input format.
  public var delivered: SampleFormat
  public var target: Target
  /// Sample rate of a recording's first track, to which later tracks are converted; nil for the decoder's own
  /// rate.
  public var recordingRate: Int?
  public var level = Level.full
  /// True when left and right have different gains.
  public var hasBalance = false
  /// True when ReplayGain changes the samples.
  public var hasReplayGain = false
  /// True when dither is added.
  public var hasDither = false
  /// How channels are swapped or mixed ("mono"); nil when they are unchanged.
  public var channelMapping: String?

  public init(decoded: SampleFormat, delivered: SampleFormat, target: Target) {
    self.decoded = decoded
    self.delivered = delivered
    self.target = target
  }

  /// A change of the samples on their way from the decoder to the device.
  public enum Change: Sendable, Hashable {
    case resampled(from: Int, to: Int)
    /// The number of channels changed.
    case remixed(from: Int, to: Int)
    case narrowed(from: Int, to: Int)
    /// Floating point was converted to integers.
    case rounded
    case replayGain
    case volume
    case silence
    case balance
    case mapping(String)
    case dither
    /// ALSA's plugins may change samples; whether they do can't be detected.
    case plugins(device: String)
    case server(String)
    case pipeline
    case unknown(sink: String)
  }

  /// All changes of the samples, in processing order; empty when the path is bit-perfect.
  public var changes: [Change] {
    var changes: [Change] = []
    if hasReplayGain { changes.append(.replayGain) }
    switch level {
    case .full: break
    case .reduced: changes.append(.volume)
    case .silent: changes.append(.silence)
    }
    if hasBalance { changes.append(.balance) }
    if let channelMapping { changes.append(.mapping(channelMapping)) }
    let entryRate = recordingRate ?? decoded.rate
    if decoded.rate != entryRate { changes.append(.resampled(from: decoded.rate, to: entryRate)) }
    if entryRate != delivered.rate { changes.append(.resampled(from: entryRate, to: delivered.rate)) }
    if decoded.channels != delivered.channels {
      changes.append(.remixed(from: decoded.channels, to: delivered.channels))
    }
    if decoded.isFloat, !delivered.isFloat {
      changes.append(.rounded)
    } else if decoded.isFloat ? delivered.depth < decoded.depth : delivered.exactBits < decoded.depth {
      changes.append(.narrowed(from: decoded.depth, to: delivered.exactBits))
    }
    if hasDither { changes.append(.dither) }
    switch target {
    case .card, .file: break
    case .alsaPlugins(let device): changes.append(.plugins(device: device))
    case .server(let name): changes.append(.server(name))
    case .pipeline: changes.append(.pipeline)
    case .unknown(let sink): changes.append(.unknown(sink: sink))
    }
    return changes
  }

  /// Whether the device or the recording gets a sample rate other than the decoded one.
  public var isResampled: Bool {
    changes.contains { if case .resampled = $0 { true } else { false } }
  }

  /// Whether the device gets exactly what was decoded.
  public var isBitPerfect: Bool { changes.isEmpty }
}

extension SoundPath.Change {
  /// The reason in plain English, phrased to follow "because".
  public var text: String {
    switch self {
    case .resampled(let from, let to): "\(from) Hz are converted to \(to) Hz"
    case .remixed(let from, let to): "\(from) channels become \(to)"
    case .narrowed(let from, let to): "\(from) bits are reduced to \(to)"
    case .rounded: "the decoder's floating point is rounded to whole numbers"
    case .replayGain: "ReplayGain changes the samples"
    case .volume: "the volume is applied in software"
    case .silence: "the volume is 0, or it is muted"
    case .balance: "the balance isn't in the middle"
    case .mapping(let name): "the channels are set to \(name)"
    case .dither: "dither is added"
    case .plugins(let device): "ALSA's device \"\(device)\" may convert (a device \"hw:...\" doesn't)"
    case .server(let name): "\(name) mixes and may convert"
    case .pipeline: "the described pipeline may change samples"
    case .unknown(let sink): "\(sink) may convert"
    }
  }
}

extension SampleFormat {
  /// `S16LE, 44.1 kHz, 2 channels`
  public var text: String {
    let (whole, rest) = rate.quotientAndRemainder(dividingBy: 1000)
    let kilohertz = rest == 0 ? "\(whole)" : "\(whole).\(rest / 100)"
    return "\(name), \(kilohertz) kHz, \(counted(channels, "channel"))"
  }
}

extension SoundPath {
  /// `yes`, or `no, because …` with every reason.
  public var verdict: String {
    changes.isEmpty ? "yes" : "no, because " + changes.map(\.text).joined(separator: "; ")
  }

  /// The delivered format, and whether it is bit-perfect.
  public var text: String {
    let gets =
      decoded == delivered ? "gets \(delivered.text)" : "gets \(delivered.text), made of \(decoded.text)"
    return "\(gets); bit-perfect: \(verdict)"
  }
}
