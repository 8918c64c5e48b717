/// The open connections: how many, whose, and which of them goes when room is needed.
///
/// A newcomer is worth more than a connection that sits there: half-open requests, however many, lock
/// nobody out.
struct ConnectionTable: Sendable {
  enum Phase: Int, Sendable, Hashable {
    /// No complete head has come on it yet.
    case fresh
    /// Between two requests.
    case idle
    /// A body is on its way.
    case receiving
    /// A response waits to be taken.
    case answering
  }

  enum Admission: Sendable, Hashable {
    /// Take it as `id`; `evicting` has to be closed for it.
    case accepted(id: Int, evicting: Int?)
    case refused(Refusal)
  }

  private struct Entry: Sendable {
    var address: IPAddress
    var phase = Phase.fresh
    /// When the phase began, in steps of a counter.
    var since: UInt64
    /// Bytes of an unfinished request.
    var held = 0
    /// Bytes of responses that the peer hasn't taken yet.
    var owed = 0
  }

  private let limits: HTTPLimits
  /// By ids that are never used again, so that the late end of one connection can't be taken for another's.
  private var entries: [Int: Entry] = [:]
  private var lastID = 0
  private var steps: UInt64 = 0
  private(set) var heldBytes = 0
  private(set) var owedBytes = 0

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
      guard let victim = victim(where: { _ in true }) ?? slowestTaker else { return .refused(.connections) }
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

  /// Notes how much of an unfinished request `id` holds, and returns who has to go when that is too much in all.
  mutating func hold(_ bytes: Int, _ id: Int) -> Int? {
    note(bytes, id, \.held, \.heldBytes, limit: limits.unfinishedBytes)
  }

  /// Notes how much of its responses `id` hasn't taken, and returns who has to go when that is too much in all.
  mutating func owe(_ bytes: Int, _ id: Int) -> Int? {
    note(bytes, id, \.owed, \.owedBytes, limit: limits.untakenBytes)
  }

  /// Whoever has most of `total` goes, so those with little always win against those with much.
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
    heldBytes -= entry.held
    owedBytes -= entry.owed
  }

  /// When nobody takes his responses: the one that has waited longest, of the address that has most connections.
  private var slowestTaker: Int? {
    let counts = entries.values.reduce(into: [:]) { $0[$1.address, default: 0] += 1 }
    return entries.min { one, other in
      let (first, second) = (counts[one.value.address] ?? 0, counts[other.value.address] ?? 0)
      return first == second ? one.value.since < other.value.since : first > second
    }?.key
  }

  /// Never one whose response is pending; otherwise the oldest of the least useful kind.
  private func victim(where isCandidate: (Entry) -> Bool) -> Int? {
    entries
      .filter { $0.value.phase != .answering && isCandidate($0.value) }
      .min { ($0.value.phase.rawValue, $0.value.since) < ($1.value.phase.rawValue, $1.value.since) }?
      .key
  }
}
