/// Change counters of what is shown of the current track (OpenHome Info:1 and Time:1).
public struct StreamCounters: Sendable, Hashable {
  /// Number of tracks shown and streams started.
  public internal(set) var trackCount: UInt32 = 0
  /// Number of changes of the current stream's length and format.
  public internal(set) var detailsCount: UInt32 = 0
  /// Number of changes of the current stream's text.
  public internal(set) var metatextCount: UInt32 = 0
  /// The playback attempt counted for the shown track; nil until it starts.
  var counted: PlayID?

  mutating func countTrack(_ id: PlayID?) {
    trackCount &+= 1
    detailsCount = 0
    metatextCount = 0
    counted = id
  }
}

/// The details as shown (OpenHome Info:1, Details), with the duration in whole seconds so that a more exact
/// estimate doesn't count as a change.
private struct ShownDetails: Equatable {
  var stream = StreamDetails()
  var seconds: Int64 = 0
}

extension PlayerState {
  /// The identity of a shown track.
  private struct Shown: Equatable {
    let source: SourceKind
    let track: Media?
    let id: UInt32
  }

  private var shown: Shown {
    Shown(source: activeSource, track: currentTrack, id: ask(activeSource) { $0.trackID })
  }

  private var shownDetails: ShownDetails {
    ShownDetails(stream: facts.details ?? StreamDetails(), seconds: duration?.components.seconds ?? 0)
  }

  /// Counts the changes of one transition.
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
    if shownDetails != (isNew ? ShownDetails() : old.shownDetails) {
      counters.detailsCount &+= 1
    }
    let hasOtherText = isNew ? !streamText.isEmpty : streamText != old.streamText
    if hasOtherText || (isNew ? metatext != nil : metatext != old.metatext) { counters.metatextCount &+= 1 }
  }

  /// The id of the stream for seeks (OpenHome Transport:1, StreamId); 0 until a stream of the shown track has
  /// started.
  public var streamID: UInt32 { UInt32(truncatingIfNeeded: counters.counted?.value ?? 0) }

  /// What another room's live stream says that it plays, as DIDL-Lite; empty unless the receiver is active.
  public var streamText: String { activeSource == .receiver ? receiver.streamText : "" }

  /// The song that the active source's live stream is playing.
  public var metatext: StreamTags? { metatext(of: activeSource) }
}
