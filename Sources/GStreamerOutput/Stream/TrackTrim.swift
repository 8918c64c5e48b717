import CGStreamer
import Player
import Text
import Threads

/// Applies a ``Trimmer`` to the pads of a track: watches the parser and the decoder, and trims after the decoder.
final class TrackTrim: Sendable {
  private let state = SharedState(TrimState())
  private let serial: Int
  private let notify: @Sendable (PipelineEvent) -> Void

  init(serial: Int, notify: @escaping @Sendable (PipelineEvent) -> Void) {
    self.serial = serial
    self.notify = notify
  }

  /// The decoder's time at the beginning of the recording (nanoseconds).
  var origin: guint64 { state.withLock { $0.start } }

  /// The next samples begin before `position` (nanoseconds); those before it are cut.
  ///
  /// - Parameter byClock: whether the time stamps tell where it is, since the decoder leaves out its first frames.
  func expect(_ position: guint64, byClock: Bool = false) {
    state.withLock { $0.target = (position, byClock) }
  }

  /// The recording begins with the first segment, whatever the demuxer's time is there.
  func countFromBeginning() {
    state.withLock { $0.countsFromBeginning = true }
  }

  /// Frames that the decoder puts out before the sound and that nothing upstream removes.
  var skip: Int { state.withLock { $0.trimmer.skip } }
  /// Frames by which the demuxer's time is ahead of the position in the recording.
  var ahead: Int { state.withLock { $0.trimmer.ahead } }
  /// Sample rate of the decoder's output in Hz; 0 while unknown.
  var rate: Int { state.withLock { $0.format?.rate ?? 0 } }
  /// Format of the decoder's output, before any conversion.
  var decodedFormat: StreamFormat? { state.withLock { $0.format } }
  /// First frame after the sound, if this trims it.
  var end: Int? { state.withLock { $0.trimmer.end } }

  /// The file contains more than the sound that is played.
  var hasOtherStreams: Bool { state.withLock { $0.showsOtherStreams } }

  func noteOtherStream() {
    state.withLock { $0.showsOtherStreams = true }
  }

  /// Watches `element` if it is an MP3 parser or a decoder.
  func watch(_ element: UnsafeMutablePointer<GstElement>) {
    let kind = String(cString: vireo_element_class(element))
    let name = String(cString: vireo_factory_name(element))
    guard let pad = gst_element_get_static_pad(element, "sink") else { return }
    defer { gst_object_unref(pad) }
    if name == "mpegaudioparse" {
      addProbe(pad, GST_PAD_PROBE_TYPE_BUFFER, trimParserProbe)
    } else if kind.includes("Decoder"), kind.includes("Audio") {
      state.withLock { $0.hasDecoder = true }
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
    guard state.withLock({ $0.head != nil }) else { return false }
    let bytes = buffer.bytes(atMost: 4096)
    return state.withLock { state in
      state.head?.append(contentsOf: bytes)
      guard let seen = state.head, seen.count >= 2048 else { return true }
      state.readTag(seen)
      return false
    }
  }

  /// Decoder's input: a packet.
  fileprivate func packet(_ buffer: UnsafeMutablePointer<GstBuffer>) {
    let (time, duration) = (buffer.pointee.pts, buffer.pointee.duration)
    let granule = buffer.pointee.offset_end
    state.withLock { state in
      if !state.hasSeenPacket {
        state.hasSeenPacket = true
        if let head = state.head, !head.isEmpty { state.readTag(head) }
        if vireo_buffer_has_clipping(buffer) != 0 {
          // The parser and decoder of this GStreamer do it themselves.
          state.trimmer.skip = 0
          state.trimmer.end = nil
        }
      }
      if time != guint64.max, duration != guint64.max {
        state.trimmer.took(packetAt: time, lasting: duration)
      }
      if state.trimmer.end == nil, state.isVorbis, granule != guint64.max {
        state.trimmer.granule = Int(clamping: granule)
      }
    }
  }

  /// Decoder's input: removes its clipping, since this cuts more exactly. Returns the event to send instead, or nil.
  fileprivate func event(_ event: UnsafeMutablePointer<GstEvent>) -> UnsafeMutablePointer<GstEvent>? {
    switch event.pointee.type {
    case GST_EVENT_CAPS:
      var caps: UnsafeMutablePointer<GstCaps>?
      gst_event_parse_caps(event, &caps)
      let delay = WindowsMediaDelay(caps: caps)
      if let details = CodecDetails(caps: caps) {
        state.withLock { state in
          state.isVorbis = details.name == "Vorbis"
          state.windowsMediaDelay = delay
          if let delay { state.trimmer.skip = delay.frames }
        }
        notify(.encoded(serial, details))
      }
      return nil
    case GST_EVENT_SEGMENT:
      var segment = vireo_event_segment(event)
      guard segment.format == GST_FORMAT_TIME, segment.rate == 1 else { return nil }
      let window = Trimmer.Window(segment)
      state.withLock { $0.begin(window) }
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
      let format = StreamFormat(caps: caps)
      let isPlain = state.withLock { state in
        state.format = format
        return !state.hasDecoder
      }
      if isPlain { notify(.encoded(serial, .pcm)) }
    case GST_EVENT_SEGMENT:
      let segment = vireo_event_segment(event)
      guard segment.format == GST_FORMAT_TIME else { return }
      let window = Trimmer.Window(segment)
      state.withLock { state in if !state.hasDecoder { state.begin(window) } }
    default: break
    }
  }

  /// Decoder's output: trims samples; nil if none are left. Consumes `buffer`.
  fileprivate func cut(_ buffer: UnsafeMutablePointer<GstBuffer>) -> UnsafeMutablePointer<GstBuffer>? {
    let timestamp = buffer.pointee.pts == guint64.max ? nil : buffer.pointee.pts
    let size = Int(gst_buffer_get_size(buffer))
    switch state.withLock({ $0.place(bytes: size, timestamp) }) {
    case .asItIs: return buffer
    case .nothing:
      gst_buffer_unref(buffer)
      return nil
    case .part(let kept, let position, let bytes):
      var result = buffer
      if kept.drop != 0 || kept.count != size / bytes {
        guard
          let shorter = gst_audio_buffer_truncate(buffer, Int32(bytes), gsize(kept.drop), gsize(kept.count))
        else { return nil }
        result = shorter
      }
      guard let writable = vireo_buffer_writable(result) else { return nil }
      writable.pointee.pts = position
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
