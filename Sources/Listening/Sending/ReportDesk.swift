/// Knows all that waits to be reported: which reports are kept, and which server is called next. Pure; whoever has it reads
/// clocks, keeps rows and makes calls.
///
/// A report that is kept is written first and sent then. It stays until its server has taken it, so a power cut loses
/// nothing; what was taken but not yet deleted comes twice, with the same id.
public struct ReportDesk: Sendable {
  struct Counter: Sendable {
    var ring: ReportRing
    var schedule: ReportSchedule
    var live: ReportRecord?
    /// Whether the last call told what plays: what is kept comes next, or short tracks would keep it waiting for ever.
    var hasToldLive = false
    var spoiled = 0
    /// Whether the log knows that it doesn't work.
    var isFailing = false
    var isFull = false
  }

  /// How many of the last reports are shown.
  static let mostSent = 20
  /// So many deletions are worth a write of their own.
  public static let manyDeletions = 50
  /// How often the clock is looked at while something waits for it.
  static let clockInterval = Duration.seconds(60)

  private(set) var counters: [ReportSink: Counter] = [:]
  private var nextSeq: Int64 = 1
  /// What has been written, up to this number.
  private var written: Int64 = 0
  /// The first report that has no date yet.
  private var firstUndated: Int64?
  /// When the clock was read last.
  private var clockLook = Duration.zero
  /// What has arrived and isn't deleted yet: that is done with the next write.
  private var deletions: [Int64] = []
  /// The last reports that were sent, the latest first.
  public private(set) var sent: [Sent] = []
  /// What was left out at the start.
  public let dropped: Dropped

  /// - Parameters:
  ///   - sinks: the servers that are configured.
  ///   - kept: what is in the state, in ascending order.
  ///   - boot: this run of the machine.
  ///   - most: how many reports are kept for each server.
  public init(_ sinks: [ReportSink], kept: [Kept] = [], boot: String, most: Int = ReportRing.mostRows) {
    for sink in sinks {
      counters[sink] = Counter(ring: ReportRing(mostRows: most), schedule: ReportSchedule(sink))
    }
    var dropped = Dropped()
    for row in kept {
      nextSeq = max(nextSeq, row.seq + 1)
      if let sink = row.sink, counters[sink] != nil {
        if row.place.date == nil, row.place.boot != boot {
          dropped.undated += 1
          deletions.append(row.seq)
        } else {
          if row.place.date == nil { firstUndated = firstUndated ?? row.seq }
          deletions += counters[sink]?.ring.append(row.seq, bytes: row.bytes) ?? []
        }
      } else {
        dropped.unwanted += 1
        deletions.append(row.seq)
      }
    }
    written = nextSeq - 1
    self.dropped = dropped
  }

  // MARK: - What is heard

  /// Takes what the watch says. Returns what is to be written.
  public mutating func take(
    _ events: [ListeningWatch.Event], at now: UpTime, _ dating: ListenDating,
    using random: inout some RandomNumberGenerator
  ) -> Change {
    var change = Change()
    for event in events {
      switch event {
      case .began(let listen):
        keep(.began, listen, at: listen.began, for: [.webhook], dating, &change, &random)
      case .named(let listen):
        tell(
          ReportRecord(.now, id: ReportRecord.makeID(using: &random), of: listen), [.listenBrainz, .lastFM])
      case .beat(let listen):
        tell(ReportRecord(.beat, id: ReportRecord.makeID(using: &random), of: listen), [.webhook])
      case .heard(let listen, let rule):
        let sinks = ReportSink.allCases.filter { $0.rule == rule }
        keep(.heard, listen, at: listen.began, for: sinks, dating, &change, &random)
      case .ended(let listen):
        for sink in counters.keys { counters[sink]?.live = nil }
        keep(.ended, listen, at: now, for: [.webhook], dating, &change, &random)
      }
    }
    return withDeletions(change)
  }

  /// The program has started. Returns what is to be written.
  public mutating func started(
    at now: UpTime, _ dating: ListenDating, using random: inout some RandomNumberGenerator
  ) -> Change {
    var change = Change()
    keep(.started, nil, at: now, for: [.webhook], dating, &change, &random)
    return change.isEmpty ? takeDeletions(most: 1) : withDeletions(change)
  }

  private mutating func keep(
    _ kind: ReportRecord.Kind, _ listen: Listen?, at time: UpTime, for sinks: [ReportSink],
    _ dating: ListenDating, _ change: inout Change, _ random: inout some RandomNumberGenerator
  ) {
    for sink in sinks where counters[sink] != nil {
      let record = ReportRecord(kind, id: ReportRecord.makeID(using: &random), of: listen)
      let place = ReportPlace(
        boot: dating.boot, at: time.sinceBoot.milliseconds, date: dating.date(sinceBoot: time.sinceBoot))
      let row = Row(seq: nextSeq, sink: sink, kind: kind, place: place, body: record.body)
      nextSeq += 1
      if place.date == nil { firstUndated = firstUndated ?? row.seq }
      change.inserted.append(row)
      let gone = counters[sink]?.ring.append(row.seq, bytes: row.body.utf8.count) ?? []
      change.inserted.removeAll { gone.contains($0.seq) }
      change.deleted += gone
    }
  }

  private mutating func tell(_ record: ReportRecord, _ sinks: [ReportSink]) {
    for sink in sinks { counters[sink]?.live = record }
  }

