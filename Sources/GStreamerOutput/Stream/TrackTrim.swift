import CGStreamer
import Threads

/// Applies a ``Trimmer`` to the pads of a track: watches the parser and the decoder, and trims after the decoder.
// Safe to share: all mutable state is guarded by `monitor`.
final class TrackTrim: @unchecked Sendable {
  private let monitor = Monitor()
  private let serial: Int
  private let notify: @Sendable (PipelineEvent) -> Void
  private var trimmer = Trimmer()
  /// The first bytes of an MP3 stream, until its tag is read or given up; nil when none is looked for.
  private var head: [UInt8]? = []
  private var hasSeenPacket = false
  private var hasDecoder = false
  private var info = GstAudioInfo()
  private var format: StreamFormat?

  private var showsOtherStreams = false
  private var target: (position: guint64, byClock: Bool)?
  private var start: guint64 = 0
  private var countsFromBeginning = false
  /// Time of the first segment, if positions are counted from there.
  private var beginning: guint64?

  init(serial: Int, notify: @escaping @Sendable (PipelineEvent) -> Void) {
    self.serial = serial
    self.notify = notify
  }

  /// The decoder's time at the beginning of the recording (nanoseconds).
  var origin: guint64 { monitor.locked { start } }

  /// The next samples begin before `position` (nanoseconds); those before it are cut.
  ///
  /// - Parameter byClock: whether the time stamps tell where it is, since the decoder leaves out its first frames.
  func expect(_ position: guint64, byClock: Bool = false) {
    monitor.locked { target = (position, byClock) }
  }

  /// The recording begins with the first segment, whatever the demuxer's time is there.
  func countFromBeginning() {
    monitor.locked { countsFromBeginning = true }
  }

  /// With the lock: a new segment.
  private func begin(_ segment: GstSegment) {
    var window = Trimmer.Window(
      start: segment.start, stop: segment.stop == guint64.max ? nil : segment.stop, time: segment.time)
    start = window.start > window.time ? window.start - window.time : 0
    // The segment ends where the sound would end without the delay.
    if windowsMediaDelay != nil { window.stop = nil }
    if countsFromBeginning {
      let zero = beginning ?? window.time
      beginning = zero
      window.time -= min(zero, window.time)
    }
    if let target {
      window.move(to: target.position)
      window.isByClock = target.byClock
    }
    target = nil
    trimmer.begin(window)
  }

  /// Frames that the decoder puts out before the sound and that nothing upstream removes.
  var skip: Int { monitor.locked { trimmer.skip } }
  /// Frames by which the demuxer's time is ahead of the position in the recording.
  var ahead: Int { monitor.locked { trimmer.ahead } }
  /// Sample rate of the decoder's output in Hz; 0 while unknown.
  var rate: Int { monitor.locked { Int(info.rate) } }
  /// Format of the decoder's output, before any conversion.
  var decodedFormat: StreamFormat? { monitor.locked { format } }
  /// First frame after the sound, if this trims it.
  var end: Int? { monitor.locked { trimmer.end } }

  /// The file contains more than the sound that is played.
  var hasOtherStreams: Bool { monitor.locked { showsOtherStreams } }

  func noteOtherStream() {
    monitor.locked { showsOtherStreams = true }
  }

  /// Watches `element` if it is an MP3 parser or a decoder.
  func watch(_ element: UnsafeMutablePointer<GstElement>) {
    let kind = String(cString: vireo_element_class(element))
    let name = String(cString: vireo_factory_name(element))
    guard let pad = gst_element_get_static_pad(element, "sink") else { return }
    defer { gst_object_unref(pad) }
    if name == "mpegaudioparse" {
      addProbe(pad, GST_PAD_PROBE_TYPE_BUFFER, trimParserProbe)
    } else if kind.contains("Decoder"), kind.contains("Audio") {
      monitor.locked { hasDecoder = true }
      addProbe(
        pad,
        GstPadProbeType(
          rawValue: GST_PAD_PROBE_TYPE_BUFFER.rawValue | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue),
        trimDecoderProbe)
    }
  }

