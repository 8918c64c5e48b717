import Player

/// Work done before playback is requested, so that it starts sooner.
extension EngineMachine {
  /// The ID of a track that no attempt to play has claimed yet.
  private static let nobody = PlayID(0)

  /// Makes the pipeline of `media` and reads its beginning.
  ///
  /// A prepared track is nearly always started next; by then its server has answered, or is about to. Its failures are
  /// reported only when it is started.
  mutating func prepare(_ media: Media) {
    // Repeating the request doesn't keep it longer.
    if let prepared = self[prepared], prepared.media == media, heard == nil { return }
    dropPrepared()
    if heard == nil { make(id: Self.nobody, media: media, for: .preparation) }
  }

  mutating func preparationMade(_ track: TrackRecord) {
    prepared = track.serial
    plan.preparation.keep(at: now)
    let isRead = track.isNetwork && plan.preparation.mayRead(at: now)
    act(isRead ? .run : .prepare, on: track.serial)
  }

  /// Returns the prepared track for the attempt `id` if it is of `media`; another is dropped.
  mutating func takePrepared(for id: PlayID, _ media: Media) -> Int? {
    guard let track = self[prepared], track.media == media else {
      dropPrepared()
      return nil
    }
    prepared = nil
    plan.preparation.expiry = nil
    self[track.serial]?.id = id
    act(.claim(id), on: track.serial)
    return track.serial
  }

  mutating func dropPrepared() {
    plan.preparation.expiry = nil
    guard let serial = prepared else { return }
    prepared = nil
    dispose(serial)
  }

  /// Schedules making the parts of the next track.
  mutating func scheduleSpare() {
    guard !world.hasSpare else { return }
    plan.preparation.scheduleSpare(at: now)
  }

  mutating func makeSpare() {
    guard device != nil, !world.hasSpare else { return }
    act(.makeSpare(fixedFormat))
  }

  mutating func dropSpare() {
    plan.preparation.spare = nil
    if world.hasSpare { act(.dropSpare) }
  }
}
