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

extension TrackFacts {
  /// Details as they are shown (OpenHome Info:1, Details): a length estimated more exactly is no change.
  fileprivate struct ShownDetails: Equatable {
    let stream: StreamDetails
    let seconds: Int64
  }

  fileprivate var shownDetails: ShownDetails {
    ShownDetails(stream: details ?? StreamDetails(), seconds: duration?.components.seconds ?? 0)
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
    let known = facts.shownDetails
    if isNew ? known != TrackFacts().shownDetails : known != old.facts.shownDetails {
      counters.detailsCount &+= 1
    }
    if isNew ? metatext != nil : metatext != old.metatext { counters.metatextCount &+= 1 }
  }

  /// Names the stream that seeks are meant for (OpenHome Transport:1, StreamId); 0 while none was begun of the track
  /// shown.
  public var streamID: UInt32 { UInt32(truncatingIfNeeded: counters.counted?.value ?? 0) }

  /// What a live stream says of itself while it plays: its ``StreamTags/song``, with a title always. Nil for files,
  /// whose tags say no more than the metadata does.
  public var metatext: StreamTags? { isLive ? facts.tags?.song : nil }
}