  /// Trims what passes `pad`.
  func cut(at pad: UnsafeMutablePointer<GstPad>) {
    addProbe(
      pad,
      GstPadProbeType(
        rawValue: GST_PAD_PROBE_TYPE_BUFFER.rawValue | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue),
      trimOutputProbe)
  }

  private func addProbe(
    _ pad: UnsafeMutablePointer<GstPad>, _ type: GstPadProbeType, _ callback: GstPadProbeCallback
  ) {
    gst_pad_add_probe(
      pad, type, callback, CallbackContext.retain(self),
      { CallbackContext.release($0) })
  }

  /// Parser's input: looks for the tag. False if no more is needed.
  fileprivate func sniff(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
    monitor.locked {
      guard head != nil else { return false }
      var map = GstMapInfo()
      guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return true }
      defer { gst_buffer_unmap(buffer, &map) }
      let bytes = UnsafeBufferPointer(start: map.data, count: min(Int(map.size), 4096))
      head?.append(contentsOf: bytes)
      guard let seen = head, seen.count >= 2048 else { return true }
      readTag(seen)
      return false
    }
  }

  private func readTag(_ bytes: [UInt8]) {
    head = nil
    guard let tag = XingHeader(firstBytes: bytes) else { return }
    trimmer.skip = tag.skip
    trimmer.end = tag.end
  }

  /// Decoder's input: a packet.
  fileprivate func packet(_ buffer: UnsafeMutablePointer<GstBuffer>) {
    monitor.locked {
      if !hasSeenPacket {
        hasSeenPacket = true
        if let head, !head.isEmpty { readTag(head) }
        if vireo_buffer_has_clipping(buffer) != 0 {
          // The parser and decoder of this GStreamer do it themselves.
          trimmer.skip = 0
          trimmer.end = nil
        }
      }
      if buffer.pointee.pts != guint64.max, buffer.pointee.duration != guint64.max {
        trimmer.took(packetAt: buffer.pointee.pts, lasting: buffer.pointee.duration)
      }
      if trimmer.end == nil, isVorbis, buffer.pointee.offset_end != guint64.max {
        trimmer.granule = Int(clamping: buffer.pointee.offset_end)
      }
    }
  }

  private var isVorbis = false
  private var windowsMediaDelay: WindowsMediaDelay?

  /// Decoder's input: removes its clipping, since this cuts more exactly. Returns the event to send instead, or nil.
  fileprivate func event(_ event: UnsafeMutablePointer<GstEvent>) -> UnsafeMutablePointer<GstEvent>? {
    switch event.pointee.type {
    case GST_EVENT_CAPS:
      var caps: UnsafeMutablePointer<GstCaps>?
      gst_event_parse_caps(event, &caps)
      let delay = WindowsMediaDelay(caps: caps)
      if let details = CodecDetails(caps: caps) {
        monitor.locked {
          isVorbis = details.name == "Vorbis"
          windowsMediaDelay = delay
          if let delay { trimmer.skip = delay.frames }
        }
        notify(.encoded(serial, details))
      }
      return nil
    case GST_EVENT_SEGMENT:
      var segment = vireo_event_segment(event)
      guard segment.format == GST_FORMAT_TIME, segment.rate == 1 else { return nil }
      monitor.locked { begin(segment) }
      segment.start = 0
      segment.stop = guint64.max
      segment.time = 0
      segment.base = 0
      segment.offset = 0
      segment.position = 0
      guard let open = gst_event_new_segment(&segment) else { return nil }
      gst_event_set_seqnum(open, gst_event_get_seqnum(event))
      return open
    default: return nil
    }
  }

  /// Decoder's output: format and, if there is no decoder, segment.
  fileprivate func outputEvent(_ event: UnsafeMutablePointer<GstEvent>) {
    switch event.pointee.type {
    case GST_EVENT_CAPS:
      var caps: UnsafeMutablePointer<GstCaps>?
      gst_event_parse_caps(event, &caps)
      let isPlain = monitor.locked {
        if let caps { _ = gst_audio_info_from_caps(&info, caps) }
        format = StreamFormat(caps: caps)
        return !hasDecoder
      }
      if isPlain { notify(.encoded(serial, .pcm)) }
    case GST_EVENT_SEGMENT:
      let segment = vireo_event_segment(event)
      monitor.locked {
        if !hasDecoder, segment.format == GST_FORMAT_TIME { begin(segment) }
      }
    default: break
    }
  }

  /// Decoder's output: trims samples; nil if none are left. Consumes `buffer`.
  fileprivate func cut(_ buffer: UnsafeMutablePointer<GstBuffer>) -> UnsafeMutablePointer<GstBuffer>? {
    monitor.locked { () -> UnsafeMutablePointer<GstBuffer>? in
      let bytes = Int(info.bpf)
      guard bytes > 0, info.rate > 0 else { return buffer }
      let frames = Int(gst_buffer_get_size(buffer)) / bytes
      let timestamp = buffer.pointee.pts == guint64.max ? nil : buffer.pointee.pts
      guard let kept = trimmer.place(frames: frames, timestamp: timestamp, rate: Int(info.rate)) else {
        gst_buffer_unref(buffer)
        return nil
      }
      let stamp = gst_util_uint64_scale_round(guint64(kept.position), 1_000_000_000, guint64(info.rate))
      var result = buffer
      if kept.drop != 0 || kept.count != frames {
        guard
          let shorter = gst_audio_buffer_truncate(buffer, Int32(bytes), gsize(kept.drop), gsize(kept.count))
        else { return nil }
        result = shorter
      }
      guard let writable = vireo_buffer_writable(result) else { return nil }
      writable.pointee.pts = stamp
      writable.pointee.duration = guint64.max
      return writable
    }
  }
}

