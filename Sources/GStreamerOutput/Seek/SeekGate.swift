import CGStreamer
import Threads

/// Sits between the read-ahead buffer and the decoder of a network track, and finds out whether it is Ogg or FLAC.
///
/// GStreamer's Ogg demuxer can seek in data that is pushed into it, but it goes to where it last read, or to the
/// nearest page. So it is told that the stream isn't seekable. Its FLAC parser seeks to the sample, but reads everything
/// from the beginning for that. So this class seeks instead. It makes the source read elsewhere, and drops all data
/// until a page or frame comes from which the wanted sample can be reached.
final class SeekGate: Sendable {
  private struct Search: Sendable {
    var epoch: Int
    var scan: PlaceScan
    /// Position to be heard first, in nanoseconds.
    var target: guint64
    /// The source reads at the new place; what came before is dropped.
    var isFlushed = false
  }

  /// What to do with a buffer.
  private enum Step: Sendable {
    case answer(GstPadProbeReturn)
    case look(Search)
  }

  private struct State: Sendable {
    var head = FileHead()
    var search: Search?
  }

  private let state = SharedState(State())
  private let serial: Int
  /// Used by the control thread only.
  private let pad: GstPointer<GstPad>
  private let trim: TrackTrim
  private let notify: @Sendable (PipelineEvent) -> Void

  /// - Parameter pad: the source pad of the read-ahead buffer. The caller keeps it: the pad holds this object, so a
  ///   reference to the pad would keep both for ever.
  init(
    serial: Int, at pad: UnsafeMutablePointer<GstPad>, trim: TrackTrim,
    notify: @escaping @Sendable (PipelineEvent) -> Void
  ) {
    self.serial = serial
    self.pad = GstPointer(pad)
    self.trim = trim
    self.notify = notify
  }

  /// Begins to watch. The pad keeps this object alive until it goes.
  func attach() {
    let types = [
      GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, GST_PAD_PROBE_TYPE_EVENT_FLUSH,
      GST_PAD_PROBE_TYPE_QUERY_UPSTREAM,
    ]
    gst_pad_add_probe(
      pad.object,
      GstPadProbeType(rawValue: types.reduce(GST_PAD_PROBE_TYPE_PUSH.rawValue) { $0 | $1.rawValue }),
      { _, info, context in
        guard let info, let context else { return GST_PAD_PROBE_OK }
        return CallbackContext.object(context, as: SeekGate.self).pass(info)
      },
      CallbackContext.retain(self),
      { CallbackContext.release($0) })
  }

  /// Makes the source read at `place`, where `scan` wants to look. False if it can't.
  func begin(_ scan: PlaceScan, at place: Int, target: guint64, epoch: Int) -> Bool {
    state.withLock { $0.search = Search(epoch: epoch, scan: scan, target: target) }
    guard read(at: place) else {
      state.withLock { $0.search = nil }
      return false
    }
    return true
  }

  /// Makes the source read elsewhere for the current seek.
  func goOn(at offset: Int, epoch: Int) {
    guard state.withLock({ $0.search?.epoch == epoch }) else { return }
    _ = read(at: offset)
  }

  /// Returns once the source accepts the seek; doesn't wait for the server.
  private func read(at offset: Int) -> Bool {
    guard
      let event = gst_event_new_seek(
        1, GST_FORMAT_BYTES, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, gint64(offset), GST_SEEK_TYPE_NONE, -1)
    else { return false }
    return gst_pad_send_event(pad.object, event) != 0
  }

  // MARK: Streaming thread

  private func pass(_ info: UnsafeMutablePointer<GstPadProbeInfo>) -> GstPadProbeReturn {
    let type = info.pointee.type.rawValue
    if type & GST_PAD_PROBE_TYPE_QUERY_UPSTREAM.rawValue != 0 {
      return vireo_probe_query(info).map(answer) ?? GST_PAD_PROBE_OK
    }
    if type & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 {
      guard let buffer = vireo_probe_buffer(info) else { return GST_PAD_PROBE_OK }
      return pass(buffer, info)
    }
    return vireo_probe_event(info).map { event in state.withLock { pass(event, info, &$0.search) } }
      ?? GST_PAD_PROBE_OK
  }

  private func answer(_ query: UnsafeMutablePointer<GstQuery>) -> GstPadProbeReturn {
    guard query.pointee.type == GST_QUERY_SEEKING, state.withLock({ $0.head.isOgg }) else {
      return GST_PAD_PROBE_OK
    }
    var format = GST_FORMAT_UNDEFINED
    gst_query_parse_seeking(query, &format, nil, nil, nil)
    gst_query_set_seeking(query, format, 0, -1, -1)
    return GST_PAD_PROBE_HANDLED
  }

