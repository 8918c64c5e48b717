/// How often what is shown of the current track has changed (OpenHome Info:1 and Time:1).
public struct StreamCounters: Sendable, Hashable {
  /// Tracks shown, and streams begun.
  public internal(set) var trackCount: UInt32 = 0
  /// Changes of length and format of the current stream.
  public internal(set) var detailsCount: UInt32 = 0
  /// Changes of the text that the current stream carries.
  public internal(set) var metatextCount: UInt32 = 0
  /// The attempt that was counted for the track shown; nil while it is shown but was not begun.
  var counted: PlayID?

  mutating func countTrack(_ id: PlayID?) {
    trackCount &+= 1
    detailsCount = 0
    metatextCount = 0
    counted = id
  }
}

extension PlayerState {
  /// What tells one shown track from another.
  private struct Shown: Equatable {
    let source: SourceKind
    let track: Media?
    let id: UInt32
  }

  private var shown: Shown {
    Shown(source: activeSource, track: currentTrack, id: activeSource == .playlist ? playlist.currentID : 0)
  }

  /// Counts what has become different in one turn.
  mutating func count(from old: PlayerState) {
    let id = transport.playID
    var isNew = false
    if shown != old.shown {
      counters.countTrack(id)
      isNew = true
    } else if let id, id != counters.counted {
      if counters.counted != nil {
        counters.countTrack(id)
        isNew = true
      }
      counters.counted = id
    }
    if isNew ? facts.details != nil : (facts.details, duration) != (old.facts.details, old.duration) {
      counters.detailsCount &+= 1
    }
    if isNew ? metatext != nil : metatext != old.metatext { counters.metatextCount &+= 1 }
  }

  /// Names the stream that seeks are meant for (OpenHome Transport:1, StreamId); 0 while none was begun of the track
  /// shown.
  public var streamID: UInt32 { UInt32(truncatingIfNeeded: counters.counted?.value ?? 0) }

  /// What a live stream says of itself while it plays: title and artist of a station's song. Nil for files, whose tags
  /// say no more than the metadata does.
  public var metatext: StreamTags? {
    guard isLive, let tags = facts.tags, tags.title != nil || tags.artist != nil else { return nil }
    return tags
  }
}
