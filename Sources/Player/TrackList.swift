/// The tracks of a media, and the current place in them.
struct TrackList: Sendable, Hashable {
  /// The media that the control point set.
  let media: Media
  /// At least one.
  let entries: [Media]
  /// False when the media itself is the only track.
  let isContainer: Bool
  var order: PlayOrder

  init(track: Media) {
    media = track
    entries = [track]
    isContainer = false
    order = PlayOrder(count: 1)
  }

  /// The tracks of a container; nil without entries.
  init?(container: Media, entries: [Media]) {
    guard !entries.isEmpty else { return nil }
    media = container
    self.entries = entries
    isContainer = true
    order = PlayOrder(count: entries.count)
  }

  var track: Media { order.index.map { entries[$0] } ?? media }
}
