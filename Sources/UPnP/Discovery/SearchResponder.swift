import NIOCore

/// Decides which searches are answered, and when (UPnP Device Architecture, "Search response").
///
/// A value without clock, socket or chance of its own. However many searches come, only so many answers wait.
struct SearchResponder: Sendable {
  struct Searcher: Sendable, Hashable {
    var address: IPAddress
    var port: Int
    /// The interface that the search came in on.
    var interfaceIndex: Int
  }

  /// One answer to send.
  struct Response: Sendable, Hashable {
    var searcher: Searcher
    var advertisement: Advertisement
    /// Our address on the searcher's network.
    var location: IPAddress
  }

  enum Verdict: Sendable, Hashable {
    case answering
    /// Not for us, from elsewhere, or being answered already.
    case ignored
    /// Too many searches.
    case flooded
  }

  struct Limits: Sendable {
    /// Answers that wait at once, for all and for one address.
    var pending = 1024
    var pendingPerAddress = 96
    /// Searches of one address that wait for several answers of one device (`ssdp:all`).
    var seriesPerAddressAndDevice = 2
    /// In answers; a search costs `searchCost` besides, so that one that floods gets nothing but silence.
    var perAddress = RateLimiter<IPAddress>.Limits(capacity: 200, rate: 40)
    var total = RateLimiter<IPAddress>.Limits(capacity: 2000, rate: 400)
    var searchCost = 0.2
    var addresses = 256
    /// Between several answers to one unicast search.
    var unicastSpacing = TimeAmount.milliseconds(5)
  }

  /// The answers of one device to one search; the next is the last.
  private struct Series {
    var searcher: Searcher
    var target: String
    var udn: String
    var location: IPAddress
    var isMultiple: Bool
    var answers: [(due: NIODeadline, advertisement: Advertisement)]
  }

  private let limits: Limits
  private var limiter: RateLimiter<IPAddress>
  private var series: [Series] = []

  init(limits: Limits = Limits(), now: NIODeadline) {
    self.limits = limits
    limiter = RateLimiter(
      perSource: limits.perAddress, total: limits.total, maximumSources: limits.addresses, now: now)
  }

  var pendingCount: Int { series.reduce(0) { $0 + $1.answers.count } }

  /// When ``due(now:)`` has something to send next; nil for never.
  var nextDeadline: NIODeadline? { series.compactMap { $0.answers.last?.due }.min() }

  /// Takes in a search.
  ///
  /// - Parameters:
  ///   - isUnicast: sent to an address of ours; answered at once.
  ///   - interfaces: those that are served.
  mutating func receive(
    _ search: SearchRequest, from searcher: Searcher, isUnicast: Bool, advertisements: AdvertisementSet,
    interfaces: [NetworkInterface], now: NIODeadline, using random: inout some RandomNumberGenerator
  ) -> Verdict {
    guard searcher.port > 0,
      let (interface, location) = Self.place(of: searcher, interfaces: interfaces)
    else { return .ignored }
    var searcher = searcher
    searcher.interfaceIndex = interface
    let found = advertisements.matches(search.target)
    guard !found.isEmpty else { return .ignored }
    guard limiter.admit(searcher.address, cost: limits.searchCost, now: now) else { return .flooded }
    // Control points repeat searches because datagrams get lost; what is on its way already isn't sent twice.
    guard !series.contains(where: { $0.searcher == searcher && $0.target == search.target }) else {
      return .ignored
    }
    var verdict = Verdict.ignored
    for answers in found {
      let result = add(
        answers, search: search, searcher: searcher, location: location, isUnicast: isUnicast, now: now,
        using: &random)
      if result != .ignored, verdict != .flooded { verdict = result }
    }
    return verdict
  }

  private mutating func add(
    _ answers: [Advertisement], search: SearchRequest, searcher: Searcher, location: IPAddress,
    isUnicast: Bool,
    now: NIODeadline, using random: inout some RandomNumberGenerator
  ) -> Verdict {
    guard let udn = answers.first?.udn else { return .ignored }
    let same = series.filter { $0.searcher.address == searcher.address }
    let isMultiple = answers.count > 1
    if isMultiple,
      same.count(where: { $0.isMultiple && $0.udn == udn }) >= limits.seriesPerAddressAndDevice
    {
      return .flooded
    }
    guard pendingCount + answers.count <= limits.pending,
      same.reduce(0, { $0 + $1.answers.count }) + answers.count <= limits.pendingPerAddress,
      limiter.admit(searcher.address, cost: Double(answers.count), now: now)
    else { return .flooded }
    let delays =
      isUnicast
      ? answers.indices.map { limits.unicastSpacing.nanoseconds * Int64($0) }
      : answers.map { _ in Self.delay(mx: search.mx, using: &random) }.sorted()
    let scheduled = zip(delays, answers).map { (due: now + .nanoseconds($0), advertisement: $1) }
    series.append(
      Series(
        searcher: searcher, target: search.target, udn: udn, location: location, isMultiple: isMultiple,
        answers: scheduled.reversed()))
    return .answering
  }

  /// Nanoseconds, up to a little less than MX: the way back takes time, too.
  private static func delay(mx: Int, using random: inout some RandomNumberGenerator) -> Int64 {
    .random(in: 0...TimeAmount.milliseconds(Int64(mx) * 1000 - 100).nanoseconds, using: &random)
  }

  /// The answers whose time has come.
  mutating func due(now: NIODeadline) -> [Response] {
    var responses: [Response] = []
    for index in series.indices {
      while let next = series[index].answers.last, next.due <= now {
        series[index].answers.removeLast()
        responses.append(
          Response(
            searcher: series[index].searcher, advertisement: next.advertisement,
            location: series[index].location))
      }
    }
    series.removeAll { $0.answers.isEmpty }
    return responses
  }

  /// Forgets what waits.
  mutating func cancelAll() { series = [] }

  /// Forgets answers that could no longer leave, or would no longer be right.
  mutating func cancel(unless isServed: (_ location: IPAddress, _ interfaceIndex: Int) -> Bool) {
    series.removeAll { !isServed($0.location, $0.searcher.interfaceIndex) }
  }

  /// The interface and our address through which the searcher is reached; nil when it is on none of our networks.
  private static func place(
    of searcher: Searcher, interfaces: [NetworkInterface]
  ) -> (interface: Int, location: IPAddress)? {
    if let interface = interfaces.first(where: { $0.index == searcher.interfaceIndex }),
      let own = interface.address(reaching: searcher.address)
    {
      return (interface.index, own)
    }
    // What this host sends to itself comes in through the loopback, with an address of another interface.
    let own = interfaces.first { $0.addresses.contains { $0.address == searcher.address } }
    return own.map { ($0.index, searcher.address) }
  }
}
