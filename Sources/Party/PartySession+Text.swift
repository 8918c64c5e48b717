import JSON
import Player

/// A party as text for the state, so that it goes on when the program was started again.
///
/// Kept are its guests and what waits. What guests have used of their allowances, and what was heard, is forgotten.
extension PartySession {
  /// What the clocks of the machine say.
  public struct Clocks: Sendable, Hashable {
    /// Names this run of the machine.
    public var boot: String
    /// Since the machine was started: the time of the party.
    public var now: Duration
    /// Milliseconds since 1970, if the machine knows that.
    public var date: Int64

    public init(boot: String, now: Duration, date: Int64) {
      self.boot = boot
      self.now = now
      self.date = date
    }
  }

  private static let limits = JSONLimits(bytes: 1 << 20, depth: 4, values: 10_000)

  /// The party as text.
  public func text(_ clocks: Clocks) -> String {
    let waiting = order.compactMap(request) + requests.filter { $0.askedMedia != nil }
    let saved = SavedParty(
      boot: clocks.boot, at: clocks.now.milliseconds, date: clocks.date, code: code, mode: mode,
      left: (end - clocks.now).milliseconds, guests: guests, requests: waiting)
    return String(decoding: saved.json, as: UTF8.self)
  }

  /// Reads ``text(_:)``; nil for anything else, and for a party that is over by now.
  ///
  /// - Parameters:
  ///   - media: the media of a track of the queue; nil when it isn't there any more.
  ///   - song: what is shown of media.
  public init?(
    _ text: String, _ clocks: Clocks, rules: PartyRules, media: (UInt32) -> Media?,
    song: (Media) -> PartySong
  ) {
    guard let json = try? JSONValue(reading: Array(text.utf8), limits: Self.limits),
      let code = json.text("code"), PartyCode.isOne(code),
      let mode = json.text("mode").flatMap({ PartyMode(rawValue: $0) }),
      let left = json.number("left"), let at = json.number("at"), let date = json.number("date")
    else { return nil }
    // Of a machine that was off, only its clock tells for how long. If that isn't set yet, no time has passed.
    let passed = json.text("boot") == clocks.boot ? clocks.now.milliseconds - at : clocks.date - date
    let end = clocks.now + .milliseconds(min(left, PartyRules.longest.milliseconds) - max(0, passed))
    guard end > clocks.now else { return nil }
    self.init(mode, rules: rules, code: code, end: end)
    for guest in json.elements("guests").prefix(PartyRules.mostGuests) { readGuest(guest, clocks.now) }
    for request in json.elements("requests").prefix(PartyRules.mostWaiting) {
      readRequest(request, media, song)
    }
  }

  private mutating func readGuest(_ json: JSONValue, _ now: Duration) {
    guard let id = json.id("id"), id > lastGuest, let token = json.text("token"),
      token.utf8.count == PartyCode.tokenLength
    else { return }
    lastGuest = id
    let name = json.text("name").flatMap { PartySong.line($0, most: PartyRules.longestName) }
    guests.append(PartyGuest(id: id, token: token, name: name, seen: now))
  }

  private mutating func readRequest(
    _ json: JSONValue, _ media: (UInt32) -> Media?, _ song: (Media) -> PartySong
  ) {
    guard let id = json.id("id"), request(id) == nil, let guest = json.id("guest") else { return }
    let track = json.id("track").flatMap { UInt32(exactly: $0) }
    let asked = json.text("uri").map { uri in
      Media(
        uri: uri, metadata: json.text("metadata") ?? "", contentFormat: json.text("format"),
        durationHint: json.number("duration").map { .milliseconds($0) })
    }
    guard let known = track.flatMap(media) ?? asked else { return }
    var request = PartyRequest(
      id: id, guest: guest, song: song(known), wantsNext: json["next"] == .boolean(true),
      state: .asked(known))
    request.voters = Set(json.elements("voters").prefix(PartyRules.mostGuests).compactMap(\.id))
    // In the order of arrival.
    requests.insert(request, at: requests.firstIndex { $0.id > id } ?? requests.count)
    lastRequest = max(lastRequest, id)
    if let track { inserted(id, as: track) }
  }
}

/// What is written of a party.
private struct SavedParty: JSONWritable {
  var boot: String
  var at: Int64
  var date: Int64
  var code: String
  var mode: PartyMode
  var left: Int64
  var guests: [PartyGuest]
  var requests: [PartyRequest]

  func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("boot", boot)
    json.member("at", Int(at))
    json.member("date", Int(date))
    json.member("code", code)
    json.member("mode", mode.rawValue)
    json.member("left", Int(left))
    json.member("guests", guests.map(SavedGuest.init))
    json.member("requests", requests.map(SavedRequest.init))
    json.endObject()
  }
}

private struct SavedGuest: JSONWritable {
  let guest: PartyGuest

  func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("id", guest.id)
    json.member("token", guest.token)
    json.member("name", optional: guest.name)
    json.endObject()
  }
}

private struct SavedRequest: JSONWritable {
  let request: PartyRequest

  func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("id", request.id)
    json.member("guest", request.guest)
    json.member("next", request.wantsNext)
    json.member("voters", request.voters.sorted())
    json.member("track", optional: request.queuedTrack.map { Int($0) })
    if let media = request.askedMedia {
      json.member("uri", media.uri)
      json.member("metadata", media.metadata)
      json.member("format", optional: media.contentFormat)
      json.member("duration", optional: media.durationHint.map { Int($0.milliseconds) })
    }
    json.endObject()
  }
}

extension JSONValue {
  fileprivate func text(_ name: String) -> String? {
    if case .string(let text)? = self[name] { text } else { nil }
  }

  fileprivate func elements(_ name: String) -> [JSONValue] {
    if case .array(let elements)? = self[name] { elements } else { [] }
  }

  fileprivate var number: Int64? {
    guard case .number(let number) = self, number.magnitude < 1e15 else { return nil }
    return Int64(number)
  }

  fileprivate func number(_ name: String) -> Int64? { self[name]?.number }

  /// A number from 1 on.
  fileprivate var id: Int? { number.flatMap { (1...(1 << 40)).contains($0) ? Int($0) : nil } }

  fileprivate func id(_ name: String) -> Int? { self[name]?.id }
}

extension Duration {
  /// Whole milliseconds.
  fileprivate var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
