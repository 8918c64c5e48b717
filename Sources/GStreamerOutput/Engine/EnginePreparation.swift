import Player

/// A track that is made before anybody wants to hear it.
extension Engine {
  /// For so long it waits to be started.
  private static let longestPreparation = Duration.seconds(10)
  /// No attempt has this.
  private static let nobody = PlayID(0)

  /// Makes the pipeline of `media`. What is wrong with it is told to who starts it.
  func prepare(_ media: Media) {
    dropPrepared()
    guard heard == nil, let track = try? makeTrack(id: Self.nobody, media: media) else { return }
    track.prepare()
    prepared = track
    alarms.preparation = .now + Self.longestPreparation
  }

  /// A track for the attempt `id`: the prepared one if it is of `media`.
  func takeTrack(_ id: PlayID, _ media: Media) throws(PlaybackFailure) -> Track {
    guard let track = prepared, track.media == media else {
      dropPrepared()
      return try makeTrack(id: id, media: media)
    }
    prepared = nil
    alarms.preparation = nil
    track.id = id
    return track
  }

  func dropPrepared() {
    alarms.preparation = nil
    prepared?.dispose()
    prepared = nil
  }
}
