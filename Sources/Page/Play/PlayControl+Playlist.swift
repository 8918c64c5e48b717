import Kept
import Player
import Text
import UPnP

/// Plays stored playlists, for pages and for whatever else in the daemon has a list to play.
extension PlayControl {
  /// Plays the playlist `id` on this speaker.
  ///
  /// - Parameters:
  ///   - start: the place of the track to begin with, from 0; nil for the first, or while shuffling for any.
  ///   - shuffles: whether the queue plays in any order from now on; nil: as before.
  ///   - context: who wants it.
  public func play(
    playlist id: UInt32, how: API.Play.How = .replace, from start: Int? = nil, shuffles: Bool? = nil,
    _ context: ActionContext
  ) async -> Outcome<API.PlayResult> {
    guard let head = playlists[id] else { return .problem(Problem(KeptRefusal.noList)) }
    guard start ?? 0 < max(head.count, 1) else {
      return .problem(
        Problem(
          "out-of-range", .unprocessableContent, "The playlist has \(counted(head.count, "track")).",
          pointer: "/start"))
    }
    let beginsNow = how == .now || how == .replace
    let first =
      start ?? (beginsNow && shuffles == true && head.count > 0 ? Int.random(in: 0..<head.count) : 0)
    let room = max(1, await room(how))
    // Where the queue has no room for all, the track to begin with is among those that it takes.
    let skipped = beginsNow && first >= room ? first : 0
    switch await playlists.tracks(of: id, from: skipped, most: room) {
    case .problem(let problem): return .problem(problem)
    case .value(let found):
      if let shuffles { await shuffle(shuffles) }
      return await addAudibly(found, how, first: beginsNow ? first - skipped : 0, context)
    }
  }

  private func shuffle(_ isOn: Bool) async {
    await player.within { player in
      // Where there is no queue, there is nothing to shuffle either.
      if player.state.sources.contains(.playlist) { try? player.perform(.playlist(.setShuffle(isOn))) }
    }
  }
}
