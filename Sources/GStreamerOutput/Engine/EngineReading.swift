import CGStreamer
import Player

/// Ogg and FLAC from the network: seeks follow from their pages or frames, and Ogg's duration too.
extension Engine {
  /// `track` turned out to be Ogg or FLAC.
  func readingBegins(_ track: Track, _ layout: FileLayout) {
    let information = track.information
    track.reading?.begins(
      layout, length: information.acceptsRanges ? information.contentLength : nil,
      patience: configuration.networkTimeout
    ) { [location = track.location, configuration] in
      TrackSource.make(location, configuration: configuration)
    }
  }

  /// When the wait for an Ogg file's end is over; nil while none is awaited.
  var oggDeadline: MonotonicTime? {
    tracks.compactMap { $0.reading?.deadline }.min()
  }

  /// Stops waiting: a server that sends too slowly to time out would hold up every seek for ever.
  func oggEndsDue(_ now: MonotonicTime) {
    for track in tracks {
      guard let deadline = track.reading?.deadline, deadline <= now else { continue }
      logger.info(
        "\(redacted(uri: track.media.uri)) can't be sought: its server sends the end of the file too slowly.")
      oggEnds(track, .unknowable)
    }
  }

  /// The last page of `track` has come, or won't come.
  func oggEnds(_ track: Track, _ finding: OggTail.Finding) {
    track.reading?.ends(finding)
    if track.reading?.awaitsEnd == true { return }
    track.inquire()
    if track === heard, track.state.format != nil { emitExtent(track) }
    if track.state.joint != nil { readOn(track) }
    guard track === heard, let position = track.state.awaitedSeek else { return }
    if track.isSeekable || track.state.hasPushed {
      performSeek(track, position)
    } else {
      track.state.awaitedSeek = nil
      track.state.startPosition = position
      skipToStartPosition(track)
    }
    if !track.isSeekable { decide() }
  }
}
