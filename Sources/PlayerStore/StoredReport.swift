/// A report of what was heard that waits for its server. The store knows nothing of what is in it.
public struct StoredReport: Sendable, Hashable {
  /// Numbers rise; each is above those of all reports that are kept.
  public var seq: Int64
  /// Which server it is for.
  public var sink: String
  public var kind: String
  /// Names the run of the machine in which it was.
  public var boot: String
  /// When, in milliseconds since the start of that run.
  public var at: Int64
  /// When, in milliseconds since 1970; nil while nobody knows.
  public var date: Int64?
  public var body: String

  public init(
    seq: Int64, sink: String, kind: String, boot: String, at: Int64, date: Int64?, body: String
  ) {
    self.seq = seq
    self.sink = sink
    self.kind = kind
    self.boot = boot
    self.at = at
    self.date = date
    self.body = body
  }
}

/// A report that is kept, without its contents.
public struct StoredReportPlace: Sendable, Hashable {
  public var seq: Int64
  public var sink: String
  public var boot: String
  public var at: Int64
  public var date: Int64?
  /// The length of its body in bytes.
  public var bytes: Int
}

/// Changes of the reports that are kept, which are written together.
public struct ReportChange: Sendable, Hashable {
  /// New reports, in ascending order.
  public var inserted: [StoredReport] = []
  public var deleted: Set<Int64> = []
  /// Runs of the machine whose start has a date now, in milliseconds since 1970, by name: everything of them is dated anew.
  public var dated: [String: Int64] = [:]

  public init() {}

  /// `reports`, and a later change; nil if there is neither.
  init?(inserting reports: [StoredReport], then later: ReportChange?) {
    guard !reports.isEmpty || later != nil else { return nil }
    inserted = reports
    if let later { add(later) }
  }

  public var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && dated.isEmpty }

  /// Adds a later change.
  mutating func add(_ later: ReportChange) {
    for (boot, offset) in later.dated {
      dated[boot] = offset
      for index in inserted.indices where inserted[index].boot == boot {
        inserted[index].date = inserted[index].at + offset
      }
    }
    inserted = (inserted + later.inserted).filter { !later.deleted.contains($0.seq) }
    deleted.formUnion(later.deleted)
  }
}
