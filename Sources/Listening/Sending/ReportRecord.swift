import JSON

/// One report, whoever it is for: what is kept in the state until it has arrived.
public struct ReportRecord: Sendable, Hashable {
  /// The raw values are in the state, and in what webhooks are sent.
  public enum Kind: String, Sendable, Hashable {
    /// The program has started.
    case started
    case began
    /// It is still heard. Not kept: the next one says more.
    case beat
    case ended
    /// It counts as heard.
    case heard
    /// It is what plays now. Not kept: later it is no longer true.
    case now
  }

  public var kind: Kind
  /// Tells it from all others, so that a server can drop what comes twice: 32 hexadecimal digits.
  public var id: String
  /// Nil if it is about the program.
  public var source: ReportSource?
  public var isStation: Bool
  public var track: ReportedTrack
  public var heard: Duration
  public var position: Duration
  public var phase: ListeningMoment.Phase

  public init(_ kind: Kind, id: String, of listen: Listen? = nil) {
    self.kind = kind
    self.id = id
    source = listen?.source
    isStation = listen?.isStation ?? false
    track = listen?.track ?? ReportedTrack()
    heard = listen?.heard ?? .zero
    position = listen?.position ?? .zero
    phase = kind == .ended ? .stopped : listen?.phase ?? .stopped
  }

  /// Makes an ``id``.
  public static func makeID(using random: inout some RandomNumberGenerator) -> String {
    (0..<4).map { _ in
      let digits = String(UInt32.random(in: .min ... .max, using: &random), radix: 16)
      return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }.joined()
  }
}

// MARK: - In the state

extension ReportRecord {
  private static let limits = JSONLimits(bytes: 32 * 1024, depth: 3, values: 64)

  /// The report as it is kept. The names are short, since thousands may wait for a server.
  public var body: String {
    var json = JSONWriter()
    json.beginObject()
    json.member("i", id)
    json.member("s", optional: source)
    if isStation { json.member("l", true) }
    json.member("t", optional: track.title)
    json.member("a", optional: track.artist)
    json.member("b", optional: track.album)
    json.member("n", optional: track.number)
    json.member("d", optional: track.duration.map { Int($0.milliseconds) })
    json.member("r", optional: track.station)
    json.member("mr", optional: track.ids.recording)
    json.member("mb", optional: track.ids.release)
    json.member("mt", optional: track.ids.track)
    if !track.ids.artists.isEmpty { json.member("ma", track.ids.artists) }
    json.member("c", optional: track.ids.isrc)
    // Who wants to know what counts doesn't ask how much of it was heard.
    if kind != .heard {
      if heard > .zero { json.member("h", Int(heard.milliseconds)) }
      if position > .zero { json.member("p", Int(position.milliseconds)) }
      if phase != .stopped { json.member("f", phase) }
    }
    json.endObject()
    return String(decoding: json.bytes, as: UTF8.self)
  }

  /// Reads ``body``; nil for anything else.
  public init?(_ kind: Kind, body: String) {
    guard let json = try? JSONValue(reading: Array(body.utf8), limits: Self.limits), let id = json.text("i"),
      (1...64).contains(id.utf8.count)
    else { return nil }
    self.init(kind, id: id)
    source = json.text("s").flatMap { ReportSource(rawValue: $0) }
    isStation = json["l"] == .boolean(true)
    var artists: [String] = []
    if case .array(let values)? = json["ma"] {
      artists = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }
    track = ReportedTrack(
      title: json.text("t"), artist: json.text("a"), album: json.text("b"), number: json.number("n"),
      duration: json.number("d").map { .milliseconds($0) }, station: json.text("r"),
      ids: MusicIDs(
        recording: json.text("mr"), release: json.text("mb"), track: json.text("mt"), artists: artists,
        isrc: json.text("c")))
    heard = .milliseconds(json.number("h") ?? 0)
    position = .milliseconds(json.number("p") ?? 0)
    phase = json.text("f").flatMap { ListeningMoment.Phase(rawValue: $0) } ?? .stopped
  }
}

extension JSONValue {
  /// The text of a member; nil if it is none.
  func text(_ name: String) -> String? {
    if case .string(let text)? = self[name] { text } else { nil }
  }

  /// The whole number of a member, rounded; nil if it is none.
  func number(_ name: String) -> Int? {
    guard case .number(let number)? = self[name], abs(number) < 1e15 else { return nil }
    return Int(number.rounded())
  }
}

extension ListeningMoment.Phase: JSONWritable {}
extension ReportSource: JSONWritable {}
extension ReportRecord.Kind: JSONWritable {}
