import Player

/// Ogg and FLAC from the network: seeks follow from their pages or frames, and Ogg's duration too.
extension EngineMachine {
  /// `track` turned out to be Ogg or FLAC.
  mutating func readingBegins(_ track: TrackRecord, _ layout: FileLayout) {
    let information = track.information
    act(
      .beginReading(layout, length: information.acceptsRanges ? information.contentLength : nil),
      on: track.serial)
  }

  /// Stops waiting: a server that sends too slowly to time out would hold up every seek for ever.
  mutating func readingOverdue(_ serial: Int) {
    guard let track = self[serial] else { return }
    log(.info, "\(track.name) can't be sought: its server sends the end of the file too slowly.")
    readingEnds(serial, .unknowable)
  }

  /// The last page of a track has come, or won't come.
  mutating func readingEnds(_ serial: Int, _ finding: OggTail.Finding) {
    act(.endReading(finding), on: serial)
    then(.readingChanged(serial))
  }

  mutating func readingChanged(_ serial: Int) {
    if world.view(serial)?.awaitsEnd == true { return }
    inquire(serial)
    guard let track = self[serial] else { return }
    if serial == heard, track.state.format != nil { emitExtent(serial) }
    if track.state.joint != nil { readOn(serial) }
    guard serial == heard, let position = track.state.awaitedSeek else { return }
    if track.isSeekable || track.state.hasPushed {
      performSeek(serial, position)
    } else {
      self[serial]?.state.awaitedSeek = nil
      self[serial]?.state.startPosition = position
      skipToStartPosition(serial)
    }
    if !track.isSeekable { then(.decide) }
  }
}
