/// Edits of several tracks at once.
extension Playlist {
  /// Replaces the list. The current track stays current if it is still there; else the next one that is still there in the
  /// play order becomes current.
  ///
  /// - Parameters:
  ///   - wanted: the new list; tracks that both lists have keep their ids.
  ///   - first: the current track if there was none, or if it isn't in the new list.
  mutating func replaceTracks(
    with wanted: PlaylistTracks, current first: UInt32 = 0, using random: inout SplitMix64
  ) -> Removal {
    guard wanted.ids != tracks.ids else { return .other }
    let (before, oldOrder, oldPlace) = (currentID, order, place)
    let known = tracks
    tracks = wanted.counting(from: known.lastID)
    token &+= 1
    forgetAhead()
    if isShuffling {
      let kept = oldOrder.filter(tracks.contains)
      shuffled = kept
      place = kept.firstIndex(of: before) ?? 0
      for id in tracks.ids where !known.contains(id) {
        let count = shuffled?.count ?? 0
        let slot = Int.random(in: min(place + 1, count)...count, using: &random)
        shuffled?.insert(id, at: slot)
      }
    }
    if isEmpty { isFresh = true }
    guard before != 0 else {
      place = order.firstIndex(of: first) ?? 0
      return .other
    }
    if let index = order.firstIndex(of: before) {
      place = index
      return .other
    }
    if tracks.contains(first), let index = order.firstIndex(of: first) {
      place = index
      return .currentFollowed
    }
    let following = oldOrder[min(oldPlace + 1, oldOrder.count)...].first(where: tracks.contains)
    if let following, let index = order.firstIndex(of: following) {
      place = index
      return .currentFollowed
    }
    rewind(using: &random)
    return isRepeating && !isEmpty ? .currentFollowed : .currentLast
  }

  /// Lets tracks play next, behind the current one and in this order. Without shuffling the list alone says what does.
  mutating func bringNext(_ ids: [UInt32]) {
    let current = currentID
    let wanted = ids.filter { $0 != current && tracks.contains($0) }
    let moved = Set(wanted)
    guard let shuffled, !wanted.isEmpty, moved.count == wanted.count else { return }
    var rest = shuffled.filter { !moved.contains($0) }
    place = rest.firstIndex(of: current) ?? 0
    rest.insert(contentsOf: wanted, at: min(place + 1, rest.count))
    self.shuffled = rest
    // Shuffled once more at the beginning, they wouldn't be next.
    if !ids.contains(current) { isFresh = false }
    forgetAhead()
  }

  /// New ids for tracks that are to be inserted, and how many there is room for.
  func newTracks(_ media: [Media], within limits: PlayerConfiguration) -> [PlaylistTrack] {
    var (bytes, new) = (tracks.textBytes, [PlaylistTrack]())
    var next = nextID
    for media in media {
      bytes += media.textBytes
      guard let id = next, tracks.count + new.count < limits.tracksMax, bytes <= limits.playlistBytesMax
      else {
        break
      }
      new.append(PlaylistTrack(id: id, media: media))
      next = id < .max ? id + 1 : nil
    }
    return new
  }
}
