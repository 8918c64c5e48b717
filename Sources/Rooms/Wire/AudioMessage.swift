/// One message of sound (Songcast, type 3).
public struct AudioMessage: Hashable, Sendable {
  public struct Flags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Silence follows.
    public static let halt = Flags(rawValue: 1)
    public static let lossless = Flags(rawValue: 2)
    /// ``AudioMessage/timestamp`` is valid.
    public static let timestamped = Flags(rawValue: 4)
    /// It was sent before.
    public static let resent = Flags(rawValue: 8)
    /// Timestamps are right soon after a change between the families of 44.1 and 48 kHz.
    public static let promptStamps = Flags(rawValue: 16)
  }

  public var flags: Flags
  /// One more than that of the message before.
  public var frame: UInt32
  /// When the message before this one was sent, in ticks (``SampleClock``).
  public var timestamp: UInt32
  /// From sending to playing, in ticks; 0: the receiver's default.
  public var latency: UInt32
  /// Place of the first sample in the track.
  public var sampleStart: UInt64
  /// Samples in the track; 0: unknown.
  public var samplesTotal: UInt64
  /// Samples per second.
  public var rate: Int
  /// Bits per second of what was decoded.
  public var bitRate: Int
  /// 16 or 24.
  public var bitDepth: Int
  /// 1 or 2.
  public var channels: Int
  public var codec: String
  /// Samples per channel.
  public var samples: Int
  /// Interleaved big-endian samples, `samples * channels * bitDepth / 8` bytes.
  public var sound: ArraySlice<UInt8>

  private static let headerBytes = 50
  private static let longestCodec = 29
  /// More overruns the buffers of other receivers: 5 ms of two channels of 24 bits at 192 kHz.
  static let mostSoundBytes = 5760
  /// Other receivers compute longer ones wrong.
  private static let mostLatencyMilliseconds = 340

  /// Reads what follows the message's head; nil for anything that is wrong or can't be played.
  init?(_ body: ArraySlice<UInt8>) {
    var reader = ByteReader(body)
    guard let header = reader.uint8(), Int(header) == Self.headerBytes, let flags = reader.uint8(),
      let samples = reader.uint16(), let frame = reader.uint32(), let timestamp = reader.uint32(),
      let latency = reader.uint32(), reader.uint32() != nil, let start = reader.uint64(),
      let total = reader.uint64(), let rate = reader.uint32(), let bitRate = reader.uint32(),
      reader.uint16() != nil, let depth = reader.uint8(), let channels = reader.uint8(),
      reader.uint8() != nil,
      let codecBytes = reader.uint8(), let codec = reader.take(Int(codecBytes)),
      (7350...384_000).contains(rate), depth == 16 || depth == 24, channels == 1 || channels == 2
    else { return nil }
    let bytes = Int(samples) * Int(channels) * Int(depth / 8)
    guard let sound = reader.take(bytes) else { return nil }
    self.flags = Flags(rawValue: flags)
    (self.frame, self.timestamp, self.latency) = (frame, timestamp, latency)
    (sampleStart, samplesTotal) = (start, total)
    (self.rate, self.bitRate) = (Int(rate), Int(bitRate))
    (bitDepth, self.channels, self.samples) = (Int(depth), Int(channels), Int(samples))
    self.codec = String(decoding: codec.prefix(Self.longestCodec), as: UTF8.self)
    self.sound = sound
  }

  init(
    flags: Flags, frame: UInt32, timestamp: UInt32, latency: UInt32, sampleStart: UInt64,
    samplesTotal: UInt64, rate: Int, bitRate: Int, bitDepth: Int, channels: Int, codec: String, samples: Int,
    sound: ArraySlice<UInt8>
  ) {
    (self.flags, self.frame, self.timestamp, self.latency) = (flags, frame, timestamp, latency)
    (self.sampleStart, self.samplesTotal) = (sampleStart, samplesTotal)
    (self.rate, self.bitRate, self.bitDepth, self.channels) = (rate, bitRate, bitDepth, channels)
    (self.codec, self.samples, self.sound) = (codec, samples, sound)
  }

  /// The whole message; nil for what receivers don't play, or what would harm them.
  var datagram: [UInt8]? {
    guard (7350...384_000).contains(rate), bitDepth == 16 || bitDepth == 24, channels == 1 || channels == 2,
      (0...Self.mostSoundBytes).contains(samples), sound.count == samples * channels * bitDepth / 8,
      sound.count <= Self.mostSoundBytes
    else { return nil }
    let codec = Self.codec(codec)
    let mostLatency = SampleClock.ticksPerSecond(rate: rate) * Self.mostLatencyMilliseconds / 1000
    let length = 8 + Self.headerBytes + codec.count + sound.count
    var bytes: [UInt8] = []
    bytes.reserveCapacity(length)
    bytes += OHMMessage.tag
    bytes += [1, 3]
    bytes.append(number: UInt16(clamping: length))
    bytes += [UInt8(Self.headerBytes), flags.rawValue]
    bytes.append(number: UInt16(clamping: samples))
    bytes.append(number: frame)
    bytes.append(number: timestamp)
    bytes.append(number: min(latency, UInt32(clamping: mostLatency)))
    // The media timestamp isn't used.
    bytes += [0, 0, 0, 0]
    bytes.append(number: sampleStart)
    bytes.append(number: samplesTotal)
    bytes.append(number: UInt32(clamping: rate))
    bytes.append(number: UInt32(clamping: bitRate))
    // No volume offset; and a reserved byte after the channels.
    bytes += [0, 0, UInt8(clamping: bitDepth), UInt8(clamping: channels), 0, UInt8(clamping: codec.count)]
    bytes += codec
    bytes += sound
    return bytes
  }

  /// What fits of a codec's name, in whole characters.
  private static func codec(_ name: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for character in name {
      guard bytes.count + character.utf8.count <= longestCodec else { break }
      bytes += character.utf8
    }
    return bytes
  }

  /// A message that was sent before, marked as such.
  static func resent(_ datagram: [UInt8]) -> [UInt8] {
    var datagram = datagram
    if datagram.count > 9 { datagram[9] |= Flags.resent.rawValue }
    return datagram
  }

  /// Nanoseconds from sending to playing; the default of ohSongcast if the sender doesn't say. At most 1 s: more isn't kept.
  public var latencyNanoseconds: Int64 {
    latency == 0 ? 50_000_000 : min(SampleClock.nanoseconds(ticks: Int64(latency), rate: rate), 1_000_000_000)
  }
}
