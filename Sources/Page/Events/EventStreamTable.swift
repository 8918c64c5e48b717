import HTTP
import Network

/// The pages that follow sections, and what each of them knows. A pure value.
///
/// Nothing is queued for a page that is slow: it has a version per section, and gets the present section when it has taken
/// what was sent before.
struct EventStreamTable: Sendable {
  typealias Name = PageSections.Name

  private struct Stream: Sendable {
    var address: IPAddress
    /// The version that was sent last; nil for none.
    var sent: [Name: Int?]
    /// Not everything that was written has been taken.
    var isBusy = false
    /// What has changed meanwhile.
    var missed: Set<Name> = []
  }

  private let limits: EventStreamLimits
  private var streams: [RequestID: Stream] = [:]

  init(limits: EventStreamLimits) { self.limits = limits }

  var count: Int { streams.count }

  var all: [RequestID] { Array(streams.keys) }

  /// Whether somebody follows `name`.
  func isFollowed(_ name: Name) -> Bool { streams.values.contains { $0.sent.keys.contains(name) } }

  /// Takes another stream.
  ///
  /// - Parameter most: how many streams there may be.
  /// - Returns: the sections that somebody follows from now on; nil when there are too many streams.
  mutating func add(
    _ id: RequestID, _ address: IPAddress, _ names: Set<Name>, most: Int
  ) -> Set<Name>? {
    let own = streams.values.reduce(0) { $0 + ($1.address == address ? 1 : 0) }
    guard streams.count < most, own < limits.streamsPerAddress else { return nil }
    let begun = names.filter { !isFollowed($0) }
    streams[id] = Stream(address: address, sent: Dictionary(uniqueKeysWithValues: names.map { ($0, nil) }))
    return begun
  }

  /// Removes a stream.
  ///
  /// - Returns: the sections that nobody follows any more; nil when it isn't one of these streams.
  mutating func remove(_ id: RequestID) -> Set<Name>? {
    guard let stream = streams.removeValue(forKey: id) else { return nil }
    return Set(stream.sent.keys).filter { !isFollowed($0) }
  }

  /// The streams that are to be sent `version` of `name` now; they count as having been sent it.
  mutating func readers(of name: Name, version: Int) -> [RequestID] {
    var readers: [RequestID] = []
    for (id, stream) in streams {
      guard let sent = stream.sent[name], sent != version else { continue }
      guard !stream.isBusy else {
        streams[id]?.missed.insert(name)
        continue
      }
      readers.append(id)
      streams[id]?.sent[name] = .some(version)
    }
    return readers
  }

  /// The streams that get a heartbeat: whatever waits for the others is one already.
  var idle: [RequestID] { streams.filter { !$0.value.isBusy }.map(\.key) }

  /// Something is written to `id`.
  mutating func wrote(_ id: RequestID) { streams[id]?.isBusy = true }

  /// Everything that was written to `id` has been taken.
  ///
  /// - Returns: the sections that have changed meanwhile.
  mutating func taken(_ id: RequestID) -> Set<Name> {
    let missed = streams[id]?.missed ?? []
    streams[id]?.isBusy = false
    streams[id]?.missed = []
    return missed
  }
}
