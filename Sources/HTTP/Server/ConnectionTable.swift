import Network

/// The open connections, with their limits and the choice of the one to close when room is needed.
///
/// A new connection takes precedence over an inactive one, so half-open requests, however many, can't lock anybody out.
struct ConnectionTable: Sendable {
  enum Phase: Int, Sendable, Hashable {
    /// No complete request head has arrived yet.
    case fresh
    /// Between two requests.
    case idle
    /// A request body is arriving.
    case receiving
    /// A request waits for its turn.
    case waiting
    /// A response is sent piece by piece, or a body comes so. Its peer can try again, so this one gives way when no other can.
    case streaming
    /// A response waits for the peer to take it.
    case answering
  }

  enum Admission: Sendable, Hashable {
    /// The connection is accepted as `id`; the connection `evicting` must be closed for it.
    case accepted(id: Int, evicting: Int?)
    case refused(RefusalReason)
  }

  private struct Entry: Sendable {
    var address: IPAddress
    var phase = Phase.fresh
    /// When the phase began, as the value of a counter.
    var since: UInt64
    /// Bytes of an unfinished request.
    var unfinished = 0
    /// Bytes of responses that the peer hasn't taken yet.
    var unsent = 0
  }

  private let limits: HTTPLimits
  /// By ids that are never reused, so that a late close can't hit another connection.
  private var entries: [Int: Entry] = [:]
  private var lastID = 0
  private var steps: UInt64 = 0
  private(set) var unfinishedBytes = 0
  private(set) var unsentBytes = 0

  init(limits: HTTPLimits) { self.limits = limits }

  var count: Int { entries.count }

  mutating func admit(_ address: IPAddress) -> Admission {
    var evicted: Int?
    if entries.values.reduce(0, { $0 + ($1.address == address ? 1 : 0) }) >= limits.connectionsPerAddress {
      guard let victim = victim(where: { $0.address == address }) else {
        return .refused(.connectionsPerAddress)
      }
      evicted = victim
    } else if entries.count >= limits.connections {
      guard let victim = victim(where: { _ in true }) ?? slowestReader else { return .refused(.connections) }
      evicted = victim
    }
    if let evicted { remove(evicted) }
    lastID += 1
    steps += 1
    entries[lastID] = Entry(address: address, since: steps)
    return .accepted(id: lastID, evicting: evicted)
  }

  mutating func enter(_ phase: Phase, _ id: Int) {
    guard let index = entries.index(forKey: id) else { return }
    steps += 1
    entries.values[index].phase = phase
    entries.values[index].since = steps
  }

  /// Records the bytes of an unfinished request; returns the connection to close when the total is too large.
  mutating func noteUnfinished(_ bytes: Int, _ id: Int) -> Int? {
    note(bytes, id, \.unfinished, \.unfinishedBytes, limit: limits.unfinishedBytes)
  }

  /// Records the bytes of responses not yet taken; returns the connection to close when the total is too large.
  mutating func noteUnsent(_ bytes: Int, _ id: Int) -> Int? {
    note(bytes, id, \.unsent, \.unsentBytes, limit: limits.unsentResponseBytes)
  }

  /// Returns the connection with the largest share of `total`, so that one with a small share is never closed for it.
  private mutating func note(
    _ bytes: Int, _ id: Int, _ share: WritableKeyPath<Entry, Int>, _ total: WritableKeyPath<Self, Int>,
    limit: Int
  ) -> Int? {
    guard let index = entries.index(forKey: id) else { return nil }
    self[keyPath: total] += bytes - entries.values[index][keyPath: share]
    entries.values[index][keyPath: share] = bytes
    guard self[keyPath: total] > limit else { return nil }
    return entries.max { ($0.value[keyPath: share], $1.key) < ($1.value[keyPath: share], $0.key) }?.key
  }

  mutating func remove(_ id: Int) {
    guard let entry = entries.removeValue(forKey: id) else { return }
    unfinishedBytes -= entry.unfinished
    unsentBytes -= entry.unsent
  }

  /// The connection to close when all have untaken responses: the longest waiting one of the address with most
  /// connections.
  private var slowestReader: Int? {
    let counts = entries.values.reduce(into: [:]) { $0[$1.address, default: 0] += 1 }
    return entries.min { one, other in
      let (first, second) = (counts[one.value.address] ?? 0, counts[other.value.address] ?? 0)
      return first == second ? one.value.since < other.value.since : first > second
    }?.key
  }

  /// Returns the oldest connection in the least useful phase; never one whose response is pending.
  private func victim(where isCandidate: (Entry) -> Bool) -> Int? {
    entries
      .filter { $0.value.phase != .answering && isCandidate($0.value) }
      .min { ($0.value.phase.rawValue, $0.value.since) < ($1.value.phase.rawValue, $1.value.since) }?
      .key
  }
}
