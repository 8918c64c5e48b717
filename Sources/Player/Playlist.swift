/// The playlist that this player owns: tracks, play order and current place (OpenHome Playlist:1). Doesn't
/// know the transport.
public struct Playlist: Sendable, Equatable {
  /// A move from the current track.
  enum Step: Sendable, Equatable {
    /// To a place in the current play order.
    case place(Int)
    /// To a place in the play order of the next round.
    case round(Int)
  }

  /// The effect of a removal on the current track.
  enum Removal: Sendable, Equatable {
    case other
    /// The current track was removed; the following one is now current.
    case currentFollowed
    /// The current track was removed and was the last one; the first one, if any, is now current.
    case currentLast
  }

  public internal(set) var tracks: PlaylistTracks
  /// Number of changes of the id list, from an arbitrary start.
  public internal(set) var token: UInt32
  /// The lowest id that this run assigns. Ids that control points may know from before the restart are lower
  /// and aren't reused.
  public let firstID: UInt32
  public private(set) var isRepeating: Bool
  /// The current track follows itself; only while ``isRepeating``.
  public private(set) var repeatsOne = false
  /// A permutation of the ids while shuffle is on; else nil.
  var shuffled: [UInt32]?
  /// The permutation for the next round, made when the output needs to know what follows the last track of
  /// this one.
  private var nextRound: [UInt32]?
  /// Index of the current track in the play order; 0 for an empty list.
  var place = 0
  /// True until a track of the list has played.
  var isFresh: Bool
  /// Number of tracks right after the current one that are known to be unplayable.
  private(set) var skipped = 0
  /// Why the follower was dropped. Becomes the player's failure when the current track has ended.
  private(set) var lookaheadFailure: PlaybackFailure?

  /// A saved list, or an empty one when `saved` is nil. The first track is current when `currentID` isn't in
  /// the list.
  ///
  /// - Parameter unsavedID: see `PlayerState`.
  init(
    tracks saved: PlaylistTracks? = nil, unsavedID: UInt32 = 0, currentID: UInt32 = 0,
    isRepeating: Bool = false,
    isShuffling: Bool = false, using random: inout SplitMix64
  ) {
    let tracks = saved ?? PlaylistTracks()
    self.tracks = tracks
    self.isRepeating = isRepeating
    let (first, overflows) = tracks.lastSafeID(besides: unsavedID).addingReportingOverflow(1)
    firstID = (saved == nil && unsavedID == 0) || overflows ? 1 : first
    token = firstID
    isFresh = tracks.isEmpty
    place = tracks.index(of: currentID) ?? 0
    if isShuffling { setShuffling(true, using: &random) }
  }

  public var isShuffling: Bool { shuffled != nil }
  public var isEmpty: Bool { tracks.isEmpty }
  /// The ids in play order.
  var order: [UInt32] { shuffled ?? tracks.ids }

  /// The current track; 0 for an empty list.
  public var currentID: UInt32 { id(at: .place(place)) ?? 0 }
  public var current: Media? { tracks[currentID] }

  // MARK: Where to go

  /// What follows the current track, both on its own and after a control point's Next. Requires
  /// ``prepareFollower(using:)``.
  func successor() -> Step? {
    let following = place + 1 + skipped
    if following < tracks.count { return .place(following) }
    return isRepeating && !isEmpty ? .round((following - tracks.count) % tracks.count) : nil
  }

  /// Where a control point's Previous leads.
  func predecessor() -> Step? {
    guard place == 0 else { return .place(place - 1) }
    return isRepeating && !isEmpty ? .place(tracks.count - 1) : nil
  }

  private func id(at step: Step) -> UInt32? {
    switch step {
    case .place(let place): order.indices.contains(place) ? order[place] : nil
    case .round(let place): (nextRound ?? order).indices.contains(place) ? (nextRound ?? order)[place] : nil
    }
  }

  func track(at step: Step) -> Media? { id(at: step).flatMap { tracks[$0] } }

  /// The tracks that follow the current one, in the order in which they will play, as far as that is known.
  ///
  /// - Parameter most: how many are wanted at most.
  public func upcoming(most: Int) -> [Media] {
    let first = place + 1 + skipped
    let rest = first < tracks.count ? Array(order[first...].prefix(most)) : []
    var ids = rest
    // A list that repeats is told once.
    if isRepeating, let round = isShuffling ? nextRound : order {
      ids += round.prefix(min(most - rest.count, max(tracks.count - 1 - rest.count, 0)))
    }
    return ids.compactMap { tracks[$0] }
  }

  /// Fixes the order of the next round when ``successor()`` needs it. Cheap except on the last track of a
  /// round.
  mutating func prepareFollower(using random: inout SplitMix64) {
    guard isShuffling, isRepeating, nextRound == nil, place + 1 + skipped >= tracks.count else { return }
    nextRound = round(notBeginningWith: currentID, using: &random)
  }

  // MARK: Moving

  mutating func take(_ step: Step) {
    switch step {
    case .place(let place): self.place = place
    case .round(let place):
      if isShuffling, let nextRound { shuffled = nextRound }
      self.place = place
    }
    isFresh = false
    forgetAhead()
  }

