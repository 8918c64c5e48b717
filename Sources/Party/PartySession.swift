import Player

/// A party: who its guests are, what they want to hear, and what follows from that for the queue.
///
/// A value without a clock: all times are given, from one clock that never goes back. Whoever owns it carries out the
/// effects, and tells it how the queue has changed.
public struct PartySession: Sendable, Hashable {
  struct Heard: Sendable, Hashable {
    var key: PartySongKey
    var at: Duration
  }

  /// What guests enter with.
  public let code: String
  public let rules: PartyRules
  public internal(set) var mode: PartyMode
  /// When it is over.
  public internal(set) var end: Duration
  /// In the order of arrival.
  public internal(set) var guests: [PartyGuest] = []
  /// In the order of arrival; the last of those that are over are kept, so that guests see what became of them.
  public internal(set) var requests: [PartyRequest] = []
  /// The ids of the requests in the queue, in the order in which they play.
  var order: [Int] = []
  /// What was heard last, and when.
  var heard: [Heard] = []
  var lastHeard: UInt32 = 0
  var addresses = AddressTable()
  var lastGuest = 0
  var lastRequest = 0
  var lastTurn = 0

  /// The most requests that are kept after they are over, and songs that are known to have been heard.
  static let mostOver = 50
  static let mostHeard = 200

  public init(
    _ mode: PartyMode, rules: PartyRules = PartyRules(), length: Duration = PartyRules.usualLength,
    at now: Duration,
    using random: inout some RandomNumberGenerator
  ) {
    self.init(mode, rules: rules, code: PartyCode.make(using: &random), end: now + length)
  }

  init(_ mode: PartyMode, rules: PartyRules, code: String, end: Duration) {
    self.mode = mode
    self.rules = rules
    self.code = code
    self.end = end
  }

  // MARK: Looking

  public func isOver(at now: Duration) -> Bool { now >= end }

  /// The request of that id.
  public func request(_ id: Int) -> PartyRequest? { index(id).map { requests[$0] } }

  public func guest(withToken token: String) -> PartyGuest? { guests.first { $0.token == token } }

  /// The name of a guest who is still there.
  public func name(ofGuest id: Int) -> String? { guests.first { $0.id == id }?.name }

  /// The requests as people are shown them: what plays, the queue in its order, what waits for the host, what is over.
  public var shown: [PartyRequest] {
    let asked = requests.filter { $0.askedMedia != nil }.sorted { $0.comes(before: $1) }
    let playing = requests.filter { if case .playing = $0.state { true } else { false } }
    return playing + order.compactMap(request) + asked + requests.filter(\.isOver).reversed()
  }

  /// The tracks of the queue that are requests, in the order in which they play.
  public var queuedTracks: [UInt32] { order.compactMap { request($0)?.queuedTrack } }

  /// Whether it is the current track of a queue that hasn't begun to play: nobody has heard it yet.
  public func isCued(_ request: PartyRequest) -> Bool {
    if case .playing(let track) = request.state { track != lastHeard } else { false }
  }

  func index(_ id: Int) -> Int? { requests.lastIndex { $0.id == id } }

  // MARK: The host

  /// Changes what the host decides; requests that wait for him stay there.
  public mutating func change(mode: PartyMode?, length: Duration?, at now: Duration) {
    if let mode { self.mode = mode }
    if let length { end = now + length }
  }

  /// The host lets a request into the queue. Once more does no harm.
  public mutating func accept(_ id: Int) throws(PartyRefusal) -> [PartyEffect] {
    guard let index = index(id) else { throw .noRequest }
    switch requests[index].state {
    case .asked(let media): return [.insert(request: id, media, place(of: requests[index]))]
    case .queued, .playing: return []
    case .played, .refused, .removed: throw .isOver
    }
  }

  /// The host doesn't want it; if it is in the queue already, it leaves it. Once more does no harm.
  public mutating func refuse(_ id: Int) throws(PartyRefusal) -> [PartyEffect] {
    guard let index = index(id) else { throw .noRequest }
    let effects: [PartyEffect]
    switch requests[index].state {
    case .asked: effects = []
    case .queued(let track): effects = [.remove(track: track)]
    case .playing(let track) where isCued(requests[index]): effects = [.remove(track: track)]
    case .refused: return []
    case .playing, .played, .removed: throw .isOver
    }
    finish(index, as: .refused)
    return effects
  }

  /// A request has become a track of the queue.
  public mutating func inserted(_ id: Int, as track: UInt32) {
    guard let index = index(id), requests[index].askedMedia != nil else { return }
    lastTurn += 1
    requests[index].turn = lastTurn
    requests[index].state = .queued(track: track)
    order.insert(id, at: slot(of: requests[index]))
  }

  // MARK: Places

  /// The place of a request among those of the queue, without itself.
  func slot(of request: PartyRequest) -> Int {
    var request = request
    if request.turn == 0 { request.turn = .max }
    let others = order.filter { $0 != request.id }.compactMap { self.request($0) }
    return others.firstIndex { request.comes(before: $0) } ?? others.count
  }

  /// Where a request belongs in the queue.
  func place(of request: PartyRequest) -> PartyPlace {
    let others = order.filter { $0 != request.id }.compactMap { self.request($0)?.queuedTrack }
    let slot = slot(of: request)
    if slot > 0 { return .behind(others[slot - 1]) }
    return others.first.map { .before($0) } ?? .next
  }

  /// Ends a request; the oldest of those that are over are forgotten.
  mutating func finish(_ index: Int, as state: PartyRequest.State) {
    order.removeAll { $0 == requests[index].id }
    requests[index].state = state
    let excess = requests.count(where: \.isOver) - Self.mostOver
    for _ in 0..<max(0, excess) {
      if let oldest = requests.firstIndex(where: \.isOver) { requests.remove(at: oldest) }
    }
  }
}
