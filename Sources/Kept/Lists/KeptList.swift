/// What is known of a stored playlist without its tracks.
public struct KeptHead: Sendable, Hashable {
  /// At least 1; never given to another list.
  public var id: UInt32
  public var name: String
  /// How many tracks it has.
  public var count: Int
  /// How long its tracks are together, as far as that is known.
  public var milliseconds: Int64
  /// Addresses and metadata, in bytes.
  public var bytes: Int
  /// When it was changed last, in seconds since 1970.
  public var changed: Int64
  /// Rises with each change of the list.
  public var version: UInt32

  public init(
    id: UInt32, name: String, count: Int = 0, milliseconds: Int64 = 0, bytes: Int = 0, changed: Int64,
    version: UInt32
  ) {
    self.id = id
    self.name = name
    self.count = count
    self.milliseconds = milliseconds
    self.bytes = bytes
    self.changed = changed
    self.version = version
  }
}

/// A stored playlist with its order, and without the contents of its tracks: what an edit needs to know.
public struct KeptList: Sendable, Hashable {
  /// A track's place in the order.
  public struct Place: Sendable, Hashable {
    public var id: UInt32
    public var bytes: UInt32
    public var milliseconds: UInt32

    public init(id: UInt32, bytes: UInt32, milliseconds: UInt32) {
      self.id = id
      self.bytes = bytes
      self.milliseconds = milliseconds
    }

    init(_ entry: KeptEntry) {
      self.init(
        id: entry.id, bytes: UInt32(clamping: entry.track.bytes),
        milliseconds: UInt32(clamping: entry.track.milliseconds))
    }
  }

  public private(set) var head: KeptHead
  public private(set) var places: [Place]

  /// - Parameter places: those with the id 0, and those with an id that an earlier one has, are left out.
  public init(_ head: KeptHead, places: [Place]) {
    self.head = head
    var seen: Set<UInt32> = [0]
    self.places = places.filter { seen.insert($0.id).inserted }
    count()
  }

  public var ids: [UInt32] { places.map(\.id) }

  private mutating func count() {
    head.count = places.count
    head.bytes = places.reduce(0) { $0 + Int($1.bytes) }
    head.milliseconds = places.reduce(0) { $0 + Int64($1.milliseconds) }
  }

  // MARK: Changes

  mutating func rename(_ name: String) { head.name = name }

  /// Notes that it has been changed.
  mutating func touch(at time: Int64) {
    head.changed = time
    head.version &+= 1
  }

  /// Puts new tracks behind the one with the id `after`; 0 for the front, nil for the end.
  mutating func insert(_ entries: [KeptEntry], after: UInt32?) throws(KeptRefusal) {
    places.insert(contentsOf: entries.map(Place.init), at: try index(behind: after))
    count()
  }

  private func index(behind after: UInt32?) throws(KeptRefusal) -> Int {
    guard let after else { return places.count }
    guard after > 0 else { return 0 }
    guard let index = places.firstIndex(where: { $0.id == after }) else { throw .noTrack }
    return index + 1
  }

  /// Gives tracks the places behind the one with the id `after`, 0 for the front, in the order in which they are named.
  mutating func move(_ ids: [UInt32], after: UInt32) throws(KeptRefusal) {
    let wanted = Set(ids)
    guard wanted.count == ids.count, !wanted.contains(after) else { throw .namedTwice }
    let moved = Dictionary(uniqueKeysWithValues: places.filter { wanted.contains($0.id) }.map { ($0.id, $0) })
    guard moved.count == wanted.count else { throw .noTrack }
    var list = self
    list.places.removeAll { wanted.contains($0.id) }
    list.places.insert(contentsOf: ids.compactMap { moved[$0] }, at: try list.index(behind: after))
    self = list
  }

  mutating func remove(_ ids: [UInt32]) throws(KeptRefusal) {
    let wanted = Set(ids)
    guard wanted.count == ids.count else { throw .namedTwice }
    guard places.count(where: { wanted.contains($0.id) }) == wanted.count else { throw .noTrack }
    places.removeAll { wanted.contains($0.id) }
    count()
  }

  mutating func removeAll() {
    places = []
    count()
  }

  /// Tracks have other contents now; those that have gone meanwhile are ignored.
  ///
  /// - Returns: the tracks that are still there.
  mutating func correct(_ entries: [KeptEntry]) -> [KeptEntry] {
    let new = Dictionary(entries.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    var taken: [KeptEntry] = []
    for (index, place) in places.enumerated() {
      guard let entry = new[place.id] else { continue }
      places[index] = Place(entry)
      taken.append(entry)
    }
    count()
    return taken
  }
}
