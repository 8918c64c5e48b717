import Player
import Uploads

/// Lets songs that have come join the queue.
struct SongQueue: Sendable {
  let player: PlayerCore
  let adding: QueueAdding

  /// Lets a song join behind those of its batch that have joined before it.
  ///
  /// - Parameter earlier: their ids, the nearest last; without one that is still there, the song begins anew.
  /// - Returns: its id, or why it can't join.
  func join(_ upload: UploadDesk.Coming, behind earlier: [UInt32]) -> Result<UInt32, Problem> {
    let media = upload.song.media(upload.base)
    let playlist = player.currentState.playlist
    let how = API.Play.How(upload.how)
    guard let anchor = earlier.last(where: { playlist.tracks.contains($0) }) else {
      // The first of a batch alone begins to play, or replaces the queue.
      let isFirst = earlier.isEmpty
      do throws(Problem) {
        _ = try adding.add([media], isFirst ? how : .end, upload.caller)
        return .success(player.currentState.playlist.tracks.lastID)
      } catch {
        return .failure(error)
      }
    }
    do throws(PlayerError) {
      let next = how == .end ? [] : earlier + [playlist.tracks.lastID &+ 1]
      try player.change([
        .playlist(.insertEach(after: anchor, [media])),
        .playlist(.bringNext(next.filter { $0 != playlist.currentID })),
      ])
    } catch {
      return .failure(Problem(error))
    }
    return .success(player.currentState.playlist.tracks.lastID)
  }
}

extension API.Play.How {
  /// `keep` has no place in the queue.
  fileprivate init(_ how: API.AddUploadHow) {
    self =
      switch how {
      case .now: .now
      case .next: .next
      case .end, .keep: .end
      case .replace: .replace
      }
  }
}
