import RoomsIO

/// What a receiver has found out, in the engine's terms.
enum RoomNotice: Sendable {
  /// The sender plays another track.
  case track(uri: String, metadata: String)
  /// What a live stream of the sender says that it plays, as DIDL-Lite.
  case text(String)
  /// A run of sound begins.
  case began(RoomStream)
  case halted
  /// Nothing comes yet, for this reason.
  case waits(String)
  case failed(String)

  /// Nil for what the engine needn't know.
  init?(_ event: RoomReceiver.Event) {
    switch event {
    case .origin: return nil
    case .track(let uri, let metadata): self = .track(uri: uri, metadata: metadata)
    case .metatext(let text): self = .text(text)
    case .began(let audio):
      let rate = max(1, audio.rate)
      self = .began(
        RoomStream(
          codec: audio.codec, isLossless: audio.flags.contains(.lossless), bitRate: audio.bitRate,
          bitDepth: audio.bitDepth, rate: audio.rate, channels: audio.channels,
          position: .milliseconds(Int64(clamping: audio.sampleStart / UInt64(rate)) * 1000),
          duration: .milliseconds(Int64(clamping: min(audio.samplesTotal / UInt64(rate), 1 << 40)) * 1000)))
    case .halted: self = .halted
    case .waits(let reason): self = .waits(reason)
    case .failed(let reason): self = .failed(reason)
    }
  }
}

/// What the sender says of its sound.
struct RoomStream: Sendable, Equatable {
  var codec: String
  var isLossless: Bool
  /// Bits per second.
  var bitRate: Int
  var bitDepth: Int
  /// Samples per second.
  var rate: Int
  var channels: Int
  /// Where in the track it begins.
  var position: Duration
  /// Length of the track; zero: unknown.
  var duration: Duration
}
