/// Media that was set, with its contents as far as known.
enum MediaContent: Sendable, Hashable {
  case empty
  /// A container that couldn't be read; the next Play tries again.
  case unresolved(Media)
  case resolving(ResolveID, Media)
  case tracks(TrackList)

  var media: Media? {
    switch self {
    case .empty: nil
    case .unresolved(let media), .resolving(_, let media): media
    case .tracks(let list): list.media
    }
  }

  /// The current track; the media itself until its contents are known.
  var track: Media? {
    if case .tracks(let list) = self { list.track } else { media }
  }

  var list: TrackList? {
    if case .tracks(let list) = self { list } else { nil }
  }

  var cue: Cue {
    switch self {
    case .empty: .nothing
    case .unresolved(let media): .unread(media)
    case .resolving(let id, let media): .reading(id, media)
    case .tracks(let list): .track(list.track)
    }
  }
}
