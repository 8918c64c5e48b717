import Player

/// Tells whether a track has ended too early.
///
/// An answer that doesn't say how long it is ends with its connection (or between two chunks), whether the server has
/// sent all of it or has just been switched off. Only the track's duration tells the one from the other.
struct EarlyEnd {
  /// Less isn't missed: servers round durations and guess them from bit rates.
  static let leastMissing = Duration.seconds(5)
  /// The same, as a part of the duration: one in so many.
  static let leastPart = 20
  /// Two ends that are no further apart are the same.
  static let precision = Duration.seconds(1)

  /// Where the last track ended that ended too early.
  private var last: (media: Media, end: Duration)?

  /// Whether the end of `media` at `end` is too early. If its next attempt ends at the same place, that is its end, and
  /// the duration was wrong.
  mutating func isTooEarly(_ media: Media, at end: Duration, of duration: Duration) -> Bool {
    guard end + max(Self.leastMissing, duration / Self.leastPart) < duration else {
      last = nil
      return false
    }
    if let last, last.media == media, max(last.end, end) - min(last.end, end) <= Self.precision {
      return false
    }
    last = (media, end)
    return true
  }

  /// The duration that an end is measured by; nil if none is reliable.
  ///
  /// - Parameters:
  ///   - found: what the demuxer found.
  ///   - told: what the control point said.
  ///   - isPacked: whether the sound is compressed. Servers that convert to WAV write its header before they know the
  ///     length, so that it says hours.
  static func duration(found: Duration?, told: Duration?, isPacked: Bool) -> Duration? {
    let found = isPacked ? found : nil
    let told = told.flatMap { $0 > .zero ? $0 : nil }
    guard let found, let told else { return found ?? told }
    return min(found, told)
  }
}

extension Engine {
  /// All of `track` has come; it fails if that is too little.
  func checkEnd(_ track: Track) {
    guard track.failure == nil, track.location.isNetwork, track.information.contentLength == nil,
      !track.information.isStation, !track.listeners.manifest.isList, let end = track.feed.end,
      let duration = EarlyEnd.duration(
        found: track.duration.map { .nanoseconds(Int64(clamping: $0)) }, told: track.media.durationHint,
        isPacked: track.information.codec?.isPacked ?? false),
      earlyEnd.isTooEarly(track.media, at: .nanoseconds(Int64(clamping: end)), of: duration)
    else { return }
    track.failure = PlaybackFailure(
      .unreachable,
      "The server of \(redacted(uri: track.media.uri)) broke off; the track should last \(duration.components.seconds) s."
    )
  }
}
