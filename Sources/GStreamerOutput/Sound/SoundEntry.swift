import CGStreamer
import Threads

/// Where samples enter the device's pipeline: they queue here, and pass a ``SoundChain`` when the device wants more.
///
/// Samples are processed without any lock, by the device's thread or, if that waits, by the source's.
final class SoundEntry: Sendable {
  fileprivate struct State: Sendable {
    var queue: EntryQueue
    /// Nil once the pipeline is gone.
    var port: Port?
    /// The source's format for which the pipeline was last sent caps.
    var announced: StreamFormat?
    /// How samples of that format are processed; nil if they can't be.
    var form: SoundChain.Form?
  }

  /// What belongs to the device's pipeline, which owns it.
  fileprivate struct Port: Sendable {
    let source: GstPointer<GstAppSrc>
    /// Nil if every rate is allowed.
    let filter: RateFilter?
    /// Nil if samples keep the source's depth.
    let depth: CardDepth?
  }

  /// A piece, and how it is processed; without a form it passes as it is.
  private struct Portion {
    var piece: EntryQueue.Piece
    var form: SoundChain.Form?
  }

  private let state: SharedState<State>
  private let timeline: Timeline
  private let notify: @Sendable (PipelineEvent) -> Void

  /// - Parameters:
  ///   - source: where the samples go; its pipeline must not be running.
  ///   - filter: in the same pipeline; prepared for each new format before the pipeline is.
  ///   - depth: of the sink of the same pipeline; queried for each new format.
  init(
    source: UnsafeMutablePointer<GstAppSrc>, filter: RateFilter? = nil, depth: CardDepth? = nil,
    chain: SoundChain, timeline: Timeline, notify: @escaping @Sendable (PipelineEvent) -> Void
  ) {
    let port = Port(source: GstPointer(source), filter: filter, depth: depth)
    state = SharedState(State(queue: EntryQueue(chain: chain), port: port))
    self.timeline = timeline
    self.notify = notify
    var callbacks = GstAppSrcCallbacks()
    callbacks.seek_data = { _, _, _ in 1 }
    callbacks.need_data = { _, _, context in
      guard let context else { return }
      CallbackContext.object(context, as: SoundEntry.self).perform { $0.need() }
    }
    gst_app_src_set_callbacks(
      source, &callbacks, CallbackContext.retain(self), { CallbackContext.release($0) })
  }

  deinit { state.withLock { $0.queue.clear() } }

  // MARK: From the timeline

  /// Queues `block`, which it takes ownership of, at the frame `start` of the session. ``feed()`` must follow.
  func queue(_ block: PCMBlock, from start: Int) {
    state.withLock { $0.queue.put(block, from: start) }
  }

  /// Lets `pause`, silence, pass before everything that is queued. Returns its first frame, in frames of the session.
  /// ``feed()`` must follow.
  func insert(_ pause: PCMBlock) -> Int { state.withLock { $0.queue.insert(pause) } }

  /// Drops everything; what comes now belongs to `session`.
  func begin(_ session: Int) {
    state.withLock { $0.queue.begin(session) }
  }

  // MARK: From the control thread

  /// Linear factors, 0...1. The sound changes gradually.
  func setGain(left: Double, right: Double) {
    perform { $0.gain = GainRamp.Gain(left, right) }
  }

  /// Fades out the sound and holds back what follows. ``PipelineEvent/silenced`` reports that the last frame is in the device.
  ///
  /// - Parameter place: from which frame of the session on, given where that which has passed ends; see
  ///   ``EntryQueue/close(from:)``.
  func close(from place: (_ passed: Int) -> Int? = { _ in nil }) {
    perform { $0.close(from: place($0.passed)) }
  }

  /// Continues right after the last frame that passed, fading in.
  func open() { perform { $0.open() } }

  /// Running time after the last frame, in nanoseconds; nil until the faded sound is in the device completely.
  var silence: guint64? { state.withLock { $0.queue.silence } }

  /// No samples follow: the device is sent end of stream after the last one.
  func end() { perform { $0.end() } }

  /// Drops everything queued; the next samples are the first.
  func clear() { state.withLock { $0.queue.clear() } }

  /// As ``clear()``, for a pipeline that has stopped.
  func stop() { state.withLock { $0.queue.stop() } }

  /// The pipeline is about to be destroyed.
  func detach() {
    state.withLock { state in
      state.queue.clear()
      state.port = nil
    }
  }

