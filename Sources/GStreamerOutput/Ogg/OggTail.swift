import CGStreamer
import CSoupGuard
import Synchronization
import Threads

/// Reads the end of an Ogg file by a separate request while the beginning plays: only the last page tells the length.
/// Confined to the control thread.
final class OggTail {
  enum Finding: Hashable {
    /// The granule position at the end.
    case end(Int64)
    /// There is no whole page of the stream: it is longer than what was read.
    case nothing
    /// The server sends something else, or the file contains several streams in sequence.
    case unknowable
  }

  private let pipeline: UnsafeMutablePointer<GstElement>
  private let collector: Collector
  private var isOver = false

  /// - Parameters:
  ///   - source: reads the file; not in any pipeline yet.
  ///   - part: the bytes of the file to read, up to its end.
  ///   - tell: called once, on a thread of the source.
  init?(
    _ source: UnsafeMutablePointer<GstElement>, layout: OggLayout, part: Range<Int>,
    tell: @escaping @Sendable (Finding) -> Void
  ) {
    collector = Collector(size: part.count, layout: layout, tell: tell)
    guard vireo_has_property(source, "extra-headers") != 0, let made = gst_pipeline_new(nil),
      let sink = gst_element_factory_make("fakesink", nil)
    else {
      gst_object_unref(source)
      return nil
    }
    pipeline = made
    vireo_set_int(sink, "sync", 0)
    let bin = UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstBin.self)
    gst_bin_add(bin, source)
    gst_bin_add(bin, sink)
    gst_element_set_bus(pipeline, nil)
    if vireo_has_property(source, "iradio-mode") != 0 { vireo_set_int(source, "iradio-mode", 0) }
    guard gst_element_link(source, sink) != 0, let pad = gst_element_get_static_pad(source, "src"),
      let headers = gst_structure_from_string("headers, Range=(string)\"bytes=\(part.lowerBound)-\"", nil)
    else { return nil }
    vireo_set_pointer(source, "extra-headers", headers)
    gst_structure_free(headers)
    listen(at: pad)
    gst_object_unref(pad)
    gst_element_set_state(pipeline, GST_STATE_PLAYING)
  }

  deinit { end() }

  /// Nothing is reported after this.
  func end() {
    guard !isOver else { return }
    isOver = true
    collector.end()
    csoupguard_fix_session_finalize()
    gst_element_set_state(pipeline, GST_STATE_NULL)
    gst_object_unref(pipeline)
  }

  /// When bytes came last.
  var latest: MonotonicTime { collector.latest }

  private func listen(at pad: UnsafeMutablePointer<GstPad>) {
    let types = GST_PAD_PROBE_TYPE_BUFFER.rawValue | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue
    gst_pad_add_probe(
      pad, GstPadProbeType(rawValue: types),
      { _, info, context in
        guard let info, let context else { return GST_PAD_PROBE_OK }
        csoupguard_fix_stream_close()
        let collector = CallbackContext.object(context, as: Collector.self)
        if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 {
          if let buffer = vireo_probe_buffer(info) { collector.add(buffer.bytes) }
        } else if vireo_probe_event(info)?.pointee.type == GST_EVENT_EOS {
          collector.finish()
        }
        return GST_PAD_PROBE_OK
      },
      CallbackContext.retain(collector),
      { CallbackContext.release($0) })
  }

  /// Looks for the end of the stream in `bytes`, the last of the file.
  ///
  /// If another stream ends the file, the streams follow each other, and the last page counts only its own samples.
  static func end(in bytes: [UInt8], _ layout: OggLayout) -> Finding {
    var end: Int64?
    var pages = OggPages(bytes)
    while let page = pages.next() {
      if page.isFirst, let end, end > 0 { return .unknowable }
      if page.serial == layout.serial, let granule = page.granule { end = max(granule, end ?? 0) }
    }
    guard !pages.isExhausted else { return .unknowable }
    return end.map { .end($0) } ?? .nothing
  }
}

/// Collects what the source's thread puts out.
private final class Collector: Sendable {
  private struct Progress {
    /// Nil once all have come.
    var bytes: [UInt8]? = []
    var latest = MonotonicTime.now
  }

  private let progress = Mutex(Progress())
  private let size: Int
  private let layout: OggLayout
  private let tell: @Sendable (OggTail.Finding) -> Void

  init(size: Int, layout: OggLayout, tell: @escaping @Sendable (OggTail.Finding) -> Void) {
    self.size = size
    self.layout = layout
    self.tell = tell
  }

  var latest: MonotonicTime { progress.withLock { $0.latest } }

  /// Nothing is reported after this.
  func end() { progress.withLock { $0.bytes = nil } }

  func add(_ more: [UInt8]) {
    let isTooLong = progress.withLock { progress in
      guard let before = progress.bytes?.count else { return false }
      progress.bytes?.append(contentsOf: more)
      progress.latest = .now
      return before + more.count > size
    }
    // The server sends the whole file instead of its end.
    if isTooLong { finish() }
  }

  func finish() {
    let bytes = progress.withLock { progress in
      defer { progress.bytes = nil }
      return progress.bytes
    }
    guard let bytes else { return }
    tell(bytes.count == size ? OggTail.end(in: bytes, layout) : .unknowable)
  }
}
