/// The playlist that this player owns: tracks, the order in which they play, and the place reached. Knows nothing of
/// playing (OpenHome Playlist:1).
public struct Playlist: Sendable, Equatable {
  /// Where to go from the current track.
  enum Step: Sendable, Equatable {
    /// To a place in the present play order.
    case place(Int)
    /// To a place in the order of the next round.
    case round(Int)
  }

  /// What taking a track out means for the one who plays it.
  enum Removal: Sendable, Equatable {
    case other
    /// The current track was taken out; what follows it is current now.
    case currentFollowed
    /// The current track was taken out and was the last to play; the first one, if any, is current now.
    case currentLast
  }

  public private(set) var tracks: PlaylistTracks
  /// Number of changes of the list of ids, from an arbitrary start.
  public private(set) var token: UInt32
  /// Ids that may have been told before the last restart aren't given again: they are below this.
  private let firstID: UInt32
  public private(set) var isRepeating: Bool
  /// A permutation of the ids while shuffle is on.
  private var shuffled: [UInt32]?
  /// The permutation that comes after this one, made when the output has to know what follows its last track.
  private var nextRound: [UInt32]?
  /// Index of the current track in the play order; 0 for an empty list.
  private(set) var place = 0
  /// True until something of the list was played.
  private(set) var isFresh: Bool
  /// Tracks right behind the current one that are known not to play.
  private(set) var skipped = 0
  /// Why what should have followed doesn't; becomes the player's failure when the current track has ended.
  private(set) var lookaheadFailure: PlaybackFailure?

  /// A list as it was saved (nil: never). The current track is the first when `currentID` isn't in it.
  init(
    tracks saved: PlaylistTracks? = nil, currentID: UInt32 = 0, isRepeating: Bool = false,
    isShuffling: Bool = false, using random: inout SplitMix64
  ) {
    let tracks = saved ?? PlaylistTracks()
    self.tracks = tracks
    self.isRepeating = isRepeating
    let (first, overflows) = tracks.lastSafeID.addingReportingOverflow(1)
    firstID = saved == nil || overflows ? 1 : first
    token = firstID
    isFresh = tracks.isEmpty
    place = tracks.index(of: currentID) ?? 0
    if isShuffling { setShuffling(true, using: &random) }
  }

  public var isShuffling: Bool { shuffled != nil }
  public var isEmpty: Bool { tracks.isEmpty }
  /// The ids in the order in which they play.
  var order: [UInt32] { shuffled ?? tracks.ids }

  /// The track that plays or would play; 0 for an empty list.
  public var currentID: UInt32 { id(at: .place(place)) ?? 0 }
  public var current: Media? { tracks[currentID] }

  var cue: Cue { current.map { .track($0) } ?? .nothing }

  // MARK: Where to go

  /// What comes after the current track, both by itself and by a control point's Next. The next round must have been
  /// prepared.
  func successor() -> Step? {
    let following = place + 1 + skipped
    if following < tracks.count { return .place(following) }
    return isRepeating && !isEmpty ? .round((following - tracks.count) % tracks.count) : nil
  }

  /// Where a control point's Previous goes to.
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

  /// Makes sure that ``successor()`` tells what will really follow. Cheap except on the last track of a round.
  mutating func prepareRound(using random: inout SplitMix64) {
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

  /// Goes to a track by its id; false when there is none. While shuffling it is brought forward, so that those
  /// between still get their turn.
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

  /// Something of the list is about to be played. A list that nothing was played of yet begins at random when
  /// shuffling.
  mutating func begin(using random: inout SplitMix64) {
    guard isFresh, !isEmpty else { return }
    isFresh = false
    if isShuffling { rewind(using: &random) }
  }

  /// To the first track, as it is after the last one has ended.
  mutating func rewind(using random: inout SplitMix64) {
    if isShuffling { shuffled = round(using: &random) }
    place = 0
    forgetAhead()
  }

  mutating func rewindInOrder() {
    place = 0
    forgetAhead()
  }

  /// The track at the follower's place doesn't play.
  mutating func dropFollower(because failure: PlaybackFailure) {
    skipped += 1
    lookaheadFailure = failure
  }

  // MARK: Modes

  mutating func setRepeating(_ isOn: Bool) {
    isRepeating = isOn
    nextRound = nil
  }

  /// The current track stays current; when shuffling begins all others follow it.
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

  /// The id of the next track; nil when there are no more.
  var nextID: UInt32? { tracks.lastID < .max ? max(tracks.lastID + 1, firstID) : nil }

  /// Puts media behind the track `after`, 0 for the front, under a fresh id. Nil when there is no such track. While
  /// shuffling its turn is at random behind the current track.
  mutating func insert(_ media: Media, after: UInt32, using random: inout SplitMix64) -> PlaylistTrack? {
    guard let id = nextID else { return nil }
    let track = PlaylistTrack(id: id, media: media)
    let hadCurrent = !isEmpty
    guard let index = tracks.insert(track, after: after) else { return nil }
    var turn = index
    if let count = shuffled?.count {
      turn = Int.random(in: min(place + 1, count)...count, using: &random)
      shuffled?.insert(track.id, at: turn)
    }
    let isBehind = hadCurrent && turn <= place
    if isBehind { place += 1 }
    edited(at: isBehind ? nil : turn)
    return track
  }

  /// Nil when there is no such track.
  mutating func remove(_ id: UInt32, using random: inout SplitMix64) -> Removal? {
    guard let index = tracks.remove(id) else { return nil }
    let turn = shuffled?.firstIndex(of: id) ?? index
    shuffled?.remove(at: turn)
    guard turn == place else {
      let isBehind = turn < place
      if isBehind { place -= 1 }
      edited(at: isBehind ? nil : turn)
      return .other
    }
    edited(at: turn)
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

  /// The list was changed at a place of the play order that is still to come, or (nil) one that was played.
  private mutating func edited(at turn: Int?) {
    token &+= 1
    nextRound = nil
    if let turn, turn <= place + 1 + skipped { forgetAhead() }
  }

  private mutating func forgetAhead() {
    nextRound = nil
    skipped = 0
    lookaheadFailure = nil
  }

  private func round(using random: inout SplitMix64) -> [UInt32] { tracks.ids.shuffled(using: &random) }

  /// A random order in which the track that was just heard doesn't come first again.
  private func round(notBeginningWith id: UInt32, using random: inout SplitMix64) -> [UInt32] {
    var order = round(using: &random)
    if order.count > 1, order[0] == id {
      order.swapAt(0, Int.random(in: 1..<order.count, using: &random))
    }
    return order
  }

  /// Moves a track within the play order to the present place.
  private mutating func bringToPlace(_ id: UInt32) {
    guard let turn = shuffled?.firstIndex(of: id) else { return }
    shuffled?.remove(at: turn)
    // What was in front of the place has moved up by one.
    if turn < place { place -= 1 }
    shuffled?.insert(id, at: place)
  }
}
