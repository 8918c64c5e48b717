import CGStreamer
import Threads

/// Where samples enter the device's pipeline: they queue here, and pass ``SoundStage`` when the device wants more.
///
/// Everything is guarded by the timeline's monitor, which callers that put samples in already hold.
// Safe to share: all mutable state is only touched inside `monitor.locked`.
final class SoundEntry: @unchecked Sendable {
  /// Queued frames of one track.
  private struct Block {
    var buffer: UnsafeMutablePointer<GstBuffer>
    var format: StreamFormat
    var frames: Int
    /// How many of them have passed.
    var used = 0
    /// Their factor besides the volume.
    var factor: Double
  }

  private enum Gate {
    case open
    /// The last frames pass, fading out.
    case closing
    /// Nothing passes.
    case shut
  }

  /// Each change of the gain takes this fraction of a second: 20 ms.
  private static let rampsPerSecond = 50

  private let monitor: Monitor
  private weak var timeline: Timeline?
  private let notify: @Sendable (PipelineEvent) -> Void
  /// Owned by the device's pipeline; nil once that is gone.
  private var source: UnsafeMutablePointer<GstAppSrc>?
  /// Goes with ``source``; nil if every rate is allowed.
  private var filter: RateFilter?
  /// Goes with ``source``; nil if samples keep the track's depth.
  private var depth: CardDepth?
  private var stage: SoundStage
  private var gain = GainRamp.Gain(1, 1)
  private var gate = Gate.open
  private var blocks: [Block] = []
  /// Frames that have passed since the last ``clear()``.
  private var passed = 0
  /// The device has nothing left and asks for more.
  private var needsData = false
  /// Nothing follows ``blocks``.
  private var isEnding = false
  /// The device was sent end of stream, and asks for no more.
  private var hasEnded = false
  /// The track's format for which the pipeline was last sent caps.
  private var told: StreamFormat?
  /// How samples of that format leave; nil if the format can't be processed.
  private var encoding: SampleEncoding?

  /// - Parameters:
  ///   - source: where the samples go; its pipeline must not be running.
  ///   - filter: in the same pipeline; prepared for each new format before the pipeline is.
  ///   - depth: of the sink of the same pipeline; queried for each new format.
  init(
    source: UnsafeMutablePointer<GstAppSrc>, filter: RateFilter? = nil, depth: CardDepth? = nil,
    mapping: ChannelMapping,
    timeline: Timeline, notify: @escaping @Sendable (PipelineEvent) -> Void
  ) {
    self.source = source
    self.filter = filter
    self.depth = depth
    self.timeline = timeline
    self.notify = notify
    monitor = timeline.monitor
    stage = SoundStage(mapping: mapping)
    var callbacks = GstAppSrcCallbacks()
    callbacks.seek_data = { _, _, _ in 1 }
    callbacks.need_data = { _, _, context in
      guard let context else { return }
      CallbackContext.object(context, as: SoundEntry.self).need()
    }
    gst_app_src_set_callbacks(
      source, &callbacks, CallbackContext.retain(self), { CallbackContext.release($0) })
  }

  deinit { drop() }

  // MARK: From the tracks, with the lock

  /// With the lock: queues `buffer` and takes ownership of it.
  func put(_ buffer: UnsafeMutablePointer<GstBuffer>, frames: Int, format: StreamFormat, factor: Double) {
    blocks.append(Block(buffer: buffer, format: format, frames: frames, factor: factor))
    feed()
  }

  // MARK: From the control thread

  /// Linear factors, 0...1. The sound changes gradually.
  func setGain(left: Double, right: Double) {
    monitor.locked {
      gain = GainRamp.Gain(left, right)
      guard gate == .open else { return }
      if passed == 0 { stage.ramp = GainRamp(gain) } else { stage.ramp.move(to: gain, frames: rampFrames) }
    }
  }

  /// Fades out the sound and holds back what follows. ``PipelineEvent/silenced`` reports that the last frame is in the device.
  func close() {
    monitor.locked {
      guard gate == .open else { return }
      gate = .closing
      stage.ramp.move(to: GainRamp.Gain(0, 0), frames: rampFrames)
      if passed == 0 || hasEnded || !stage.ramp.isUnderWay { shut() } else { feed() }
    }
  }

  /// Continues right after the last frame that passed, fading in.
  func open() {
    monitor.locked {
      switch gate {
      case .open: return
      case .closing: stage.ramp.move(to: gain, frames: rampFrames)
      case .shut where passed == 0: stage.ramp = GainRamp(gain)
      case .shut: stage.ramp.rise(to: gain, frames: rampFrames)
      }
      gate = .open
      feed()
    }
  }

  /// Running time after the last frame, in nanoseconds; nil until the faded sound is in the device completely.
  var silence: guint64? {
    monitor.locked { gate == .shut && isDrained ? told?.nanoseconds(frames: passed) ?? 0 : nil }
  }

