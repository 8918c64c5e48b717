/// State of a cast's track while another source is active.
struct SavedCastState: Sendable, Equatable {
  /// Where Play resumes.
  var position = Duration.zero
  var facts = TrackFacts()
  var failure: PlaybackFailure?
}