  private func pass(
    _ event: UnsafeMutablePointer<GstEvent>, _ info: UnsafeMutablePointer<GstPadProbeInfo>,
    _ search: inout Search?
  ) -> GstPadProbeReturn {
    switch event.pointee.type {
    case GST_EVENT_FLUSH_STOP:
      search?.isFlushed = true
      search?.scan.begin(at: 0)
    case GST_EVENT_SEGMENT:
      var segment = vireo_event_segment(event)
      guard segment.format == GST_FORMAT_BYTES, search != nil else { break }
      search?.scan.begin(at: Int(clamping: segment.start))
      guard let offset = search?.scan.reportedOffset else { break }
      segment.start = guint64(offset)
      segment.time = segment.start
      segment.position = segment.start
      guard let moved = gst_event_new_segment(&segment) else { break }
      gst_event_set_seqnum(moved, gst_event_get_seqnum(event))
      gst_event_unref(event)
      vireo_probe_replace(info, moved)
    case GST_EVENT_EOS:
      guard var found = search else { return GST_PAD_PROBE_OK }
      // Before the flush it is the end of what was read before, wherever the source is to read next.
      guard found.isFlushed else { return GST_PAD_PROBE_DROP }
      guard !found.scan.isAtBeginning else { return GST_PAD_PROBE_OK }
      if case .read(let place) = found.scan.end() { search = leave(found, for: place) }
      return GST_PAD_PROBE_DROP
    default: break
    }
    return GST_PAD_PROBE_OK
  }

  private func pass(
    _ buffer: UnsafeMutablePointer<GstBuffer>, _ info: UnsafeMutablePointer<GstPadProbeInfo>
  ) -> GstPadProbeReturn {
    switch state.withLock({ step(buffer, &$0) }) {
    case .answer(let answer): return answer
    case .look(var found):
      // Without the lock, which the control thread takes: searching garbage takes a while.
      let outcome = found.scan.take(buffer.bytes)
      return state.withLock { follow(outcome, found, buffer, info, &$0.search) }
    }
  }

  private func step(_ buffer: UnsafeMutablePointer<GstBuffer>, _ state: inout State) -> Step {
    guard let found = state.search else {
      guard state.head.finding == .unknown else {
        let isKnown = state.head.finding != .none || state.head.isOgg
        return .answer(isKnown ? GST_PAD_PROBE_OK : GST_PAD_PROBE_REMOVE)
      }
      state.head.read(buffer.bytes)
      if case .layout(let layout) = state.head.finding { notify(.layout(serial, layout)) }
      return .answer(GST_PAD_PROBE_OK)
    }
    guard found.isFlushed else { return .answer(GST_PAD_PROBE_DROP) }
    guard found.scan.isAtBeginning else { return .look(found) }
    state.search = open(found)
    return .answer(GST_PAD_PROBE_OK)
  }

  private func follow(
    _ outcome: PlaceScan.Outcome, _ found: Search, _ buffer: UnsafeMutablePointer<GstBuffer>,
    _ info: UnsafeMutablePointer<GstPadProbeInfo>, _ search: inout Search?
  ) -> GstPadProbeReturn {
    // Another seek may have begun meanwhile.
    guard search?.epoch == found.epoch else { return GST_PAD_PROBE_DROP }
    search = found
    switch outcome {
    case .needsMore: return GST_PAD_PROBE_DROP
    case .read(let place):
      search = leave(found, for: place)
      return GST_PAD_PROBE_DROP
    case .start(let bytes):
      guard let first = gst_buffer_new_allocate(nil, gsize(bytes.count), nil) else {
        return GST_PAD_PROBE_DROP
      }
      gst_buffer_fill(first, 0, bytes, gsize(bytes.count))
      gst_buffer_unref(buffer)
      vireo_probe_replace(info, first)
      search = open(found)
      return GST_PAD_PROBE_OK
    }
  }

  /// From now on, data goes to the decoder.
  private func open(_ search: Search) -> Search? {
    trim.expect(search.target)
    return nil
  }

  /// Drops all data until the source reads at `place`.
  private func leave(_ found: Search, for place: Int) -> Search {
    var search = found
    search.isFlushed = false
    notify(.readOn(serial, epoch: found.epoch, at: place))
    return search
  }
}
