import Text

/// A time in which nothing is reported, nor kept to be reported later.
public struct ReportPause: Sendable, Hashable {
  public enum Extent: Sendable, Hashable {
    /// To a certain time.
    case until(ReportPlace)
    /// While this album plays.
    case album(String)
  }

  public var extent: Extent

  public init(_ extent: Extent) { self.extent = extent }

  /// A pause of this length from now on.
  public init(for time: Duration, from reading: ClockReading, _ dating: ListenDating) {
    let end = reading.sinceBoot + time
    extent = .until(
      ReportPlace(boot: dating.boot, at: end.milliseconds, date: dating.date(sinceBoot: end)))
  }

  /// Whether it is over.
  ///
  /// - Parameters:
  ///   - moment: what plays now.
  ///   - reading: what the clocks say now; `dating` knows it.
  public func isOver(_ moment: ListeningMoment, _ reading: ClockReading, _ dating: ListenDating) -> Bool {
    switch extent {
    case .album(let album): moment.phase != .stopped && Self.isOther(moment, than: album)
    case .until(let end) where end.boot == dating.boot: reading.sinceBoot.milliseconds >= end.at
    // The machine was started again. Without a date nobody can say when it ends.
    case .until(let end): end.date.map { dating.isSet && reading.date >= $0 } ?? true
    }
  }

  /// Whether it is surely another album that plays: the tags of a track come some moments after its first sound.
  private static func isOther(_ moment: ListeningMoment, than album: String) -> Bool {
    guard let known = moment.track.album else { return moment.isStation || moment.position >= .seconds(5) }
    return known != album
  }

  // MARK: - Text

  /// The pause as text for the state.
  public var text: String {
    switch extent {
    case .album(let album): "album \(album)"
    case .until(let end): "until \(end.at) \(end.date.map { "\($0)" } ?? "-") \(end.boot)"
    }
  }

  /// Reads ``text``; nil for anything else.
  public init?(_ text: String) {
    let words = text.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
    switch words.first {
    case "album":
      let album = String(text.dropFirst(6))
      guard !album.isEmpty else { return nil }
      extent = .album(album)
    case "until":
      guard words.count == 4, let at = Int64(words[1]), words[2] == "-" || Int64(words[2]) != nil else {
        return nil
      }
      extent = .until(ReportPlace(boot: String(words[3]), at: at, date: Int64(words[2])))
    default: return nil
    }
  }
}