  /// Goes to a track by its id; returns false when there is none. While shuffling, the track is moved forward
  /// to play next, so that the tracks in between still get their turn.
  mutating func take(id: UInt32, using random: inout SplitMix64) -> Bool {
    guard let index = tracks.index(of: id) else { return false }
    forgetAhead()
    let wasFresh = isFresh
    isFresh = false
    guard isShuffling else {
      place = index
      return true
    }
    if wasFresh {
      shuffled = round(using: &random)
      place = 0
      bringToPlace(id)
    } else if id != currentID {
      place += 1
      bringToPlace(id)
    }
    return true
  }

  /// Prepares for playback. While shuffling, a list of which nothing has played yet begins with a random
  /// track.
  mutating func begin(using random: inout SplitMix64) {
    guard isFresh, !isEmpty else { return }
    isFresh = false
    if isShuffling { rewind(using: &random) }
  }

  /// Goes to the first track, as after the end of the last one.
  mutating func rewind(using random: inout SplitMix64) {
    if isShuffling { shuffled = round(using: &random) }
    place = 0
    forgetAhead()
  }

  mutating func rewindInOrder() {
    place = 0
    forgetAhead()
  }

  /// Skips the follower because it is unplayable.
  mutating func dropFollower(because failure: PlaybackFailure) {
    // A repeated track doesn't follow itself in the list: it is tried again until it has failed too often.
    if !repeatsOne { skipped += 1 }
    lookaheadFailure = failure
  }

  /// Makes the last skipped track current.
  mutating func takeSkipped(using random: inout SplitMix64) {
    guard skipped > 0, !isEmpty else { return }
    prepareFollower(using: &random)
    let last = place + skipped
    take(last < tracks.count ? .place(last) : .round((last - tracks.count) % tracks.count))
  }

  // MARK: Modes

  /// - Parameter one: whether the current track alone is repeated; nil to leave that as it is.
  mutating func setRepeating(_ isOn: Bool, one: Bool? = nil) {
    isRepeating = isOn
    repeatsOne = isOn && (one ?? repeatsOne)
    nextRound = nil
  }

  /// The current track stays current. When shuffling begins, all others follow it.
  mutating func setShuffling(_ isOn: Bool, using random: inout SplitMix64) {
    guard isOn != isShuffling else { return }
    let current = currentID
    forgetAhead()
    if isOn {
      shuffled = round(using: &random)
      place = 0
      if !isEmpty { bringToPlace(current) }
    } else {
      shuffled = nil
      place = tracks.index(of: current) ?? 0
    }
  }

  // MARK: Editing

  /// The id for the next insert; nil when no ids are left.
  public var nextID: UInt32? { tracks.lastID < .max ? max(tracks.lastID + 1, firstID) : nil }

  /// Inserts media after the track `after`, 0 for the front, under a new id. Returns nil when there is no
  /// such track. While shuffling, the new track gets a random place after the current one.
  mutating func insert(_ media: Media, after: UInt32, using random: inout SplitMix64) -> PlaylistTrack? {
    guard let id = nextID else { return nil }
    let track = PlaylistTrack(id: id, media: media)
    let hadCurrent = !isEmpty
    guard let index = tracks.insert(track, after: after) else { return nil }
    var slot = index
    if let count = shuffled?.count {
      slot = Int.random(in: min(place + 1, count)...count, using: &random)
      shuffled?.insert(track.id, at: slot)
    }
    let isBehind = hadCurrent && slot <= place
    if isBehind { place += 1 }
    edited(at: isBehind ? nil : slot)
    return track
  }

  /// Removes a track; returns nil when there is none with this id.
  mutating func remove(_ id: UInt32, using random: inout SplitMix64) -> Removal? {
    guard let index = tracks.remove(id) else { return nil }
    let slot = shuffled?.firstIndex(of: id) ?? index
    shuffled?.remove(at: slot)
    guard slot == place else {
      let isBehind = slot < place
      if isBehind { place -= 1 }
      edited(at: isBehind ? nil : slot)
      return .other
    }
    edited(at: slot)
    forgetAhead()
    if place < tracks.count { return .currentFollowed }
    rewind(using: &random)
    if isEmpty { isFresh = true }
    return isRepeating && !isEmpty ? .currentFollowed : .currentLast
  }

  mutating func removeAll() {
    tracks.removeAll()
    if isShuffling { shuffled = [] }
    place = 0
    isFresh = true
    token &+= 1
    forgetAhead()
  }

  // MARK: Parts

  /// Updates the bookkeeping after an edit at place `slot` of the play order; nil for a place that has
  /// already played.
  private mutating func edited(at slot: Int?) {
    token &+= 1
    nextRound = nil
    if let slot, slot <= place + 1 + skipped { forgetAhead() }
  }

  mutating func forgetAhead() {
    nextRound = nil
    skipped = 0
    lookaheadFailure = nil
  }

  private func round(using random: inout SplitMix64) -> [UInt32] { tracks.ids.shuffled(using: &random) }

  /// A random order that doesn't begin with the track that has just played.
  private func round(notBeginningWith id: UInt32, using random: inout SplitMix64) -> [UInt32] {
    var order = round(using: &random)
    if order.count > 1, order[0] == id {
      order.swapAt(0, Int.random(in: 1..<order.count, using: &random))
    }
    return order
  }

  /// Moves a track within the play order to the current place.
  private mutating func bringToPlace(_ id: UInt32) {
    guard let slot = shuffled?.firstIndex(of: id) else { return }
    shuffled?.remove(at: slot)
    // The removal shifted everything after it, including the place, by one.
    if slot < place { place -= 1 }
    shuffled?.insert(id, at: place)
  }
}
