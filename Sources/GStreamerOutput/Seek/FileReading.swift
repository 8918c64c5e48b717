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
  private let pad: UnsafeMutablePointer<GstPad>
  private let gate: SeekGate
  private let trim: TrackTrim
  private let notify: @Sendable (PipelineEvent) -> Void
  private var layout: FileLayout?
  private var length = 0
  private var last = End.unknown
  private var tail: OggTail?
  /// How many bytes at the end are read for it.
  private var asked = 0
  private var source: () -> UnsafeMutablePointer<GstElement>? = { nil }
  /// How long the server may keep silent.
  private var patience = Duration.zero
  /// When the wait for the end is over, even if the server goes on to send.
  private var limit = MonotonicTime.now

  /// The last page of nearly all files is within the last 20 kB, which also slow servers send soon.
  private static let usualTail = 20 << 10
  /// Contains at least one whole page of any file.
  private static let longestTail = 2 * OggPage.mostBytes

  init?(
    serial: Int, behind queue: UnsafeMutablePointer<GstElement>, trim: TrackTrim,
    notify: @escaping @Sendable (PipelineEvent) -> Void
  ) {
    guard let pad = gst_element_get_static_pad(queue, "src") else { return nil }
    self.pad = pad
    gate = SeekGate(serial: serial, at: pad, trim: trim, notify: notify)
    gate.attach()
    self.serial = serial
    self.trim = trim
    self.notify = notify
  }

  deinit { gst_object_unref(pad) }

  /// Whether it is Ogg of a kind whose positions can be calculated.
  var isOgg: Bool { if case .ogg = layout { true } else { false } }

  /// Whether ``seek(to:epoch:)`` is the way to seek. A FLAC file of unknown length is left to GStreamer.
  var seeksItself: Bool {
    if isOgg { return true }
    if case .found = last { return true }
    return false
  }

  /// When the wait for the end is over; nil while it isn't awaited.
  ///
  /// Bytes put it off, but only so far: a seek may wait for it.
  var deadline: MonotonicTime? { tail.map { min($0.latest + patience, limit) } }

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
  ///   - patience: how long the server may keep silent while the end is awaited.
  ///   - source: makes another element that reads the file.
  func begins(
    _ layout: FileLayout, length: Int?, patience: Duration,
    source: @escaping () -> UnsafeMutablePointer<GstElement>?
  ) {
    self.layout = layout
    last = .none
    guard let length else { return }
    self.length = length
    switch layout {
    case .ogg(let layout):
      guard layout.fits(into: length) else { return }
      self.source = source
      self.patience = patience
      limit = .now + patience * 2
      awaitEnd(within: Self.usualTail, layout)
    case .flac(let layout):
      guard layout.fits(into: length) else { return }
      last = .found(PlaceSearch.Mark(offset: length, granule: layout.samples))
    }
  }

  /// The end has come, or won't come. May ask for more of it.
  func ends(_ finding: OggTail.Finding) {
    end()
    last = .none
    switch finding {
    case .end(let granule): last = .found(PlaceSearch.Mark(offset: length, granule: granule))
    case .nothing:
      if case .ogg(let layout) = layout, asked < min(Self.longestTail, length) {
        awaitEnd(within: Self.longestTail, layout)
      }
    case .unknowable: break
    }
  }

  private func awaitEnd(within bytes: Int, _ layout: OggLayout) {
    guard let source = source() else { return }
    asked = bytes
    let (serial, notify) = (serial, notify)
    tail = OggTail(source, layout: layout, part: max(0, length - bytes)..<length) {
      notify(.oggEnd(serial, $0))
    }
    if tail != nil { last = .awaited }
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
  }
}