  // MARK: - What is written

  /// Everything up to this number is in the state, or can't be written there.
  public mutating func written(through seq: Int64) { written = max(written, seq) }

  /// The clock is set: all that is kept of this run of the machine has a date now.
  public mutating func dated() { firstUndated = nil }

  /// The clock has been read.
  public mutating func lookedAtClock(at now: Duration) { clockLook = now }

  /// Whether something waits for the clock to be set.
  public var waitsForClock: Bool { firstUndated != nil }

  /// What has arrived and isn't deleted yet, if that is so much that it is worth a write.
  ///
  /// - Parameter most: fewer may wait for the next write.
  public mutating func takeDeletions(most: Int = Self.manyDeletions) -> Change {
    var change = Change()
    if deletions.count >= most { swap(&change.deleted, &deletions) }
    return change
  }

  private mutating func withDeletions(_ change: Change) -> Change {
    guard !change.isEmpty else { return change }
    var change = change
    change.deleted += deletions
    deletions = []
    return change
  }

  // MARK: - Calls

  /// The calls that are due.
  public mutating func orders(at now: Duration) -> [Order] {
    ReportSink.allCases.compactMap { sink in
      guard var counter = counters[sink], counter.schedule.mayCall(at: now) else { return nil }
      let seqs = counter.ring.first(counter.schedule.most, through: lastSendable)
      let isLive = counter.live != nil && (seqs.isEmpty || !counter.hasToldLive)
      let order = Order(sink: sink, live: isLive ? counter.live : nil, seqs: isLive ? [] : seqs)
      guard isLive || !seqs.isEmpty else { return nil }
      if isLive { counter.live = nil }
      counter.hasToldLive = isLive
      counter.schedule.begin(at: now)
      counters[sink] = counter
      return order
    }
  }

  private var lastSendable: Int64 { min(written, firstUndated.map { $0 - 1 } ?? .max) }

  /// When ``orders(at:)`` is to be called again, or the clock is to be read; nil while there is nothing to do.
  public var due: Duration? {
    var due = counters.values.lazy
      .filter { $0.live != nil || ($0.ring.oldest ?? .max) <= lastSendable }
      .compactMap(\.schedule.due).min()
    if waitsForClock {
      let look = clockLook + Self.clockInterval
      due = due.map { min($0, look) } ?? look
    }
    return due
  }

  /// A call has ended.
  ///
  /// - Parameters:
  ///   - order: the call.
  ///   - verdict: what came of it; nil if nothing was sent, since nothing of it is in the state.
  ///   - records: what was sent.
  public mutating func ended(
    _ order: Order, _ verdict: ReportVerdict?, records: [ReportRecord], at now: Duration,
    using random: inout some RandomNumberGenerator
  ) -> [Word] {
    guard var counter = counters[order.sink] else { return [] }
    var words: [Word] = []
    let isDropped = counter.schedule.end(
      verdict ?? .accepted, count: order.seqs.count, at: now, using: &random)
    switch verdict {
    case nil, .accepted:
      remove(order.seqs, from: &counter)
      note(records, order.sink, at: now)
      if verdict != nil, counter.isFailing {
        counter.isFailing = false
        words.append(.worksAgain(order.sink))
      }
    case .malformed where isDropped && order.live == nil:
      remove(order.seqs, from: &counter)
      counter.spoiled += 1
      words.append(.spoiled(order.sink))
    case .malformed: break
    case .refused(let refusal):
      counter.isFailing = true
      words.append(.refused(order.sink, refusal))
    case .failed(let text):
      if !counter.isFailing { words.append(.fails(order.sink, text)) }
      counter.isFailing = true
    case .limited:
      // That is no fault, unless it stays so.
      if counter.schedule.failures > 1, !counter.isFailing {
        counter.isFailing = true
        words.append(.fails(order.sink, "it takes no more calls now"))
      }
    }
    if counter.ring.lost > 0, !counter.isFull {
      counter.isFull = true
      words.append(.full(order.sink))
    }
    counters[order.sink] = counter
    return words
  }

  private mutating func remove(_ seqs: [Int64], from counter: inout Counter) {
    counter.ring.remove(seqs)
    deletions += seqs
  }

  private mutating func note(_ records: [ReportRecord], _ sink: ReportSink, at now: Duration) {
    sent.insert(
      contentsOf: records.suffix(Self.mostSent).reversed().map { Sent(sink: sink, record: $0, at: now) },
      at: 0)
    if sent.count > Self.mostSent { sent.removeLast(sent.count - Self.mostSent) }
  }

  /// The network has come, or has changed.
  public mutating func networkCame() {
    for sink in counters.keys { counters[sink]?.schedule.networkCame() }
  }

  /// Servers that refused are asked again.
  public mutating func tryAgain() {
    for sink in counters.keys { counters[sink]?.schedule.tryAgain() }
  }

  /// What plays is nobody's business now.
  public mutating func forgetLive() {
    for sink in counters.keys { counters[sink]?.live = nil }
  }

  /// How the servers are doing.
  public var status: [Status] {
    ReportSink.allCases.compactMap { sink in
      counters[sink].map { counter in
        Status(
          sink: sink, state: counter.schedule.state, waiting: counter.ring.count, lost: counter.ring.lost,
          spoiled: counter.spoiled)
      }
    }
  }
}
