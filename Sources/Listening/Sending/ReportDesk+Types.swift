extension ReportDesk {
  /// A report as it is kept.
  public struct Row: Sendable, Hashable {
    public var seq: Int64
    public var sink: ReportSink
    public var kind: ReportRecord.Kind
    public var place: ReportPlace
    public var body: String

    public init(
      seq: Int64, sink: ReportSink, kind: ReportRecord.Kind, place: ReportPlace, body: String
    ) {
      self.seq = seq
      self.sink = sink
      self.kind = kind
      self.place = place
      self.body = body
    }
  }

  /// A report that was found at the start, without its contents.
  public struct Kept: Sendable, Hashable {
    public var seq: Int64
    /// Nil: a kind of server that this version doesn't know.
    public var sink: ReportSink?
    public var bytes: Int
    public var place: ReportPlace

    public init(seq: Int64, sink: ReportSink?, bytes: Int, place: ReportPlace) {
      self.seq = seq
      self.sink = sink
      self.bytes = bytes
      self.place = place
    }
  }

  /// What is to be written, all at once.
  public struct Change: Sendable, Hashable {
    public var inserted: [Row] = []
    public var deleted: [Int64] = []

    public init() {}
    public var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty }
  }

  /// A call to be made.
  public struct Order: Sendable, Hashable {
    public var sink: ReportSink
    /// What isn't kept.
    public var live: ReportRecord?
    /// The reports that are kept, by number; empty with ``live``.
    public var seqs: [Int64] = []
  }

  /// What was found and left out at the start.
  public struct Dropped: Sendable, Hashable {
    /// Of a run of the machine that never knew the time.
    public var undated = 0
    /// For servers that are no longer configured.
    public var unwanted = 0
  }

  /// What was sent.
  public struct Sent: Sendable, Hashable {
    public var sink: ReportSink
    public var record: ReportRecord
    /// When, by the clock that stands still in sleep.
    public var at: Duration
  }

  /// How one server is doing.
  public struct Status: Sendable, Hashable {
    public var sink: ReportSink
    public var state: ReportSchedule.State
    public var waiting: Int
    /// Those that had to go since there were too many.
    public var lost: Int
    /// Those that the server didn't want.
    public var spoiled: Int
  }

  /// What the log is to say.
  public enum Word: Sendable, Hashable {
    /// It doesn't work, in plain words; said once.
    case fails(ReportSink, String)
    case refused(ReportSink, ReportVerdict.Refusal)
    case worksAgain(ReportSink)
    /// A report that the server doesn't want was dropped.
    case spoiled(ReportSink)
    /// The ring is full for the first time.
    case full(ReportSink)
  }
}