  // MARK: Towards the device

  private func perform(_ change: (inout EntryQueue) -> Void) {
    // In one step with the change: no other thread may take the piece that the device's thread has asked for.
    if passNext(after: change) { feed() }
  }

  /// Passes on as much as the device wants, if anything is queued.
  func feed() {
    while passNext(after: { _ in }) {}
  }

  /// Passes on the next piece; false if there is none now.
  ///
  /// Nothing else refers to the piece's chain meanwhile: otherwise each block would copy the list of stages.
  private func passNext(after change: (inout EntryQueue) -> Void) -> Bool {
    let next = state.withLock { state in
      change(&state.queue)
      return nextPortion(&state)
    }
    guard var portion = consume next else { return false }
    timeline.took(frames: portion.piece.frames, of: portion.piece.session) { notify(.starved) }
    let made = portion.piece.make(portion.form)
    gst_buffer_unref(portion.piece.buffer.object)
    state.withLock { state in
      guard let made else {
        _ = state.queue.take(back: portion.piece, isMade: false)
        return
      }
      if state.queue.take(back: portion.piece, isMade: true), let port = state.port {
        gst_app_src_push_buffer(port.source.object, made.object)
      } else {
        gst_buffer_unref(made.object)
      }
    }
    return true
  }

  private func nextPortion(_ state: inout State) -> Portion? {
    guard let port = state.port else { return nil }
    while let step = state.queue.next() {
      switch step {
      case .silenced: notify(.silenced)
      case .end: gst_app_src_end_of_stream(port.source.object)
      case .pass(let piece):
        state.announce(piece.format, port)
        return Portion(piece: piece, form: state.form)
      }
    }
    return nil
  }
}

extension SoundEntry.State {
  /// Sends caps for samples of `format`, if they are others than before.
  fileprivate mutating func announce(_ format: StreamFormat, _ port: SoundEntry.Port) {
    guard format != announced else { return }
    let rate = port.filter?.expect(rate: format.rate) ?? format.rate
    var sent = format
    let own = SampleEncoding(rawValue: format.sample)
    var encoding = own
    if let depth = port.depth, let own {
      let widest = depth.encoding(for: own, rate: rate, channels: format.channels)
      encoding = widest
      sent.sample = widest.rawValue
    }
    form = nil
    if let own, let encoding {
      let layout = ChannelLayout(channels: format.channels, mask: UInt64(format.channelMask))
      form = SoundChain.Form(input: own, output: encoding, layout: layout, rate: format.rate)
    }
    guard let caps = gst_caps_from_string(sent.capsText) else { return }
    announced = format
    gst_app_src_set_caps(port.source.object, caps)
    gst_caps_unref(caps)
  }
}

extension EntryQueue.Piece {
  /// Its samples, processed for the device, with their running time; nil without memory. The caller owns the result.
  fileprivate mutating func make(_ form: SoundChain.Form?) -> GstPointer<GstBuffer>? {
    guard let made = processed(form) else { return nil }
    made.pointee.pts = format.nanoseconds(frames: start)
    made.pointee.dts = guint64.max
    made.pointee.duration = format.nanoseconds(frames: start + frames) - made.pointee.pts
    return GstPointer(made)
  }

  private mutating func processed(_ form: SoundChain.Form?) -> UnsafeMutablePointer<GstBuffer>? {
    let length = frames * format.bytesPerFrame
    guard let form, !chain.isTransparent(form, factor: factor) else {
      return gst_buffer_copy_region(buffer.object, GST_BUFFER_COPY_MEMORY, gsize(offset), gsize(length))
    }
    let size = SoundChain.size(of: length, form)
    guard let result = gst_buffer_new_allocate(nil, gsize(size), nil) else { return nil }
    var (from, to) = (GstMapInfo(), GstMapInfo())
    guard gst_buffer_map(buffer.object, &from, GST_MAP_READ) != 0 else {
      gst_buffer_memset(result, 0, 0, gsize(size))
      return result
    }
    defer { gst_buffer_unmap(buffer.object, &from) }
    guard gst_buffer_map(result, &to, GST_MAP_WRITE) != 0 else { return result }
    defer { gst_buffer_unmap(result, &to) }
    let bytes = UnsafeRawBufferPointer(start: from.data, count: Int(from.size))
    chain.process(
      UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length]), form,
      into: UnsafeMutableRawBufferPointer(start: to.data, count: Int(to.size)), factor: factor)
    return result
  }
}