private func trimParserProbe(
  pad: UnsafeMutablePointer<GstPad>?, info: UnsafeMutablePointer<GstPadProbeInfo>?, context: gpointer?
) -> GstPadProbeReturn {
  guard let info, let context, let buffer = vireo_probe_buffer(info) else { return GST_PAD_PROBE_OK }
  let trim = CallbackContext.object(context, as: TrackTrim.self)
  return trim.sniff(buffer) ? GST_PAD_PROBE_OK : GST_PAD_PROBE_REMOVE
}

private func trimDecoderProbe(
  pad: UnsafeMutablePointer<GstPad>?, info: UnsafeMutablePointer<GstPadProbeInfo>?, context: gpointer?
) -> GstPadProbeReturn {
  guard let info, let context else { return GST_PAD_PROBE_OK }
  let trim = CallbackContext.object(context, as: TrackTrim.self)
  if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 {
    if let buffer = vireo_probe_buffer(info) { trim.packet(buffer) }
  } else if let event = vireo_probe_event(info), let replacement = trim.event(event) {
    gst_event_unref(event)
    vireo_probe_replace(info, replacement)
  }
  return GST_PAD_PROBE_OK
}

private func trimOutputProbe(
  pad: UnsafeMutablePointer<GstPad>?, info: UnsafeMutablePointer<GstPadProbeInfo>?, context: gpointer?
) -> GstPadProbeReturn {
  guard let info, let context else { return GST_PAD_PROBE_OK }
  let trim = CallbackContext.object(context, as: TrackTrim.self)
  if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 {
    guard let buffer = vireo_probe_buffer(info) else { return GST_PAD_PROBE_OK }
    guard let kept = trim.cut(buffer) else {
      // The buffer is gone already; HANDLED keeps the caller from freeing it again.
      vireo_probe_replace(info, nil)
      return GST_PAD_PROBE_HANDLED
    }
    vireo_probe_replace(info, kept)
  } else if let event = vireo_probe_event(info) {
    trim.outputEvent(event)
  }
  return GST_PAD_PROBE_OK
}
