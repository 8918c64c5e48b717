import CGStreamer

/// A block that went to the device, as ``SenderQueue`` keeps it. Places are frames of the device's session.
struct SenderEntry: Sendable {
  var block: PCMBlock
  /// Place of its first frame.
  var start: Int
  /// The attempt to play that it belongs to; nil: silence before other rooms can play.
  var play: UInt64?

  var end: Int { start + block.frames }

  /// Appends those of its frames that are in `places`, as they are: most sound needs no arithmetic.
  func appendBytes(_ places: Range<Int>, as encoding: SampleEncoding, to sound: inout [UInt8]) {
    let frames = places.clamped(to: start..<end)
    guard !frames.isEmpty else { return }
    let isThere = withBytes(of: frames) { BigEndian.copy($0, as: encoding, to: &sound) }
    if !isThere {
      let bytes = frames.count * block.format.channels * BigEndian.copiedBytes(encoding)
      sound.append(contentsOf: repeatElement(0, count: bytes))
    }
  }

  /// Appends those of its frames that are in `places`, in one or two channels, -1...1.
  func appendValues(
    _ places: Range<Int>, as encoding: SampleEncoding, fading fade: SenderFade, to values: inout [Double]
  ) {
    let frames = places.clamped(to: start..<end)
    guard !frames.isEmpty else { return }
    let format = block.format
    let channels = min(format.channels, 2)
    let mix = StereoMix(ChannelLayout(channels: format.channels, mask: UInt64(format.channelMask)))
    let isThere = withBytes(of: frames) { bytes in
      withUnsafeTemporaryAllocation(of: Double.self, capacity: frames.count * format.channels) { read in
        SampleReading.read(bytes, as: encoding, into: read)
        for place in frames {
          let gain = block.factor * fade.factor(at: place, rate: format.rate)
          for channel in 0..<channels {
            values.append(mix.value(read, frame: place - frames.lowerBound, channel: channel) * gain)
          }
        }
      }
    }
    if !isThere { values.append(contentsOf: repeatElement(0, count: frames.count * channels)) }
  }

  /// False if the memory can't be read, or is too short.
  private func withBytes(of frames: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
    var map = GstMapInfo()
    guard gst_buffer_map(block.buffer.object, &map, GST_MAP_READ) != 0 else { return false }
    defer { gst_buffer_unmap(block.buffer.object, &map) }
    let bytes = UnsafeRawBufferPointer(start: map.data, count: Int(map.size))
    let size = block.format.bytesPerFrame
    let offset = (frames.lowerBound - start) * size
    guard offset >= 0, offset + frames.count * size <= bytes.count else { return false }
    body(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + frames.count * size]))
    return true
  }
}

/// Where the sound that is sent becomes louder or softer. Pure.
struct SenderFade: Sendable {
  /// As long as the device's own fade: 20 ms.
  private static let perSecond = 50

  /// The sound fades out from this place on, and then ends.
  var outFrom: Int?
  /// The sound fades in from this place on.
  var inFrom: Int?

  private static func length(_ rate: Int) -> Int { rate / perSecond }

  /// Where the sound ends that fades out; nil while it doesn't.
  func end(rate: Int) -> Int? { outFrom.map { $0 + Self.length(rate) } }

  func touches(_ places: Range<Int>, rate: Int) -> Bool {
    if let outFrom, places.upperBound > outFrom { return true }
    return inFrom.map { places.lowerBound < $0 + Self.length(rate) } ?? false
  }

  /// Everything before `place` has been sent.
  mutating func passed(_ place: Int, rate: Int) {
    if let from = inFrom, place >= from + Self.length(rate) { inFrom = nil }
  }

  func factor(at place: Int, rate: Int) -> Double {
    let length = Double(Self.length(rate))
    var factor = 1.0
    if let outFrom, place >= outFrom { factor = max(0, 1 - Double(place - outFrom) / length) }
    if let inFrom, place < inFrom + Int(length) {
      factor *= min(max(Double(place - inFrom) / length, 0), 1)
    }
    return factor
  }
}
