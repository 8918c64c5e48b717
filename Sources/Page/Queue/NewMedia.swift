import Player
import Services

/// Makes media of what a request names by its address.
enum NewMedia {
  /// The tracks; or the problem with the first that may not be played.
  static func media(_ tracks: [API.NewTrack], for state: PlayerState) -> (media: [Media], problem: Problem?) {
    for (index, track) in tracks.enumerated() {
      if let problem = refusal(of: track.uri, at: "/tracks/\(index)/uri", state) { return ([], problem) }
    }
    return (
      tracks.map {
        Media(
          entered: $0.uri, title: $0.title, artist: $0.artist, album: $0.album,
          duration: duration($0.seconds),
          picture: $0.art)
      }, nil
    )
  }

  /// The problem that the player may not play `address`.
  static func refusal(of address: String, at pointer: String, _ state: PlayerState) -> Problem? {
    state.configuration.uriPolicy.allows(address) ? nil : Problem(.resourceNotFound, pointer: pointer)
  }

  /// Nil for a length that isn't known.
  static func duration(_ seconds: Double?) -> Duration? {
    seconds.flatMap { $0 > 0 ? .milliseconds(Int(($0 * 1000).rounded())) : nil }
  }

  /// The commands that let new tracks play next, also while shuffling.
  static func nextCommands(_ media: [Media], _ playlist: Playlist) -> [PlaylistCommand] {
    let first = playlist.nextID ?? .max
    let ids = media.indices.compactMap { UInt32(exactly: UInt64(first) + UInt64($0)) }
    return [.insertEach(after: playlist.currentID, media), .bringNext(ids)]
  }

  /// What was taken of what was wanted.
  ///
  /// - Parameters:
  ///   - isPartial: there is more, which wasn't even listed.
  ///   - token: the queue's, with these tracks.
  static func result(
    wanted: Int, added: Int, left: Int = 0, isPartial: Bool = false, token: UInt32
  ) -> API.PlayResult {
    let excess = max(0, wanted - added)
    var reasons: [String] = []
    if excess > 0 { reasons.append("\(excess) didn't fit: the queue is full") }
    if left > 0 { reasons.append("\(left) can't be played by this speaker") }
    var sentences = reasons.isEmpty ? [] : [reasons.joined(separator: "; ") + "."]
    if isPartial { sentences.append("There is more in it than could be listed, or than there is room for.") }
    return API.PlayResult(
      added: added, left: excess + left, isPartial: isPartial ? true : nil,
      detail: sentences.isEmpty ? nil : sentences.joined(separator: " "), token: String(token))
  }
}
