/// The queue of UPnP AV control points: current media, next media, play mode. Doesn't know the transport.
public struct AVQueue: Sendable, Equatable {
  /// A move from the current track.
  enum Step: Sendable, Equatable {
    /// To a place in the play order of the current list.
    case place(Int)
    /// To the next media, which becomes current.
    case nextMedia
  }

  var current = MediaContent.empty
  var next = MediaContent.empty
  public internal(set) var playMode = PlayMode.normal
  /// Number of tracks right after the current one that are known to be unplayable.
  var skipped = 0
  /// Why the follower was dropped. Becomes the player's failure when the current track has ended.
  var lookaheadFailure: PlaybackFailure?
  /// State of the current track while another source is active.
  var rest = SavedCastState()
  /// The media has been set and waits for its first Play.
  var isAwaited = false

  /// The media of SetAVTransportURI, or the next media after it became current.
  public var media: Media? { current.media }
  /// The media of SetNextAVTransportURI, until it becomes current.
  public var nextMedia: Media? { next.media }
  /// The current track: the media itself unless that is a container.
  public var track: Media? { current.track }
  public var isEmpty: Bool { current == .empty }
  /// The number of tracks: 0 without media, 1 for a single track, n for a container once it has been read.
  public var numberOfTracks: Int { current.list?.entries.count ?? (isEmpty ? 0 : 1) }
  /// The current track's number, 1...numberOfTracks, in the order of the container; 0 without media.
  public var trackNumber: Int { current.list?.order.index.map { $0 + 1 } ?? (isEmpty ? 0 : 1) }

  // MARK: Where to go

  /// What follows when the current track ends.
  func following() -> Step? {
    if playMode == .repeatOne, let list = current.list { return .place(list.order.place) }
    return forward()
  }

  /// Where a control point's Next leads: never to the current track. REPEAT_ONE doesn't hold it back.
  func successor() -> Step? {
    let step = forward()
    return step == current.list.map { .place($0.order.place) } ? nil : step
  }

  private func forward() -> Step? {
    let following = (current.list?.order.place ?? 0) + 1 + skipped
    if let list = current.list, following < list.order.count { return .place(following) }
    if next != .empty { return .nextMedia }
    if playMode == .repeatAll, let list = current.list { return .place(following % list.order.count) }
    return nil
  }

  /// Where a control point's Previous leads.
  func predecessor() -> Step? {
    guard let list = current.list else { return nil }
    if list.order.place > 0 { return .place(list.order.place - 1) }
    return playMode == .repeatAll && list.order.count > 1 ? .place(list.order.count - 1) : nil
  }

  /// The track that `step` leads to; nil while it isn't known.
  func track(at step: Step) -> Media? {
    switch step {
    case .place(let place):
      current.list.flatMap { list in list.order.index(at: place).map { list.entries[$0] } }
    case .nextMedia: next.list?.track
    }
  }

  // MARK: Changes

  mutating func replace(with content: MediaContent) {
    self = AVQueue(current: content, playMode: playMode)
  }

  mutating func replaceNext(with content: MediaContent) {
    next = content
    if skipped == 0 { lookaheadFailure = nil }
  }

  mutating func take(_ step: Step) {
    switch step {
    case .place(let place): updateCurrent { $0.order.move(toPlace: place) }
    case .nextMedia: (current, next) = (next, .empty)
    }
    skipped = 0
    lookaheadFailure = nil
  }

  /// Goes to a track of the container by its number, counted from 1.
  mutating func take(trackNumber: Int) {
    updateCurrent { $0.order.move(toIndex: trackNumber - 1) }
    skipped = 0
    lookaheadFailure = nil
  }

  /// Skips the follower because it is unplayable.
  mutating func dropFollower(because failure: PlaybackFailure) {
    lookaheadFailure = failure
    switch following() {
    // A repeated track doesn't follow the current one: it is tried again until it has failed too often.
    case .place: skipped += playMode == .repeatOne ? 0 : 1
    case .nextMedia:
      if case .tracks(var list) = next, list.order.place + 1 < list.order.count {
        list.order.move(toPlace: list.order.place + 1)
        next = .tracks(list)
      } else {
        next = .empty
      }
    case nil: break
    }
  }

  /// Makes the last skipped track of the container current.
  mutating func takeSkipped(using random: inout SplitMix64) {
    guard skipped > 0, let order = current.list?.order else { return }
    take(.place((order.place + skipped) % order.count))
  }

  /// Goes to the first track, as after the end of the last one.
  mutating func rewind(using random: inout SplitMix64) {
    updateCurrent { $0.order.move(toPlace: 0) }
    skipped = 0
    lookaheadFailure = nil
  }

  mutating func setPlayMode(_ mode: PlayMode, using random: inout SplitMix64) {
    guard mode != playMode else { return }
    let wasShuffled = playMode == .shuffle
    playMode = mode
    skipped = 0
    guard wasShuffled || mode == .shuffle else { return }
    updateCurrent { list in
      if mode == .shuffle {
        list.order.shuffle(keepingCurrent: true, using: &random)
      } else {
        list.order.straighten()
      }
    }
    if case .tracks(let list) = next { next = .tracks(arranged(list, using: &random)) }
  }

  /// Puts a list of which nothing has played yet into the order of the play mode.
  func arranged(_ list: TrackList, using random: inout SplitMix64) -> TrackList {
    var list = list
    list.order = PlayOrder(count: list.entries.count)
    if playMode == .shuffle { list.order.shuffle(keepingCurrent: false, using: &random) }
    return list
  }

  private mutating func updateCurrent(_ change: (inout TrackList) -> Void) {
    guard case .tracks(var list) = current else { return }
    change(&list)
    current = .tracks(list)
  }
}
