import Player

/// Work done before playback is requested, so that it starts sooner.
extension Engine {
  /// How long a prepared track is kept.
  private static let longestPreparation = Duration.seconds(10)
  /// If tracks are prepared in quick succession, only some of them are read.
  private static let betweenEarlyReads = Duration.milliseconds(200)
  /// The spare parts wait until more urgent work is done.
  private static let beforeSpare = Duration.milliseconds(50)
  /// The ID of a track that no attempt to play has claimed yet.
  private static let nobody = PlayID(0)

  /// Makes the pipeline of `media` and reads its beginning.
  ///
  /// A prepared track is nearly always started next; by then its server has answered, or is about to. Its failures are
  /// reported only when it is started.
  func prepare(_ media: Media) {
    // Repeating the request doesn't keep it longer.
    if let prepared, prepared.media == media, heard == nil { return }
    dropPrepared()
    guard heard == nil, let track = try? makeTrack(id: Self.nobody, media: media) else { return }
    prepared = track
    deadlines.preparation = .now + Self.longestPreparation
    let now = MonotonicTime.now
    if track.location.isNetwork, earlyReadAllowed.map({ $0 <= now }) ?? true {
      earlyReadAllowed = now + Self.betweenEarlyReads
      track.run()
    } else {
      track.prepare()
    }
  }

  /// Returns the track for the attempt `id`: the prepared one if it is of `media`, otherwise a new one.
  func takeTrack(_ id: PlayID, _ media: Media) throws(PlaybackFailure) -> Track {
    guard let track = prepared, track.media == media else {
      dropPrepared()
      return try makeTrack(id: id, media: media)
    }
    prepared = nil
    deadlines.preparation = nil
    track.id = id
    return track
  }

  func dropPrepared() {
    deadlines.preparation = nil
    prepared?.dispose()
    prepared = nil
  }

  /// Schedules making the parts of the next track.
  func scheduleSpare() {
    guard spare == nil else { return }
    deadlines.spare = .now + Self.beforeSpare
  }

  func makeSpare() {
    guard device != nil, spare == nil else { return }
    spare = SparePipeline(format: fixedFormat, configuration: configuration)
  }

  func dropSpare() {
    deadlines.spare = nil
    spare = nil
  }
}
