/// Derives reports from what the player does. Pure: it is told what plays and what time it is.
///
/// Time counts as heard while the output says that there is sound: pauses, waits and what is sought over don't. A track
/// that begins again is another listen. A station's song is one, too; it counts only if it has artist and title, and was
/// heard from its beginning.
public struct ListeningWatch: Sendable {
  /// What is reported.
  public struct Rules: Sendable, Hashable {
    public var sources: Set<ReportSource>
    /// Whether songs of stations are reported, whichever source plays the station.
    public var hasStations: Bool
    /// When a listen counts, for each kind of server that wants to know.
    public var hearing: [HearingRule]
    /// How often ``Event/beat(_:)`` comes while something is heard; nil for never.
    public var interval: Duration?

    /// - Parameters:
    ///   - sources: those that are reported; naming the radio means stations, too.
    ///   - hasStations: see ``hasStations``; the radio is one of the sources then.
    ///   - hearing: see ``hearing``.
    ///   - interval: see ``interval``; zero means never.
    public init(
      sources: Set<ReportSource>, hasStations: Bool = false, hearing: [HearingRule] = [],
      interval: Duration? = nil
    ) {
      self.sources = hasStations ? sources.union([.radio]) : sources
      self.hasStations = hasStations || sources.contains(.radio)
      self.hearing = hearing
      self.interval = interval.flatMap { $0 > .zero ? $0 : nil }
    }
  }

  public enum Event: Sendable, Hashable {
    /// The first sound of a listen.
    case began(Listen)
    /// Artist and title are known: with the first sound, or later.
    case named(Listen)
    /// It is still heard.
    case beat(Listen)
    /// It counts by this rule.
    case heard(Listen, HearingRule)
    /// Something else plays, or nothing.
    case ended(Listen)
  }

  private struct Current: Sendable {
    var start: UInt32
    var listen: Listen
    /// False if it may have begun before it was heard: the first song after a station was tuned to.
    var isWhole = true
    var isNamed = false
    var counted: Set<HearingRule> = []
    /// When the last beat came, or something else that says as much.
    var told: Duration
  }

  /// How many of a station's songs are remembered. Some take turns with the station's slogan.
  private static let mostSongs = 8

  public let rules: Rules
  private var current: Current?
  /// The time of the last input, and whether something was heard then.
  private var last: (awake: Duration, isHeard: Bool)?
  /// The start of the last listen.
  private var lastStart: UInt32?
  /// The last connection that has named a song: what comes after that is heard from its beginning.
  private var namedConnection: UInt64?
  /// Songs of this station that have counted.
  private var songs: [Song] = []
  /// What isn't reported although it plays, since it began in a pause of the reports.
  private var skipped: Key?

  private struct Song: Sendable, Hashable {
    var title: String?
    var artist: String?
  }

  private struct Key: Sendable, Hashable {
    var start: UInt32
    /// Nil for what is no station's song.
    var song: Song?
  }

  public init(_ rules: Rules) { self.rules = rules }

  /// The listen under way.
  public var listen: Listen? { current?.listen }

  // MARK: - Inputs

  /// Takes what the player does now. Also to be called when ``due`` has come.
  public mutating func take(_ moment: ListeningMoment, at now: UpTime) -> [Event] {
    var events: [Event] = []
    pass(until: now, &events)
    if moment.start != skipped?.start { skipped = nil }
    let isReported = reports(moment)
    last = (now.awake, isReported && moment.phase == .playing)
    if let current, !isReported || current.start != moment.start || isAnotherSong(moment, than: current) {
      end(&events)
    }
    guard isReported else { return events }
    if current == nil {
      guard moment.phase == .playing else { return events }
      events.append(.began(begin(moment, at: now)))
    }
    update(moment)
    judge(now, &events)
    return events
  }

  /// Ends what is under way: the program stops.
  public mutating func end(at now: UpTime) -> [Event] {
    var events: [Event] = []
    pass(until: now, &events)
    last = nil
    end(&events)
    return events
  }

  /// Forgets what is under way without a word, and leaves out what `moment` plays from now on: nobody is to know of it.
  public mutating func skip(_ moment: ListeningMoment) {
    current = nil
    last = nil
    skipped = moment.phase == .stopped ? nil : key(of: moment)
    lastStart = moment.start
    namedConnection = moment.track.title == nil ? nil : moment.connection
  }

  /// When to call ``take(_:at:)`` again although nothing has changed, by the clock that stands still in sleep.
  public var due: Duration? {
    guard let current, let last, last.isHeard else { return nil }
    var due: Duration?
    for rule in open(current) {
      guard let left = left(current, rule) else { continue }
      due = min(due ?? last.awake + left, last.awake + left)
    }
    if let interval = rules.interval {
      let beat = max(current.told + interval, last.awake)
      due = min(due ?? beat, beat)
    }
    return due
  }

