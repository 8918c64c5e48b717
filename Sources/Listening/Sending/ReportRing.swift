/// Which reports wait for one server. Bounded: the oldest goes, and is counted.
///
/// Knows only their numbers and sizes; the reports themselves are in the state.
public struct ReportRing: Sendable, Equatable {
  public static let mostRows = 5000
  /// As ``cost(bytes:)`` counts them.
  public static let mostBytes = 4 << 20

  private struct Entry: Sendable, Equatable {
    let seq: Int64
    let cost: Int32
  }

  /// The oldest first, from ``head`` on.
  private var entries: [Entry] = []
  private var head = 0
  private let mostRows: Int
  private let mostBytes: Int
  /// What they take in the state, in bytes.
  public private(set) var bytes = 0
  /// How many had to go since the program started.
  public private(set) var lost = 0

  public init(mostRows: Int = Self.mostRows, mostBytes: Int = Self.mostBytes) {
    self.mostRows = mostRows
    self.mostBytes = mostBytes
  }

  public var count: Int { entries.count - head }
  public var isEmpty: Bool { count == 0 }

  /// What a report of so many bytes takes in the state, in bytes. The database has pages of 1,024 bytes, of which each holds
  /// whole rows or a part of one.
  public static func cost(bytes: Int) -> Int {
    // The other columns, and what SQLite adds; of each page it needs some bytes itself.
    let (row, room) = (bytes + 60, 1012)
    return row <= room ? 1024 / (room / row) : (row + room - 1) / room * 1024
  }

  /// Adds a report behind all others; `seq` must be higher than theirs.
  ///
  /// - Returns: the numbers of those that had to go for it.
  public mutating func append(_ seq: Int64, bytes: Int) -> [Int64] {
    let cost = Self.cost(bytes: bytes)
    entries.append(Entry(seq: seq, cost: Int32(clamping: cost)))
    self.bytes += cost
    var gone: [Int64] = []
    while count > mostRows || (self.bytes > mostBytes && count > 1) {
      gone.append(entries[head].seq)
      self.bytes -= Int(entries[head].cost)
      head += 1
    }
    lost += gone.count
    compact()
    return gone
  }

  /// Removes reports that have arrived, or that nobody will take.
  public mutating func remove(_ seqs: some Collection<Int64>) {
    guard !seqs.isEmpty else { return }
    let removed = Set(seqs)
    var kept: [Entry] = []
    kept.reserveCapacity(count)
    for entry in entries[head...] {
      if removed.contains(entry.seq) { bytes -= Int(entry.cost) } else { kept.append(entry) }
    }
    (entries, head) = (kept, 0)
  }

  /// The numbers of the oldest, up to `last`.
  public func first(_ most: Int, through last: Int64 = .max) -> [Int64] {
    Array(entries[head...].lazy.map(\.seq).prefix { $0 <= last }.prefix(most))
  }

  /// The number of the oldest.
  public var oldest: Int64? { head < entries.count ? entries[head].seq : nil }

  private mutating func compact() {
    guard head > 1000, head * 2 > entries.count else { return }
    entries.removeFirst(head)
    head = 0
  }
}
