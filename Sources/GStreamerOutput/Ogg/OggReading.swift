import CGStreamer

/// What a track knows about its file if that is Ogg from the network. Confined to the control thread.
final class OggReading {
  private enum End {
    case unknown
    /// Its last page has been requested.
    case awaited
    case found(OggSeek.Mark)
    /// The server sends no ranges or doesn't state the length, or the file contains several streams in sequence.
    case none
  }

  private let serial: Int
  private let gate: OggGate
  private let trim: TrackTrim
  private let notify: @Sendable (PipelineEvent) -> Void
  private var layout: OggLayout?
  private var length = 0
  private var last = End.unknown
  private var tail: OggTail?
  /// When the wait for the end is over; nil while it isn't awaited.
  private(set) var deadline: MonotonicTime?

  init?(
    serial: Int, behind queue: UnsafeMutablePointer<GstElement>, trim: TrackTrim,
    notify: @escaping @Sendable (PipelineEvent) -> Void
  ) {
    guard let pad = gst_element_get_static_pad(queue, "src") else { return nil }
    defer { gst_object_unref(pad) }
    gate = OggGate(serial: serial, at: pad, trim: trim, notify: notify)
    gate.attach()
    self.serial = serial
    self.trim = trim
    self.notify = notify
  }

  /// Whether it is Ogg of a kind whose positions can be calculated.
  var isOgg: Bool { layout != nil }

  /// Whether the end has been requested: what seeking needs comes soon.
  var awaitsEnd: Bool { if case .awaited = last { true } else { false } }

  var isSeekable: Bool {
    switch last {
    case .awaited, .found: true
    case .unknown, .none: false
    }
  }

  /// The duration in nanoseconds; nil while it isn't known.
  var duration: guint64? {
    guard let layout, case .found(let mark) = last else { return nil }
    let (end, start) = (layout.clock.time(mark.granule), trim.origin)
    return end > start ? end - start : nil
  }

  /// The beginning has come: looks for the end.
  ///
  /// - Parameters:
  ///   - length: of the file in bytes; nil if the server doesn't state it or sends no ranges.
  ///   - deadline: how long the end is awaited.
  ///   - source: makes another element that reads the file.
  func begins(
    _ layout: OggLayout, length: Int?, deadline: MonotonicTime,
    source: () -> UnsafeMutablePointer<GstElement>?
  ) {
    self.layout = layout
    last = .none
    guard let length, layout.fits(into: length), let source = source() else { return }
    self.length = length
    let (serial, notify) = (serial, notify)
    tail = OggTail(source, layout: layout, length: length) { notify(.oggEnd(serial, $0)) }
    guard tail != nil else { return }
    last = .awaited
    self.deadline = deadline
  }

  /// The end has come, or won't come (nil).
  func ends(at granule: Int64?) {
    end()
    last = granule.map { .found(OggSeek.Mark(offset: length, granule: $0)) } ?? .none
  }

  /// Seeks to `position`, in nanoseconds. False if that isn't possible.
  func seek(to position: guint64, epoch: Int) -> Bool {
    guard let layout, case .found(let mark) = last else { return false }
    let seek = OggSeek(
      layout: layout, target: layout.clock.granule(position &+ trim.origin),
      start: layout.clock.granule(trim.origin) - Int64(layout.clock.lead), end: mark)
    return gate.begin(seek, of: layout.serial, target: position, epoch: epoch)
  }

  func goOn(at offset: Int, epoch: Int) {
    gate.goOn(at: offset, epoch: epoch)
  }

  func end() {
    tail?.end()
    tail = nil
    deadline = nil
  }
}
