/// A kind of server that reports go to. The raw values are the names in the configuration and in the state.
public enum ReportSink: String, Sendable, Hashable, CaseIterable {
  /// ListenBrainz, and everything that speaks its language.
  case listenBrainz = "listenbrainz"
  /// Whatever takes JSON.
  case webhook
  /// Last.fm, and everything that speaks its language (2.0).
  case lastFM = "lastfm"

  /// By which rule a listen counts there; nil if it wants to know of everything.
  public var rule: HearingRule? {
    switch self {
    case .listenBrainz: .half
    case .webhook: nil
    case .lastFM: .halfOfLonger
    }
  }

  /// How many reports one call takes at most. ListenBrainz takes 1,000, Last.fm 50.
  public var mostInCall: Int {
    switch self {
    case .listenBrainz: 200
    case .webhook: 1
    case .lastFM: 50
    }
  }

  /// The shortest time between two calls. ListenBrainz asks for one call a second at most, Last.fm for five. A webhook gets the
  /// next event when it has taken the last one.
  var gap: Duration {
    switch self {
    case .listenBrainz: .seconds(1)
    case .webhook: .zero
    case .lastFM: .milliseconds(250)
    }
  }
}
