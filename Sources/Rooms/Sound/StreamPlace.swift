/// Counts the samples of a stream from the beginning of a run, although messages come late or not at all. Pure.
///
/// Desktop senders leave the place in the track at 0, and at a joint of two tracks it jumps back. So it is used only where it
/// agrees with the frame numbers.
struct StreamPlace {
  private struct Known {
    var frame: UInt32
    var place: Int64
    var samples: Int64
    var start: UInt64
  }

  private var latest: Known?

  /// The first sample of `message`, counted from the first sample of the run. Negative for what was sent before that.
  mutating func place(of message: AudioMessage) -> Int64 {
    let samples = Int64(message.samples)
    guard let known = latest else {
      latest = Known(frame: message.frame, place: 0, samples: samples, start: message.sampleStart)
      return 0
    }
    let frames = Int64(Int32(bitPattern: message.frame &- known.frame))
    let place = known.place + distance(frames, from: known, to: message)
    if frames > 0 {
      latest = Known(frame: message.frame, place: place, samples: samples, start: message.sampleStart)
    }
    return place
  }

  private func distance(_ frames: Int64, from known: Known, to message: AudioMessage) -> Int64 {
    if frames == 1 { return known.samples }
    let guess = frames &* Int64(message.samples)
    let told = Int64(bitPattern: message.sampleStart &- known.start)
    // Messages of one stream differ by a sample: 220 and 221 at 44.1 kHz.
    return (told &- guess).magnitude <= frames.magnitude ? told : guess
  }
}
