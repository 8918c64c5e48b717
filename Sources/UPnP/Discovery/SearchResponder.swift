import NIOCore
import Network

/// Decides which searches are answered, and when (UPnP Device Architecture, "Search response").
///
/// A value without its own clock, socket or random numbers. The number of pending responses is limited, however many
/// searches come.
struct SearchResponder: Sendable {
  struct Searcher: Sendable, Hashable {
    var address: IPAddress
    var port: Int
    /// The interface that the search arrived on.
    var interfaceIndex: Int
  }

  /// One response to send.
  struct Response: Sendable, Hashable {
    var searcher: Searcher
    var advertisement: Advertisement
    /// Our address on the searcher's network.
    var location: IPAddress
  }

  enum Verdict: Sendable, Hashable {
    case answering
    /// Not for one of our devices, from a foreign network, or already being answered.
    case ignored
    /// Too many searches.
    case flooded
  }

  struct Limits: Sendable {
    /// Pending responses, in total and per address.
    var pending = 1024
    var pendingPerAddress = 96
    /// Pending searches per address that each have several responses from one device (`ssdp:all`).
    var seriesPerAddressAndDevice = 2
    /// Counted in responses; each search costs `searchCost` in addition, so that a flood of searches gets no response.
    var perAddress = RateLimiter<IPAddress>.Limits(capacity: 200, rate: 40)
    var total = RateLimiter<IPAddress>.Limits(capacity: 2000, rate: 400)
    var searchCost = 0.2
    var addresses = 256
    /// Between several responses to one unicast search.
    var unicastSpacing = TimeAmount.milliseconds(5)
  }

  /// The responses of one device to one search, in reverse order: the next one to send is the last.
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

  /// When ``due(now:)`` next has something to send; nil for never.
  var nextDeadline: NIODeadline? { series.compactMap { $0.answers.last?.due }.min() }

  /// Schedules the responses to a search.
  ///
  /// - Parameters:
  ///   - isUnicast: sent to an address of ours, so it is answered immediately.
  ///   - interfaces: the interfaces that are served.
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
      .filter { !location.isIPv6 || $0.first?.constants.isIPv4Only == false }
      .filter { !search.lacksMAN || $0.first?.constants.answersWithoutMAN == true }
    guard !found.isEmpty else { return .ignored }
    guard limiter.admit(searcher.address, cost: limits.searchCost, now: now) else { return .flooded }
    // Control points repeat searches because datagrams get lost; pending responses aren't queued twice.
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
      : answers.map { Self.delay(mx: search.mx, atMost: $0.constants.answersWithin, using: &random) }.sorted()
    let scheduled = zip(delays, answers).map { (due: now + .nanoseconds($0), advertisement: $1) }
    series.append(
      Series(
        searcher: searcher, target: search.target, udn: udn, location: location, isMultiple: isMultiple,
        answers: scheduled.reversed()))
    return .answering
  }

  /// Returns a delay in nanoseconds, up to a little less than MX, to leave time for the way back.
  private static func delay(
    mx: Int, atMost longest: Duration?, using random: inout some RandomNumberGenerator
  ) -> Int64 {
    let within = TimeAmount.milliseconds(Int64(mx) * 1000 - 100)
    return .random(in: 0...min(within, longest.map(TimeAmount.init) ?? within).nanoseconds, using: &random)
  }

  /// Returns the responses that are due.
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

  /// Drops all pending responses.
  mutating func cancelAll() { series = [] }

  /// Drops pending responses that can no longer be sent, or would no longer be correct.
  mutating func cancel(unless isServed: (_ location: IPAddress, _ interfaceIndex: Int) -> Bool) {
    series.removeAll { !isServed($0.location, $0.searcher.interfaceIndex) }
  }

  /// Returns the interface and our address that reach the searcher; nil when it is on none of our networks.
  private static func place(
    of searcher: Searcher, interfaces: [NetworkInterface]
  ) -> (interface: Int, location: IPAddress)? {
    if let interface = interfaces.first(where: { $0.index == searcher.interfaceIndex }),
      let own = interface.address(reaching: searcher.address)
    {
      return (interface.index, own)
    }
    // A datagram from this host itself arrives on the loopback interface, with the address of another interface. With a
    // link-local address it arrives on that interface, so on any other one the same address is another host's.
    guard !searcher.address.needsScope else { return nil }
    let own = interfaces.first { $0.addresses.contains { $0.address == searcher.address } }
    return own.map { ($0.index, searcher.address) }
  }
}
