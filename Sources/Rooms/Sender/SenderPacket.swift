extension SenderMachine {
  /// Some milliseconds of sound to send.
  public struct Packet: Sendable {
    /// The track is coded without loss.
    public var lossless: Bool
    /// Samples per channel.
    public var samples: Int
    /// Place of the first sample in the track.
    public var sampleStart: UInt64
    /// Samples in the track; 0: unknown.
    public var samplesTotal: UInt64
    /// Samples per second, 7350...384000.
    public var rate: Int
    /// Bits per second of the coded track; 0: unknown.
    public var bitRate: Int
    /// 16 or 24.
    public var bitDepth: Int
    /// 1 or 2.
    public var channels: Int
    /// Name of the track's codec, such as FLAC; what is longer than 29 bytes is cut off.
    public var codec: String
    /// Interleaved big-endian samples, `samples * channels * bitDepth / 8` bytes, at most 5760.
    public var sound: [UInt8]
    /// When the packet before was sent, in ticks of the sample clock (``SampleClock``); nil: unknown.
    public var timestamp: UInt32?
    /// From sending to playing, in ticks; at most 340 ms, since other receivers compute with 32 bits.
    public var latency: UInt32

    public init(
      lossless: Bool, samples: Int, sampleStart: UInt64, samplesTotal: UInt64, rate: Int, bitRate: Int,
      bitDepth: Int, channels: Int, codec: String, sound: [UInt8], timestamp: UInt32?, latency: UInt32
    ) {
      (self.lossless, self.samples, self.sound) = (lossless, samples, sound)
      (self.sampleStart, self.samplesTotal) = (sampleStart, samplesTotal)
      (self.rate, self.bitRate, self.bitDepth, self.channels) = (rate, bitRate, bitDepth, channels)
      (self.codec, self.timestamp, self.latency) = (codec, timestamp, latency)
    }

    func message(frame: UInt32, isFirst: Bool) -> AudioMessage {
      var flags: AudioMessage.Flags = lossless ? .lossless : []
      let timestamp = isFirst ? nil : timestamp
      if timestamp != nil { flags.formUnion([.timestamped, .promptStamps]) }
      return AudioMessage(
        flags: flags, frame: frame, timestamp: timestamp ?? 0, latency: latency, sampleStart: sampleStart,
        samplesTotal: samplesTotal, rate: rate, bitRate: bitRate, bitDepth: bitDepth, channels: channels,
        codec: codec, samples: samples, sound: sound[...])
    }

    /// Says that silence follows this packet.
    func halt(frame: UInt32) -> AudioMessage {
      var message = message(frame: frame, isFirst: true)
      message.flags.insert(.halt)
      message.sampleStart = sampleStart &+ UInt64(clamping: samples)
      (message.samples, message.sound) = (0, [])
      return message
    }
  }
}
