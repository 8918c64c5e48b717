/// Tells from what a renderer without a queue says of itself when it is the next track's turn.
///
/// A machine: it is asked what it makes of each look at the renderer, and knows no clock but the one it is given. A track
/// that was stopped by somebody isn't followed by another one: music after Stop is worse than none.
package struct TrackTurns: Sendable, Hashable {
  /// What a look at the renderer has shown.
  package struct Look: Sendable, Hashable {
    package var state: PlayerStatus.State
    /// True if it plays the next track, which was handed over to it.
    package var isNext = false
    /// In seconds; nil if the renderer doesn't say.
    package var position: Int?
    /// In seconds; nil if the renderer doesn't say.
    package var duration: Int?

    package init(
      state: PlayerStatus.State, isNext: Bool = false, position: Int? = nil, duration: Int? = nil
    ) {
      (self.state, self.isNext, self.position, self.duration) = (state, isNext, position, duration)
    }
  }

  package enum Turn: Sendable, Hashable {
    /// The present track is on its way.
    case wait
    /// The renderer went on by itself.
    case wentOn
    /// The present track has ended: the next one is to be played.
    case next
    /// Somebody has stopped the renderer.
    case stopped
    /// It stopped, and nothing says whether the track had ended.
    case unknown
    /// The present track hasn't begun within the time.
    case neverBegan
  }

  /// Seconds before its end at which a track that stops was stopped by somebody.
  package static let margin = 5
  /// A renderer that has stopped this many times in a row isn't between two tracks.
  static let patience = 3
  /// How long a renderer may take to begin.
  package static let beginning = Duration.seconds(30)

  /// How long the present track is, in seconds: by the metadata, until the renderer says.
  private var duration: Int?
  /// The next track was handed over, so that the renderer may go on by itself.
  private var isHandedOver: Bool
  private let start: Duration
  private var hasBegun: Bool
  private var stopped = 0
  private var position: Int?
  /// The positions differ, so they mean something.
  private var hasMoved = false
  /// How long it has played, which stands for the position of a renderer that doesn't say where it is.
  private var played = Duration.zero
  private var playedUntil: Duration?

  /// Begins a track.
  ///
  /// - Parameters:
  ///   - duration: in seconds; nil if it isn't known.
  ///   - hasBegun: whether the renderer plays it already.
  package init(duration: Int?, isHandedOver: Bool, hasBegun: Bool = false, now: Duration) {
    self.duration = duration.flatMap { $0 > 0 ? $0 : nil }
    self.isHandedOver = isHandedOver
    self.hasBegun = hasBegun
    start = now
  }

  package mutating func take(_ look: Look, now: Duration) -> Turn {
    if look.isNext { return .wentOn }
    if look.state == .playing, let playedUntil { played += now - playedUntil }
    playedUntil = look.state == .playing ? now : nil
    guard look.state == .stopped else {
      (hasBegun, stopped) = (true, 0)
      if let new = look.position {
        if let position, position != new { hasMoved = true }
        position = new
      }
      if let length = look.duration, length > 0 { duration = length }
      return .wait
    }
    guard hasBegun else { return beginning(now: now) }
    stopped += 1
    if let duration, reached < duration - Self.margin { return .stopped }
    guard stopped >= (isHandedOver ? Self.patience : 1) else { return .wait }
    return duration == nil ? .unknown : .next
  }

  /// It has been told to play, and says that it has stopped.
  private func beginning(now: Duration) -> Turn {
    guard now - start >= Self.beginning else { return .wait }
    // It may have been too short to be seen.
    return duration.map { $0 <= Self.margin } ?? false ? .next : .neverBegan
  }

  /// How far the track came, in seconds.
  private var reached: Int {
    if let position, hasMoved { return position }
    return max(position ?? 0, Int(played.components.seconds))
  }
}