  /// No samples follow: the device is sent end of stream after the last one.
  func end() {
    monitor.locked {
      isEnding = true
      feed()
    }
  }

  /// Drops everything queued; the next samples are the first.
  func clear() {
    monitor.locked { empty() }
  }

  /// As ``clear()``, for a pipeline that has stopped.
  func rest() {
    monitor.locked {
      empty()
      needsData = false
    }
  }

  /// The pipeline is about to be destroyed.
  func detach() {
    monitor.locked {
      empty()
      source = nil
      filter = nil
      depth = nil
    }
  }

  // MARK: Inside

  /// With the lock. Also called by ``Timeline/reset(source:forgetFormat:)``.
  func empty() {
    drop()
    gate = .open
    stage.ramp = GainRamp(gain)
    passed = 0
    isEnding = false
    hasEnded = false
  }

  private func drop() {
    for block in blocks { gst_buffer_unref(block.buffer) }
    blocks = []
  }

  private var rampFrames: Int { max(1, (told?.rate ?? 44100) / Self.rampsPerSecond) }

  /// The pipeline's thread: it wants samples.
  private func need() {
    monitor.locked {
      needsData = true
      if gate == .shut { notify(.silenced) }
      feed()
    }
  }

  /// The device has everything that passed.
  private var isDrained: Bool { needsData || hasEnded }

  private func shut() {
    gate = .shut
    if isDrained { notify(.silenced) }
  }

  /// With the lock: passes on as much as the device wants, if anything is queued.
  private func feed() {
    guard gate != .shut, let source else { return }
    guard let block = blocks.first else {
      if gate == .closing {
        if needsData { shut() }
      } else if isEnding {
        isEnding = false
        hasEnded = true
        gst_app_src_end_of_stream(source)
      }
      return
    }
    guard needsData else { return }
    var count = block.frames - block.used
    if gate == .closing { count = min(count, stage.ramp.remaining) }
    tell(block.format, source)
    let piece = make(block, count)
    blocks[0].used += count
    if blocks[0].used == block.frames {
      blocks.removeFirst()
      gst_buffer_unref(block.buffer)
    }
    if let piece {
      piece.pointee.pts = block.format.nanoseconds(frames: passed)
      piece.pointee.dts = guint64.max
      piece.pointee.duration = block.format.nanoseconds(frames: passed + count) - piece.pointee.pts
      needsData = false
      gst_app_src_push_buffer(source, piece)
    }
    passed += count
    if timeline?.took(frames: count) == true { notify(.starved) }
    if gate == .closing, !stage.ramp.isUnderWay { shut() }
  }

  private func tell(_ format: StreamFormat, _ source: UnsafeMutablePointer<GstAppSrc>) {
    guard format != told else { return }
    let rate = filter?.expect(rate: format.rate) ?? format.rate
    var sent = format
    encoding = SampleEncoding(rawValue: format.sample)
    if let depth, let own = encoding {
      let widest = depth.encoding(for: own, rate: rate, channels: format.channels)
      encoding = widest
      sent.sample = widest.rawValue
    }
    guard let caps = gst_caps_from_string(sent.capsText) else { return }
    told = format
    gst_app_src_set_caps(source, caps)
    gst_caps_unref(caps)
  }

  /// The next `count` frames of `block`, processed for the device.
  private func make(_ block: Block, _ count: Int) -> UnsafeMutablePointer<GstBuffer>? {
    let size = block.format.bytesPerFrame
    let (offset, length) = (block.used * size, count * size)
    guard let form = form(of: block.format), !stage.isTransparent(form, factor: block.factor) else {
      return gst_buffer_copy_region(block.buffer, GST_BUFFER_COPY_MEMORY, gsize(offset), gsize(length))
    }
    guard let result = gst_buffer_new_allocate(nil, gsize(SoundStage.size(of: length, form)), nil) else {
      return nil
    }
    var (from, to) = (GstMapInfo(), GstMapInfo())
    guard gst_buffer_map(block.buffer, &from, GST_MAP_READ) != 0 else {
      gst_buffer_memset(result, 0, 0, gsize(SoundStage.size(of: length, form)))
      return result
    }
    defer { gst_buffer_unmap(block.buffer, &from) }
    guard gst_buffer_map(result, &to, GST_MAP_WRITE) != 0 else { return result }
    defer { gst_buffer_unmap(result, &to) }
    let bytes = UnsafeRawBufferPointer(start: from.data, count: Int(from.size))
    stage.process(
      UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length]), form,
      into: UnsafeMutableRawBufferPointer(start: to.data, count: Int(to.size)), factor: block.factor)
    return result
  }

  private func form(of format: StreamFormat) -> SoundStage.Form? {
    guard let input = SampleEncoding(rawValue: format.sample), let encoding else { return nil }
    return SoundStage.Form(
      input: input, output: encoding,
      layout: ChannelLayout(channels: format.channels, mask: UInt64(format.channelMask)))
  }
}
