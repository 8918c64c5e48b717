/// One run of a stream: from where it begins to the halt, or to where its numbers begin anew. Pure.
struct StreamRun: Sendable {
  /// Samples per second.
  let rate: Int
  let channels: Int
  /// No more comes.
  var isHalted = false
  private var places = StreamPlace()
  /// When the samples are due by their arrivals, for senders that tell no time.
  private var line = OneWayLine()
  /// When they are due by the sender's time; nil until that is known.
  private var timing: RoomTiming?
  /// The places of the latest messages, by their numbers.
  private var frames: [UInt32: Int64] = [:]
  private var latestFrame: UInt32 = 0
  private static let mostFrames = 256
  private(set) var buffer: SampleBuffer
  private var latency: Int64
  /// From sending to playing, in nanoseconds, at the least: the device is 120 ms ahead, and the network needs some time.
  /// Desktop programs ask for less than that. They are heard this much later than sent, in all rooms of this kind.
  private static let shortestLatency: Int64 = 150_000_000
  /// Where the first sample is, as far as it is known.
  private(set) var first: Int64 = 0

  init(_ message: AudioMessage) {
    rate = message.rate
    channels = message.channels
    latency = max(message.latencyNanoseconds, Self.shortestLatency)
    // A second more than the longest latency: what comes too early is kept, within reason.
    buffer = SampleBuffer(channels: message.channels, mostSamples: 2 * message.rate)
  }

  /// Whether `message` can belong to it.
  func takes(_ message: AudioMessage) -> Bool {
    message.rate == rate && message.channels == channels && !isHalted
  }

  mutating func add(_ message: AudioMessage, arrival: Int64) {
    latency = max(message.latencyNanoseconds, Self.shortestLatency)
    let place = places.place(of: message)
    first = min(first, place)
    frames[message.frame] = place
    let isLatest = Int32(bitPattern: message.frame &- latestFrame) > 0 || frames.count == 1
    if isLatest { latestFrame = message.frame }
    if frames.count > 2 * Self.mostFrames {
      let latest = latestFrame
      frames = frames.filter { latest &- $0.key < UInt32(Self.mostFrames) }
    }
    // What was sent again came late for another reason than the network's.
    if !message.flags.contains(.resent) { line.add(sent: nanoseconds(place), arrival: arrival) }
    _ = buffer.insert(PCM.floats(message.sound, bits: message.bitDepth), at: place)
  }

  private func nanoseconds(_ place: Int64) -> Int64 {
    let (seconds, rest) = place.quotientAndRemainder(dividingBy: Int64(rate))
    return seconds &* 1_000_000_000 &+ rest &* 1_000_000_000 / Int64(rate)
  }

  /// Whether the sender's time is known for it.
  var isTimed: Bool { timing != nil }

  /// The sender says when a frame is heard there. Frames of another run, or long ago, say nothing.
  mutating func take(_ anchor: RoomAnchor, _ clock: RoomClock) {
    guard let heard = anchor.heard, let place = frames[anchor.frame] else { return }
    timing = RoomTiming(place: place, heard: heard, rate: rate, deviation: anchor.rate, clock: clock)
  }

  /// How much faster its samples pass than ``rate`` says, by this host's clock; 1: as fast. Arrivals alone don't tell that well
  /// enough: then the servo finds it out.
  var pace: Double { timing?.pace ?? 1 }

  /// When the sample at `place` is due, by this host's monotonic clock in nanoseconds.
  func due(_ place: Int64) -> Int64 { timing?.due(place) ?? line.local(sent: nanoseconds(place)) &+ latency }

  /// The sample that is due at `time`, with its fraction.
  func place(dueAt time: Int64) -> Double {
    if let timing { return timing.place(dueAt: time) }
    let sent = line.sent(local: time &- latency)
    return Double(sent) * Double(rate) / 1e9
  }

  /// Fills `output`, whole frames, with the sound from `place` on: `ratio` samples pass while one is played.
  func fill(_ output: Slice<UnsafeMutableBufferPointer<Float>>, from place: Double, ratio: Double) {
    let output = UnsafeMutableBufferPointer(rebasing: output)
    guard let base = output.baseAddress else { return }
    let frames = output.count / channels
    let half = FractionalDelay.taps / 2
    let first = Int64(place.rounded(.down)) - Int64(half)
    let needed = Int((Double(frames) * ratio).rounded(.up)) + 2 * half + 2
    withUnsafeTemporaryAllocation(of: Float.self, capacity: needed * channels) { input in
      buffer.copy(from: first, into: input)
      var place = place - Double(first)
      for frame in 0..<frames {
        let whole = place.rounded(.down)
        FractionalDelay.make(
          input, channels: channels, index: Int(whole), fraction: place - whole,
          into: base + frame * channels)
        place += ratio
      }
    }
  }

  mutating func drop(before place: Int64) { buffer.drop(before: place) }
}