  // MARK: - Listens

  private func reports(_ moment: ListeningMoment) -> Bool {
    moment.phase != .stopped && rules.sources.contains(moment.source)
      && (rules.hasStations || !moment.isStation) && key(of: moment) != skipped
  }

  private func key(of moment: ListeningMoment) -> Key {
    let song = Song(title: moment.track.title, artist: moment.track.artist)
    return Key(start: moment.start, song: moment.isStation ? song : nil)
  }

  private func isAnotherSong(_ moment: ListeningMoment, than current: Current) -> Bool {
    guard moment.isStation, current.listen.isStation, !isLost(moment) else { return false }
    let (before, after) = (current.listen.track, moment.track)
    // The first title of all names what is heard already.
    if before.title == nil, before.artist == nil, namedConnection != moment.connection { return false }
    return before.title != after.title || before.artist != after.artist
  }

  /// Whether a station's title is missing only because the connection is new: it may be the same song.
  private func isLost(_ moment: ListeningMoment) -> Bool {
    moment.isStation && moment.track.title == nil && namedConnection != moment.connection
  }

  private mutating func begin(_ moment: ListeningMoment, at now: UpTime) -> Listen {
    if lastStart != moment.start {
      songs = []
      namedConnection = nil
    }
    lastStart = moment.start
    let listen = Listen(
      source: moment.source, isStation: moment.isStation, track: moment.track, began: now,
      position: moment.position)
    current = Current(
      start: moment.start, listen: listen,
      isWhole: !moment.isStation || namedConnection == moment.connection, told: now.awake)
    return listen
  }

  private mutating func update(_ moment: ListeningMoment) {
    guard var now = current else { return }
    let before = now.listen
    now.listen.phase = moment.phase
    now.listen.position = moment.position
    if !isLost(moment) || before.track.title == nil { now.listen.track = moment.track }
    // What was taken for a file turns out to be a station, or the other way round.
    if before.isStation != moment.isStation {
      now.listen.isStation = moment.isStation
      now.isWhole = !moment.isStation
    }
    if moment.isStation, moment.track.title != nil { namedConnection = moment.connection }
    // Beats count from where it goes on.
    if before.phase != .playing, moment.phase == .playing, let last { now.told = last.awake }
    current = now
  }

  /// Adds the time until now to what was heard.
  private mutating func pass(until now: UpTime, _ events: inout [Event]) {
    guard let last, last.isHeard, current != nil else { return }
    let time = max(now.awake - last.awake, .zero)
    current?.listen.heard += time
    current?.listen.position += time
    judge(now, &events)
  }

  /// Says what has come true.
  private mutating func judge(_ now: UpTime, _ events: inout [Event]) {
    guard var judged = current else { return }
    if judged.listen.track.isNamed, !judged.isNamed {
      judged.isNamed = true
      events.append(.named(judged.listen))
    }
    for rule in open(judged) where left(judged, rule) == .zero {
      judged.counted.insert(rule)
      events.append(.heard(judged.listen, rule))
      if judged.listen.isStation { remember(judged.listen.track) }
    }
    if let interval = rules.interval, judged.listen.phase == .playing, now.awake - judged.told >= interval {
      judged.told = now.awake
      events.append(.beat(judged.listen))
    }
    current = judged
  }

  /// The rules by which it may still come to count.
  private func open(_ current: Current) -> [HearingRule] {
    let track = current.listen.track
    guard track.isNamed, current.isWhole else { return [] }
    let isRemembered =
      current.listen.isStation && songs.contains(Song(title: track.title, artist: track.artist))
    return rules.hearing.filter { rule in
      !current.counted.contains(rule) && !(isRemembered && current.counted.isEmpty)
    }
  }

  /// How much of it is still to be heard; nil if it never counts.
  private func left(_ current: Current, _ rule: HearingRule) -> Duration? {
    rule.needed(duration: current.listen.track.duration, isStation: current.listen.isStation)
      .map { max($0 - current.listen.heard, .zero) }
  }

  private mutating func remember(_ track: ReportedTrack) {
    let song = Song(title: track.title, artist: track.artist)
    guard !songs.contains(song) else { return }
    songs.append(song)
    if songs.count > Self.mostSongs { songs.removeFirst() }
  }

  private mutating func end(_ events: inout [Event]) {
    if let ended = current?.listen { events.append(.ended(ended)) }
    current = nil
  }
}
