import CGStreamer

/// Ogg and FLAC from the network: seeks follow from their pages or frames, and Ogg's duration too.
extension Engine {
  /// `track` turned out to be Ogg or FLAC.
  func readingBegins(_ track: Track, _ layout: FileLayout) {
    let information = track.information
    track.reading?.begins(
      layout, length: information.acceptsRanges ? information.contentLength : nil,
      deadline: .now + configuration.networkTimeout
    ) {
      TrackSource.make(track.location, configuration: configuration)
    }
  }

  /// When the wait for an Ogg file's end is over; nil while none is awaited.
  var oggDeadline: MonotonicTime? {
    tracks.compactMap { $0.reading?.deadline }.min()
  }

  /// Stops waiting: a server that sends too slowly to time out would hold up every seek for ever.
  func oggEndsDue(_ now: MonotonicTime) {
    for track in tracks {
      if let deadline = track.reading?.deadline, deadline <= now { oggEnds(track, at: nil) }
    }
  }

  /// The last page of `track` has come, or won't come.
  func oggEnds(_ track: Track, at granule: Int64?) {
    track.reading?.ends(at: granule)
    track.inquire()
    if track === heard, track.format != nil { emitExtent(track) }
    if track.joint != nil { readOn(track) }
    guard track === heard, let position = track.awaitedSeek else { return }
    if track.isSeekable || track.hasPushed {
      performSeek(track, position)
    } else {
      track.awaitedSeek = nil
      track.startPosition = position
      skipToStartPosition(track)
    }
    if !track.isSeekable { decide() }
  }
}
