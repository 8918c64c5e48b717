/// All stored playlists, without their tracks, and what each command makes of them. A pure value.
public struct KeptShelf: Sendable, Hashable {
  public var heads: [KeptHead]
  /// The highest ids that lists and tracks have ever had.
  public var lastList: UInt32
  public var lastTrack: UInt32
  private let limits: KeptLimits

  public init(
    _ heads: [KeptHead] = [], lastList: UInt32 = 0, lastTrack: UInt32 = 0, limits: KeptLimits = KeptLimits()
  ) {
    self.heads = heads.map { head in
      // A damaged state says anything, and sizes are added up.
      var head = head
      head.bytes = min(max(head.bytes, 0), limits.bytes)
      return head
    }
    self.lastList = max(lastList, heads.map(\.id).max() ?? 0)
    self.lastTrack = lastTrack
    self.limits = limits
  }

  /// What `edit` changes.
  ///
  /// - Parameters:
  ///   - list: the list that it names; nil when there is none.
  ///   - time: now, in seconds since 1970.
  public func change(
    _ edit: KeptEdit, of list: KeptList?, at time: Int64
  ) throws(KeptRefusal) -> KeptChange {
    if case .create(let name, let tracks) = edit.command { return try create(name, tracks, at: time) }
    guard var list, list.head.id == edit.command.list else { throw .noList }
    if let version = edit.version, version != list.head.version { throw .changed }
    var change = KeptChange(id: list.head.id)
    switch edit.command {
    case .create: break
    case .rename(_, let name): list.rename(try self.name(name, for: list.head.id))
    case .delete:
      change.deleted = list.ids
      return change
    case .add(_, let tracks, let after): try add(tracks, to: &list, after: after, &change)
    case .replace(_, let tracks):
      change.deleted = list.ids
      list.removeAll()
      try add(tracks, to: &list, after: nil, &change)
    case .move(_, let ids, let after): try list.move(ids, after: after)
    case .remove(_, let ids):
      try list.remove(ids)
      change.deleted = ids
    case .correct(_, let entries):
      change.written = list.correct(entries)
      guard list.head.bytes <= limits.listBytes, others(than: list) + list.head.bytes <= limits.bytes else {
        throw .noRoom
      }
    }
    list.touch(at: time)
    change.list = list
    return change
  }

  /// The shelf after a change.
  public func taking(_ change: KeptChange) -> KeptShelf {
    var shelf = self
    shelf.heads.removeAll { $0.id == change.id }
    if let list = change.list { shelf.heads.append(list.head) }
    shelf.heads.sort { $0.id < $1.id }
    shelf.lastList = max(lastList, change.id)
    shelf.lastTrack = max(lastTrack, change.written.map(\.id).max() ?? 0)
    return shelf
  }

  // MARK: Parts

  private func create(_ name: String, _ tracks: [KeptTrack], at time: Int64) throws(KeptRefusal) -> KeptChange
  {
    let name = try self.name(name, for: nil)
    guard heads.count < limits.lists, lastList < .max else { throw .tooManyLists }
    let head = KeptHead(id: lastList + 1, name: name, changed: time, version: 1)
    var change = KeptChange(id: head.id)
    var list = KeptList(head, places: [])
    try add(tracks, to: &list, after: nil, &change)
    change.list = list
    return change
  }

  private func name(_ name: String, for id: UInt32?) throws(KeptRefusal) -> String {
    let name = try KeptName.checked(name)
    guard !heads.contains(where: { $0.id != id && KeptName.isSame($0.name, name) }) else { throw .nameTaken }
    return name
  }

  /// The bytes of all other lists.
  private func others(than list: KeptList) -> Int {
    heads.reduce(0) { $1.id == list.head.id ? $0 : $0 + $1.bytes }
  }

  /// Adds as many tracks as there is room for.
  private func add(
    _ tracks: [KeptTrack], to list: inout KeptList, after: UInt32?, _ change: inout KeptChange
  ) throws(KeptRefusal) {
    let room = limits.tracks - list.head.count
    let others = others(than: list)
    var (bytes, new) = (list.head.bytes, [KeptEntry]())
    var isForAll = true
    for track in tracks {
      bytes += track.bytes
      isForAll = others + bytes <= limits.bytes
      guard new.count < room, bytes <= limits.listBytes, isForAll,
        let id = UInt32(exactly: UInt64(lastTrack) + UInt64(new.count) + 1)
      else { break }
      new.append(KeptEntry(id: id, track: track))
    }
    guard !new.isEmpty || tracks.isEmpty else { throw isForAll ? .listFull : .noRoom }
    try list.insert(new, after: after)
    change.written = new
    change.added = new.count
    change.left = tracks.count - new.count
  }
}
