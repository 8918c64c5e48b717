import Player

/// Work done before playback is requested, so that it starts sooner.
extension Engine {
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
    let now = MonotonicTime.now
    plan.preparation.keep(at: now)
    if track.location.isNetwork, plan.preparation.mayRead(at: now) {
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
    plan.preparation.expiry = nil
    track.id = id
    return track
  }

  func dropPrepared() {
    plan.preparation.expiry = nil
    prepared?.dispose()
    prepared = nil
  }

  /// Schedules making the parts of the next track.
  func scheduleSpare() {
    guard spare == nil else { return }
    plan.preparation.scheduleSpare(at: .now)
  }

  func makeSpare() {
    guard device != nil, spare == nil else { return }
    spare = SparePipeline(format: fixedFormat, configuration: configuration)
  }

  func dropSpare() {
    plan.preparation.spare = nil
    spare = nil
  }
}
