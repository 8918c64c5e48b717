/// Where a ``RoomSender`` gets the sound that this room plays.
public protocol SenderSound: AnyObject, Sendable {
  /// Listeners are there: keep what is played from now on. False: nobody listens, keep nothing.
  ///
  /// - Parameter wake: called from any thread when there may be something new to take.
  func setActive(_ isActive: Bool, wake: @escaping @Sendable () -> Void)
  /// What the device plays; nil while none does.
  func reading() -> DeviceReading?
  /// Takes what is to be sent, if it is heard here before `running`, a running time of the device in nanoseconds.
  ///
  /// - Parameter session: of the reading that `running` was reckoned from. In another one, nothing but a halt is taken.
  func take(before running: Int64, session: Int) -> SenderFinding
  /// A device that starts waits for rooms that aren't ready yet, but not beyond `time` (nanoseconds of the monotonic
  /// clock); nil: all are ready.
  func waitForRooms(until time: Int64?)
}

/// What a sound device played at a moment.
public struct DeviceReading: Sendable, Equatable {
  /// Running time of what is heard, in nanoseconds.
  public var running: Int64
  /// The moment, in nanoseconds of the monotonic clock.
  public var monotonic: Int64
  /// How it was found out.
  public var kind: DeviceClockKind
  /// Changes whenever running time has begun anew.
  public var session: Int

  public init(running: Int64, monotonic: Int64, kind: DeviceClockKind, session: Int) {
    self.running = running
    self.monotonic = monotonic
    self.kind = kind
    self.session = session
  }
}

/// How a device tells what it plays.
public enum DeviceClockKind: Sendable, Equatable {
  /// It is paced by the system's clock, and exactly so.
  case exact
  /// It is paced by the system's clock as far as can be known: what it buffers itself isn't.
  case unmeasured
  /// Readings are sometimes old (ALSA).
  case lagging
  /// Readings err to both sides (PulseAudio).
  case noisy

  /// How its readings are to be taken.
  public var line: DeviceLine.Kind {
    switch self {
    case .exact, .unmeasured: .exact
    case .lagging: .lagging
    case .noisy: .noisy
    }
  }
}

/// What there is to send.
public enum SenderFinding: Sendable {
  case sound(SenderBlock)
  /// What has been sent is the last before silence.
  case halt
  /// The next sound is heard at this running time, in nanoseconds.
  case later(Int64)
  case nothing
}

/// Samples for one message.
public struct SenderBlock: Sendable, Equatable {
  /// Running time at which the first sample is heard here, in nanoseconds.
  public var running: Int64
  /// The attempt to play that it belongs to; nil: silence before the sound.
  public var play: UInt64?
  /// Position of the first sample in its track, in nanoseconds.
  public var media: UInt64
  /// Samples per second.
  public var rate: Int
  /// 1 or 2.
  public var channels: Int
  /// 16 or 24.
  public var bitDepth: Int
  /// Samples per channel.
  public var samples: Int
  /// Interleaved, big-endian.
  public var sound: [UInt8]

  public init(
    running: Int64, play: UInt64?, media: UInt64, rate: Int, channels: Int, bitDepth: Int, samples: Int,
    sound: [UInt8]
  ) {
    self.running = running
    self.play = play
    self.media = media
    self.rate = rate
    self.channels = channels
    self.bitDepth = bitDepth
    self.samples = samples
    self.sound = sound
  }
}
