/// The sound of one run of a stream that waits to be played, by the places of its samples. Pure.
struct SampleBuffer: Sendable {
  private struct Packet {
    /// Place of the first sample.
    var place: Int64
    var samples: Int
    /// Interleaved, -1...1.
    var values: [Float]
    var end: Int64 { place + Int64(samples) }
  }

  let channels: Int
  /// More isn't kept: a sender that sends too much loses the latest.
  private let mostSamples: Int
  private var packets: [Packet] = []
  private var samples = 0
  /// The first packet isn't the first of the run.
  private var hasDropped = false

  init(channels: Int, mostSamples: Int) {
    self.channels = channels
    self.mostSamples = mostSamples
  }

  /// The place after the last sample; nil while empty.
  var end: Int64? { packets.last?.end }

  /// False if there was no room.
  mutating func insert(_ values: [Float], at place: Int64) -> Bool {
    let count = values.count / channels
    guard count > 0 else { return true }
    guard samples + count <= mostSamples else { return false }
    let index = packets.lastIndex { $0.place <= place }.map { $0 + 1 } ?? 0
    packets.insert(Packet(place: place, samples: count, values: values), at: index)
    samples += count
    return true
  }

  /// Forgets what ends before `place`.
  mutating func drop(before place: Int64) {
    let gone = packets.prefix { $0.end <= place }
    if !gone.isEmpty { hasDropped = true }
    samples -= gone.reduce(0) { $0 + $1.samples }
    packets.removeFirst(gone.count)
  }

  /// Copies the samples from `place` on into `output`, which holds whole frames, one channel behind the other. What is missing
  /// is silence. Sound beside missing sound is faded, over the length of a message.
  func copy(from place: Int64, into output: UnsafeMutableBufferPointer<Float>) {
    output.update(repeating: 0)
    let frames = output.count / channels
    let end = place + Int64(frames)
    for (index, packet) in packets.enumerated() where packet.end > place && packet.place < end {
      let first = max(packet.place, place)
      let last = min(packet.end, end)
      let fadesIn = index > 0 ? packets[index - 1].end < packet.place : hasDropped
      let fadesOut = index + 1 < packets.count && packets[index + 1].place > packet.end
      for frame in first..<max(first, last) {
        let inside = Int(frame - packet.place)
        var factor: Float = 1
        if fadesIn { factor *= Float(inside) / Float(packet.samples) }
        if fadesOut { factor *= Float(packet.samples - inside) / Float(packet.samples) }
        for channel in 0..<channels {
          output[channel * frames + Int(frame - place)] =
            packet.values[inside * channels + channel] * factor
        }
      }
    }
  }

  /// How many of the frames in `range` are missing.
  func missing(in range: Range<Int64>) -> Int {
    let found = packets.reduce(0) { found, packet in
      found + max(0, Int(min(packet.end, range.upperBound) - max(packet.place, range.lowerBound)))
    }
    return max(0, range.count - found)
  }
}
