import Player

/// What guests do.
extension PartySession {
  /// What a guest may still do.
  public struct Left: Sendable, Hashable {
    /// Songs that he may request now.
    public var songs: Int
    /// How long it takes until he may request one more; zero if he may now.
    public var wait: Duration
    /// The same for songs that play next.
    public var nextWait: Duration
  }

  /// Somebody comes in.
  ///
  /// - Parameters:
  ///   - name: what the others see of him; empty for nothing.
  ///   - address: from where.
  public mutating func join(
    code: String, name: String?, from address: String, at now: Duration,
    using random: inout some RandomNumberGenerator
  ) throws(PartyRefusal) -> PartyGuest {
    let wait = addresses[address].entries.wait(for: PartyRules.entries, at: now)
    guard wait == .zero else { throw .tooManyEntries(wait: wait) }
    // New guests count like wrong codes, so that the places aren't taken by one address.
    addresses[address].entries.take(of: PartyRules.entries, at: now)
    guard PartyCode.normalized(code) == self.code else { throw .wrongCode }
    if guests.count >= PartyRules.mostGuests {
      guard let idle = idleGuest else { throw .tooManyGuests }
      guests.removeAll { $0.id == idle }
    }
    lastGuest += 1
    let guest = PartyGuest(
      id: lastGuest, token: PartyCode.makeToken(using: &random),
      name: name.flatMap { PartySong.line($0, most: PartyRules.longestName) }, seen: now)
    guests.append(guest)
    return guest
  }

  /// The guest who has done nothing for the longest time, and waits for nothing.
  private var idleGuest: Int? {
    let busy = Set(requests.lazy.filter(\.isWaiting).map(\.guest))
    return guests.filter { !busy.contains($0.id) }.min { ($0.seen, $0.id) < ($1.seen, $1.id) }?.id
  }

  /// What a guest may still do, coming from `address`.
  public func left(for guest: PartyGuest, from address: String, at now: Duration) -> Left {
    let use = addresses[address]
    return Left(
      songs: min(guest.songs.left(of: rules.songs, at: now), use.songs.left(of: rules.songs, at: now)),
      wait: max(guest.songs.wait(for: rules.songs, at: now), use.songs.wait(for: rules.songs, at: now)),
      nextWait: max(
        guest.next.wait(for: PartyRules.next, at: now), use.next.wait(for: PartyRules.next, at: now)))
  }

  private func place(ofToken token: String) throws(PartyRefusal) -> Int {
    guard let place = guests.firstIndex(where: { $0.token == token }) else { throw .unknownGuest }
    return place
  }

  /// Whether a guest may request a song now, whichever it is.
  public func check(token: String, from address: String, wantsNext: Bool, at now: Duration)
    throws(PartyRefusal)
  {
    let left = left(for: guests[try place(ofToken: token)], from: address, at: now)
    guard left.wait == .zero else { throw .tooManyRequests(wait: left.wait) }
    guard !wantsNext || left.nextWait == .zero else { throw .tooManyNext(wait: left.nextWait) }
    guard requests.count(where: \.isWaiting) < PartyRules.mostWaiting else { throw .isFull }
  }

  /// A guest wants to hear a song.
  ///
  /// - Returns: The id of the request, and what follows for the queue.
  public mutating func request(
    _ song: PartySong, _ media: Media, token: String, from address: String, wantsNext: Bool = false,
    at now: Duration
  ) throws(PartyRefusal) -> (id: Int, effects: [PartyEffect]) {
    try check(token: token, from: address, wantsNext: wantsNext, at: now)
    let key = song.key
    guard !requests.contains(where: { !$0.isOver && $0.song.key.isSame(as: key) }) else { throw .isWaiting }
    forgetHeard(at: now)
    if let last = heard.last(where: { $0.key.isSame(as: key) }) {
      throw .wasPlayed(wait: last.at + PartyRules.rest - now)
    }
    let waiting = requests.compactMap(\.askedMedia).reduce(media.bytes) { $0 + $1.bytes }
    guard waiting <= PartyRules.mostBytes else { throw .isFull }
    let place = try place(ofToken: token)
    guests[place].seen = now
    guests[place].songs.take(of: rules.songs, at: now)
    addresses[address].songs.take(of: rules.songs, at: now)
    if wantsNext {
      guests[place].next.take(of: PartyRules.next, at: now)
      addresses[address].next.take(of: PartyRules.next, at: now)
    }
    lastRequest += 1
    requests.append(
      PartyRequest(
        id: lastRequest, guest: guests[place].id, song: song, wantsNext: wantsNext, state: .asked(media)))
    return (lastRequest, mode == .add ? try accept(lastRequest) : [])
  }

  /// A guest doesn't want it any more. What was used of his requests stays used.
  public mutating func withdraw(_ id: Int, token: String, at now: Duration) throws(PartyRefusal)
    -> [PartyEffect]
  {
    let place = try place(ofToken: token)
    guard let index = index(id) else { throw .noRequest }
    guard requests[index].guest == guests[place].id else { throw .notYours }
    guard requests[index].isWaiting || isCued(requests[index]) else { throw .isOver }
    guests[place].seen = now
    order.removeAll { $0 == id }
    let withdrawn = requests.remove(at: index)
    return withdrawn.track.map { [.remove(track: $0)] } ?? []
  }

  /// A guest votes for a request of somebody else, or takes that back. Once more does no harm.
  public mutating func vote(
    _ id: Int, _ isFor: Bool, token: String, from address: String, at now: Duration
  ) throws(PartyRefusal) -> [PartyEffect] {
    let place = try place(ofToken: token)
    guard let index = index(id) else { throw .noRequest }
    let voter = guests[place].id
    guard rules.hasVotes, requests[index].guest != voter else { throw .noVote }
    guard requests[index].isWaiting || isCued(requests[index]) else { throw .isOver }
    guard requests[index].voters.contains(voter) != isFor else { return [] }
    // Whoever leaves the party and enters it again is another guest, but has voted already.
    guard !isFor || !requests[index].votedFrom.values.contains(address) else { throw .noVote }
    let votes = PartyRules.votes
    let wait = max(
      guests[place].votes.wait(for: votes, at: now), addresses[address].votes.wait(for: votes, at: now))
    guard wait == .zero else { throw .tooManyVotes(wait: wait) }
    guests[place].seen = now
    guests[place].votes.take(of: votes, at: now)
    addresses[address].votes.take(of: votes, at: now)
    if isFor { requests[index].voters.insert(voter) } else { requests[index].voters.remove(voter) }
    requests[index].votedFrom[voter] = isFor ? address : nil
    return moved(index)
  }

  /// Puts a request of the queue where it belongs now.
  private mutating func moved(_ index: Int) -> [PartyEffect] {
    let request = requests[index]
    guard let track = request.queuedTrack, let before = order.firstIndex(of: request.id) else { return [] }
    let (slot, place) = (slot(of: request), place(of: request))
    guard slot != before else { return [] }
    order.remove(at: before)
    order.insert(request.id, at: slot)
    return [.move(track: track, place)]
  }
}

extension Media {
  fileprivate var bytes: Int { uri.utf8.count + metadata.utf8.count }
}
