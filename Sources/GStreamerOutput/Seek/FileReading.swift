import CGStreamer

/// What a track knows about its file if that is Ogg or FLAC from the network. Confined to the control thread.
final class FileReading {
  private enum End {
    case unknown
    /// Its last page has been requested.
    case awaited
    case found(PlaceSearch.Mark)
    /// The server sends no ranges or doesn't state the length, or the file contains several streams in sequence.
    case none
  }

  private let serial: Int
  private let gate: SeekGate
  private let trim: TrackTrim
  private let notify: @Sendable (PipelineEvent) -> Void
  private var layout: FileLayout?
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
    gate = SeekGate(serial: serial, at: pad, trim: trim, notify: notify)
    gate.attach()
    self.serial = serial
    self.trim = trim
    self.notify = notify
  }

  /// Whether it is Ogg of a kind whose positions can be calculated.
  var isOgg: Bool { if case .ogg = layout { true } else { false } }

  /// Whether ``seek(to:epoch:)`` is the way to seek. A FLAC file of unknown length is left to GStreamer.
  var seeksItself: Bool {
    if isOgg { return true }
    if case .found = last { return true }
    return false
  }

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
    guard case .ogg(let layout) = layout, case .found(let mark) = last else { return nil }
    let (end, start) = (layout.clock.time(mark.granule), trim.origin)
    return end > start ? end - start : nil
  }

  /// The beginning has come: looks for the end of Ogg. FLAC has told how long it is.
  ///
  /// - Parameters:
  ///   - length: of the file in bytes; nil if the server doesn't state it or sends no ranges.
  ///   - deadline: how long the end is awaited.
  ///   - source: makes another element that reads the file.
  func begins(
    _ layout: FileLayout, length: Int?, deadline: MonotonicTime,
    source: () -> UnsafeMutablePointer<GstElement>?
  ) {
    self.layout = layout
    last = .none
    guard let length else { return }
    self.length = length
    switch layout {
    case .ogg(let layout): beginOgg(layout, deadline: deadline, source: source)
    case .flac(let layout):
      guard layout.fits(into: length) else { return }
      last = .found(PlaceSearch.Mark(offset: length, granule: layout.samples))
    }
  }

  private func beginOgg(
    _ layout: OggLayout, deadline: MonotonicTime, source: () -> UnsafeMutablePointer<GstElement>?
  ) {
    guard layout.fits(into: length), let source = source() else { return }
    let (serial, notify) = (serial, notify)
    tail = OggTail(source, layout: layout, length: length) { notify(.oggEnd(serial, $0)) }
    guard tail != nil else { return }
    last = .awaited
    self.deadline = deadline
  }

  /// The end has come, or won't come (nil).
  func ends(at granule: Int64?) {
    end()
    last = granule.map { .found(PlaceSearch.Mark(offset: length, granule: $0)) } ?? .none
  }

  /// Seeks to `position`, in nanoseconds. False if that isn't possible.
  func seek(to position: guint64, epoch: Int) -> Bool {
    guard case .found(let mark) = last else { return false }
    let (search, scan): (PlaceSearch, PlaceScan)
    switch layout {
    case .ogg(let layout):
      search = PlaceSearch(
        layout: layout, target: layout.clock.granule(position &+ trim.origin),
        start: layout.clock.granule(trim.origin) - Int64(layout.clock.lead), end: mark)
      scan = .ogg(OggScan(search, of: layout.serial))
    case .flac(let layout):
      search = PlaceSearch(layout: layout, target: layout.sample(position), length: length)
      scan = .flac(FlacScan(search, in: layout))
    case nil: return false
    }
    return gate.begin(scan, at: search.place, target: position, epoch: epoch)
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
