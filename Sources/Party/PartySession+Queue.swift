import Player

/// How a party follows the player's queue.
extension PartySession {
  /// Takes the queue as it is now.
  ///
  /// Whatever others do to it holds: what they remove or skip is over, and the order that they choose is the order.
  ///
  /// - Parameter song: the song that plays; asked only when it isn't the one that was heard last.
  /// - Returns: whether a request has become something else.
  public mutating func take(_ queue: PartyQueue, at now: Duration, song: () -> PartySong?) -> Bool {
    let (before, wasCued, lastHeardBefore) = ((order, requests.map(\.state)), requests.map(isCued), lastHeard)
    let isNew = queue.isPlaying && queue.current != 0 && queue.current != lastHeard
    if isNew {
      lastHeard = queue.current
      if let song = song() { hear(song.key, at: now) }
    }
    guard requests.contains(where: { $0.track != nil }) else { return false }
    let places = Places(of: requests, in: queue)
    for request in requests { follow(request, queue, places, lastHeard: lastHeardBefore) }
    if !queue.isShuffling {
      order = order.sorted { (places.requests[$0] ?? .max, $0) < (places.requests[$1] ?? .max, $1) }
    }
    return before != (order, requests.map(\.state)) || wasCued != requests.map(isCued)
  }

  /// Where in the list the tracks of requests are, and the current one.
  private struct Places {
    /// By the requests' ids.
    var requests: [Int: Int] = [:]
    var current: Int?

    init(of requests: [PartyRequest], in queue: PartyQueue) {
      let wanted = Dictionary(
        requests.compactMap { request in request.queuedTrack.map { ($0, request.id) } },
        uniquingKeysWith: { first, _ in first })
      guard !wanted.isEmpty else { return }
      for (place, track) in queue.tracks.enumerated() {
        if let id = wanted[track] { self.requests[id] = place }
        if track == queue.current { current = place }
      }
    }
  }

  /// - Parameter lastHeard: the track that was heard before the queue was as it is now.
  private mutating func follow(
    _ request: PartyRequest, _ queue: PartyQueue, _ places: Places, lastHeard: UInt32
  ) {
    guard let index = index(request.id) else { return }
    switch request.state {
    case .playing(let track) where track != queue.current:
      finish(index, as: track == lastHeard ? .played : .removed)
    case .queued(let track) where track == queue.current:
      // Also before it is heard: nothing can come ahead of it any more.
      order.removeAll { $0 == request.id }
      requests[index].state = .playing(track: track)
    case .queued:
      guard let place = places.requests[request.id] else { return finish(index, as: .removed) }
      // What has been passed doesn't come any more. While shuffling, the list doesn't say what that is.
      if !queue.isShuffling, let current = places.current, place < current { finish(index, as: .removed) }
    case .asked, .playing, .played, .refused, .removed: break
    }
  }

  private mutating func hear(_ key: PartySongKey, at now: Duration) {
    forgetHeard(at: now)
    heard.append(Heard(key: key, at: now))
    if heard.count > Self.mostHeard { heard.removeFirst() }
  }

  mutating func forgetHeard(at now: Duration) { heard.removeAll { $0.at + PartyRules.rest <= now } }
}
