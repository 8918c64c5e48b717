import Listening

/// A day on the sofa: what the player does, second by second, and what the watch says of it.
struct Sofa {
  var watch: ListeningWatch
  var now = UpTime(.zero)
  var moment = ListeningMoment.silence
  private var starts: UInt32 = 0
  private var connections: UInt64 = 0

  init(
    sources: Set<ReportSource> = [.playlist, .upnpAV], hasStations: Bool = false,
    hearing: [HearingRule] = [.half], interval: Duration? = nil
  ) {
    watch = ListeningWatch(
      .init(sources: sources, hasStations: hasStations, hearing: hearing, interval: interval))
  }

  mutating func tell() -> [Said] { watch.take(moment, at: now).map { Said($0) } }

  mutating func change(_ body: (inout ListeningMoment) -> Void) -> [Said] {
    body(&moment)
    return tell()
  }

  /// Another track begins, or the same one anew.
  mutating func start(_ track: ReportedTrack, from source: ReportSource = .playlist, isStation: Bool = false)
    -> [Said]
  {
    starts += 1
    connections += 1
    moment = ListeningMoment(
      phase: .playing, source: source, start: starts, connection: connections, isStation: isStation,
      track: track)
    return tell()
  }

  /// The stream is opened again where it was.
  mutating func reconnect(_ phase: ListeningMoment.Phase = .waiting) -> [Said] {
    connections += 1
    moment.connection = connections
    moment.phase = phase
    if moment.isStation { (moment.track.title, moment.track.artist) = (nil, nil) }
    return tell()
  }

  /// A station names its song.
  mutating func song(_ title: String?, by artist: String? = "Artist") -> [Said] {
    change { ($0.track.title, $0.track.artist) = (title, title == nil ? nil : artist) }
  }

  /// Time passes; the watch is asked when it has said so.
  mutating func pass(_ time: Duration) -> [Said] {
    let end = now.awake + time
    var said: [Said] = []
    while let due = watch.due, due <= end {
      now = UpTime(max(due, now.awake))
      said += tell()
    }
    now = UpTime(end)
    return said
  }

  mutating func phase(_ phase: ListeningMoment.Phase) -> [Said] { change { $0.phase = phase } }
}

/// An event of the watch, short.
enum Said: Equatable {
  case began(String?)
  case named(String?)
  case beat(Int)
  case heard(String?, HearingRule = .half)
  case ended(String?, heard: Int)

  init(_ event: ListeningWatch.Event) {
    self =
      switch event {
      case .began(let listen): .began(listen.track.title)
      case .named(let listen): .named(listen.track.title)
      case .beat(let listen): .beat(Int(listen.heard.components.seconds))
      case .heard(let listen, let rule): .heard(listen.track.title, rule)
      case .ended(let listen): .ended(listen.track.title, heard: Int(listen.heard.components.seconds))
      }
  }
}

extension ReportedTrack {
  static func song(_ title: String = "Title", seconds: Int? = 300) -> ReportedTrack {
    ReportedTrack(title: title, artist: "Artist", album: "Album", duration: seconds.map { .seconds($0) })
  }
}
