import CGStreamer
import Threads

/// The last stage of a track's streaming thread: waits until it is the track's turn and the device has room, then
/// pushes samples into the device.
///
/// Its own lock is taken inside the timeline's, never the other way round.
final class TrackFeed: PCMSource {
  let serial: Int
  private let timeline: Timeline
  private let notify: @Sendable (PipelineEvent) -> Void
  private let replayGain: ReplayGain
  private let state: SharedState<FeedState>

  init(
    serial: Int, timeline: Timeline, replayGain: ReplayGain,
    notify: @escaping @Sendable (PipelineEvent) -> Void
  ) {
    self.serial = serial
    self.timeline = timeline
    self.replayGain = replayGain
    self.notify = notify
    state = SharedState(FeedState(factor: LoudnessTags().factor(replayGain)))
  }

  deinit { state.withLock { $0.release() } }

  /// Whether it needs the tags that travel with the samples.
  var wantsTags: Bool { replayGain.mode != .off }

  // MARK: From the control thread

  /// The samples belong to this attempt to play from now on.
  func claim(_ play: UInt64) { state.withLock { $0.play = play } }

  var changesLoudness: Bool { state.withLock { $0.factor != 1 } }

  func cancel() {
    state.withLock { state in
      state.isCancelled = true
      state.dropBlock()
    }
    timeline.wakeSources()
  }

  /// Call before a flushing seek: drops the samples on their way. Returns the number of the seek, which all notices
  /// about later samples carry.
  func beginFlush() -> Int {
    let epoch = state.withLock { state in
      state.isDropping = true
      state.epoch += 1
      state.dropBlock()
      return state.epoch
    }
    timeline.wakeSources()
    return epoch
  }

  /// A seek is under way. Most have passed when the seek call returns, but some demuxers take longer.
  var isFlushing: Bool { state.withLock { $0.isDropping } }

  /// The seek was refused: no flush comes, and a stream that had ended doesn't report its end again.
  func abandonFlush() {
    state.withLock { state in
      state.beginAnew()
      if state.hasEnded { notify(.finished(serial, epoch: state.epoch)) }
    }
  }

  func loseDevice() {
    state.withLock { $0.hasJoined = false }
  }

  /// Where the samples that have come end (nanoseconds); nil while there are none.
  var end: guint64? { state.withLock { $0.endOfSamples } }

  /// Drops everything before `position` (nanoseconds), for streams that can only be read from the start.
  func skip(to position: guint64) {
    state.withLock { $0.beginning = position }
  }

  func flush() { put() }

  // MARK: Streaming thread

  /// The flush has passed the sink.
  func endFlush() {
    state.withLock { state in
      state.beginAnew()
      state.hasEnded = false
    }
  }

  /// All samples have come.
  func finish() {
    handOnInTurn(state.withLock { $0.epoch })
    state.withLock { state in
      state.hasEnded = true
      if !state.isDropping, !state.isCancelled { notify(.finished(serial, epoch: state.epoch)) }
    }
  }

  /// One block of samples.
  func take(_ sample: OpaquePointer) -> GstFlowReturn {
    guard let buffer = gst_sample_get_buffer(sample), let caps = gst_sample_get_caps(sample)
    else { return GST_FLOW_OK }
    let (epoch, isOfSameKind) = state.withLock { ($0.epoch, $0.isCollecting(GstPointer(caps))) }
    // What was collected is of another format, or of another loudness.
    if !isOfSameKind { handOnInTurn(epoch) }
    guard let format = state.withLock({ $0.update(GstPointer(caps)) }) else { return GST_FLOW_NOT_NEGOTIATED }
    guard case .granted(let queued) = waitForTurn(format, epoch) else {
      return state.withLock { $0.isCancelled } ? GST_FLOW_FLUSHING : GST_FLOW_OK
    }
    let isEnough = state.withLock {
      $0.collect(GstPointer(buffer), format, epoch: epoch, queued: queued)
    }
    if isEnough { handOnInTurn(epoch) }
    return GST_FLOW_OK
  }

  /// An event between the samples.
  func read(_ event: UnsafeMutablePointer<GstEvent>) {
    state.withLock { state in
      switch event.pointee.type {
      case GST_EVENT_STREAM_START: state.loudness = LoudnessTags()
      case GST_EVENT_TAG:
        var list: UnsafeMutablePointer<GstTagList>?
        gst_event_parse_tag(event, &list)
        if let list { state.loudness.merge(list) }
      default: return
      }
      state.factor = state.loudness.factor(replayGain)
    }
  }

  /// Hands on what has been collected, as soon as it is the track's turn.
  private func handOnInTurn(_ epoch: Int) {
    while let format = state.withLock({ $0.collectedFormat }) {
      let turn = timeline.waitForTurn(serial, format, isShared: isShared) { isWanted(epoch, announcing: nil) }
      guard case .granted = turn else { return }
      put()
    }
  }

  /// Waits for the turn, and announces the first samples.
  private func waitForTurn(_ format: StreamFormat, _ epoch: Int) -> Timeline.Turn {
    timeline.waitForTurn(serial, format, isShared: isShared) { isWanted(epoch, announcing: format) }
  }

  private var isShared: Bool { state.withLock { $0.play != nil } }

  /// Whether samples from the time of `epoch` are wanted. Announces the first ones.
  private func isWanted(_ epoch: Int, announcing format: StreamFormat?) -> Bool {
    state.withLock { state in
      guard state.isWanted(epoch) else { return false }
      if let format, !state.isAnnounced {
        state.isAnnounced = true
        notify(.ready(serial, epoch: epoch, format))
      }
      return true
    }
  }

  /// Hands on what has been collected, if it is the track's turn.
  private func put() {
    var media: guint64 = 0
    timeline.put(from: serial, play: state.withLock { $0.play }) { format in
      state.withLock { state in
        guard let block = state.takeBlock(of: format) else { return nil }
        media = block.media
        return block
      }
    } placed: { placement in
      state.withLock { state in
        guard !state.hasJoined else { return }
        state.hasJoined = true
        notify(.joined(serial, epoch: state.epoch, running: placement.running, media: media))
      }
      if placement.endsStarvation { notify(.fed) }
    }
  }
}
