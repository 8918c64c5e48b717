import NIOCore

/// Decides when and where each announcement is sent (UPnP Device Architecture, "Discovery: Advertisement").
///
/// A value without its own clock, socket or random numbers: all of these come in as arguments.
struct Announcer: Sendable {
  /// The spacing between messages and the number of copies.
  ///
  /// Copies are needed because UDP loses datagrams; spacing, because small control points lose bursts.
  struct Timing: Sendable {
    /// Between the messages of an alive or update set.
    var spacing = TimeAmount.milliseconds(25)
    /// Delays before the second and the third copy of an alive set; each is drawn at random from its range.
    var pauses = [TimeAmount.milliseconds(300)..<TimeAmount.milliseconds(700), .seconds(1)..<(.seconds(2))]
    /// All messages of one copy of a byebye set leave within this time if there are few.
    var byebyeSpan = TimeAmount.milliseconds(60)
    var byebyeSpacing = TimeAmount.milliseconds(2)
    var byebyePause = TimeAmount.milliseconds(80)
  }

  /// One message to send.
  struct Output: Sendable, Hashable {
    var endpoint: SSDPEndpoint
    var message: SSDPMessage
  }

  private enum Phase { case idle, running, stopping }

  private(set) var bootID: BootID
  private(set) var advertisements: AdvertisementSet
  private let maxAge: Int
  private let timing: Timing
  private var phase = Phase.idle
  private var queues: [(endpoint: SSDPEndpoint, queue: AnnouncementQueue)] = []
  private var hasAnnounced = false

  /// Makes an announcer that is idle until ``start(now:using:)``.
  ///
  /// - Parameter maxAge: seconds that an announcement is valid.
  init(
    advertisements: AdvertisementSet, bootID: BootID, maxAge: Int, timing: Timing = Timing()
  ) {
    self.advertisements = advertisements
    self.bootID = bootID
    self.maxAge = maxAge
    self.timing = timing
  }

  var isRunning: Bool { phase == .running }

  /// True when all messages have been sent after ``stop(now:)``.
  var isFinished: Bool { phase == .stopping && queues.allSatisfy(\.queue.isEmpty) }

  var endpoints: [SSDPEndpoint] { queues.map(\.endpoint) }

  /// When ``due(now:using:)`` next has something to send; nil for never.
  var nextDeadline: NIODeadline? { queues.compactMap(\.queue.nextDeadline).min() }

  mutating func start(now: NIODeadline, using random: inout some RandomNumberGenerator) {
    guard phase == .idle else { return }
    phase = .running
    for index in queues.indices { introduce(index, now: now, using: &random) }
  }

  /// Follows the network: new endpoints are introduced, and known ones announce the new BOOTID.
  ///
  /// - Parameter wallClock: seconds since 1970.
  mutating func setEndpoints(
    _ endpoints: [SSDPEndpoint], now: NIODeadline, wallClock: Int,
    using random: inout some RandomNumberGenerator
  ) {
    guard phase != .stopping else {
      queues.removeAll { !endpoints.contains($0.endpoint) }
      return
    }
    let known = queues.filter { endpoints.contains($0.endpoint) }
    let gone = queues.map(\.endpoint).filter { !endpoints.contains($0) }
    let added = endpoints.filter { endpoint in !known.contains { $0.endpoint == endpoint } }
    queues = known + added.map { ($0, AnnouncementQueue()) }
    guard phase == .running, !added.isEmpty else { return }
    if hasAnnounced {
      let old = bootID.value
      bootID.raise(now: wallClock)
      for index in known.indices {
        let update = AnnouncementSeries(
          kind: .update(nextBootID: bootID.value), entries: allEntries, bootID: old, spacing: timing.spacing)
        announce(index, after: [update], now: now, using: &random)
      }
    }
    for index in queues.indices.dropFirst(known.count) {
      let endpoint = queues[index].endpoint
      // Control points on a link that already has another endpoint would take a byebye for the end of a device that
      // they use. It is only needed there after the address has changed.
      let isHeardThere = known.contains { $0.endpoint.interfaceIndex == endpoint.interfaceIndex }
      let isReplacement = gone.contains {
        $0.interfaceIndex == endpoint.interfaceIndex && $0.group == endpoint.group
      }
      if isHeardThere && !isReplacement {
        announce(index, now: now, using: &random)
      } else {
        introduce(index, now: now, using: &random)
      }
    }
  }

  /// Withdraws the devices that aren't in `advertisements`, and announces all of these. Devices that stay aren't withdrawn.
  ///
  /// - Parameter wallClock: seconds since 1970.
  mutating func setAdvertisements(
    _ advertisements: AdvertisementSet, now: NIODeadline, wallClock: Int,
    using random: inout some RandomNumberGenerator
  ) {
    guard advertisements != self.advertisements, phase != .stopping else { return }
    let known = Set(advertisements.devices)
    let (old, oldBootID) = (self.advertisements.devices, bootID.value)
    let farewell = byebye(old.filter { !known.contains($0) }.flatMap(\.self))
    self.advertisements = advertisements
    guard phase == .running else { return }
    if hasAnnounced { bootID.raise(now: wallClock) }
    let news = AnnouncementSeries(
      kind: .update(nextBootID: bootID.value), entries: old.filter(known.contains).flatMap(\.self),
      bootID: oldBootID, spacing: timing.spacing)
    let before = bootID.value == oldBootID ? [farewell] : [farewell, news]
    for index in queues.indices { announce(index, after: before, now: now, using: &random) }
  }

  /// Sends byebyes at all endpoints, and nothing after that.
  mutating func stop(now: NIODeadline) {
    guard phase != .stopping else { return }
    let wasRunning = phase == .running
    phase = .stopping
    var second = byebye()
    second.pause = timing.byebyePause
    for index in queues.indices {
      queues[index].queue.setRefreshes([])
      queues[index].queue.replace(with: wasRunning ? [byebye(), second] : [], now: now)
    }
  }

  /// Returns the messages that are due.
  mutating func due(now: NIODeadline, using random: inout some RandomNumberGenerator) -> [Output] {
    var outputs: [Output] = []
    for index in queues.indices {
      let endpoint = queues[index].endpoint
      var queue = queues[index].queue
      queue.refresh(now: now) { device in
        let once = alive(advertisements.devices[device])
        var again = once
        again.pause = draw(timing.pauses.first, using: &random)
        return ([once, again], nextRefresh(now: now, using: &random))
      }
      while let (series, entry) = queue.next(now: now) {
        if entry.constants.isIPv4Only, endpoint.address.isIPv6 { continue }
        outputs.append(
          Output(
            endpoint: endpoint,
            message: SSDPMessage(
              kind: series.kind, advertisement: entry, location: endpoint.address, group: endpoint.group,
              bootID: series.bootID)))
      }
      queues[index].queue = queue
    }
    hasAnnounced = hasAnnounced || !outputs.isEmpty
    // A control point may hear several endpoints. Byebyes go first, so that none follows an alive and undoes it.
    let isByebye = { (output: Output) in output.message.kind == .byebye }
    return outputs.filter(isByebye) + outputs.filter { !isByebye($0) }
  }

  private var allEntries: [Advertisement] { advertisements.devices.flatMap(\.self) }

  /// Announces at a new endpoint, after a byebye that clears what control points remember from before a crash.
  private mutating func introduce(
    _ index: Int, now: NIODeadline, using random: inout some RandomNumberGenerator
  ) {
    var farewell = byebye()
    // No spacing, so that the first alive isn't delayed: a lost byebye does no harm here.
    farewell.spacing = .zero
    announce(index, after: [farewell], now: now, using: &random)
  }

  private mutating func announce(
    _ index: Int, after before: [AnnouncementSeries] = [], now: NIODeadline,
    using random: inout some RandomNumberGenerator
  ) {
    var copies = [alive(allEntries)]
    for range in timing.pauses {
      var copy = alive(allEntries)
      copy.pause = draw(range, using: &random)
      copies.append(copy)
    }
    queues[index].queue.replace(with: before + copies, now: now)
    // One time per device, so that they aren't all announced again at once.
    let refreshes = advertisements.devices.map { _ in nextRefresh(now: now, using: &random) }
    queues[index].queue.setRefreshes(refreshes)
  }

  private func alive(_ entries: [Advertisement]) -> AnnouncementSeries {
    AnnouncementSeries(
      kind: .alive, entries: entries, bootID: bootID.value, spacing: timing.spacing)
  }

  private func byebye() -> AnnouncementSeries { byebye(allEntries) }

  private func byebye(_ entries: [Advertisement]) -> AnnouncementSeries {
    let spacing = min(
      timing.byebyeSpacing, .nanoseconds(timing.byebyeSpan.nanoseconds / Int64(max(entries.count, 1))))
    return AnnouncementSeries(
      kind: .byebye, entries: entries, bootID: bootID.value, spacing: spacing)
  }

  /// A random time between a quarter and half of the announcements' validity.
  private func nextRefresh(now: NIODeadline, using random: inout some RandomNumberGenerator) -> NIODeadline {
    let maxAge = TimeAmount.seconds(Int64(maxAge)).nanoseconds
    return now + .nanoseconds(.random(in: maxAge / 4...maxAge / 2, using: &random))
  }

  private func draw(_ range: Range<TimeAmount>?, using random: inout some RandomNumberGenerator) -> TimeAmount
  {
    guard let range, !range.isEmpty else { return timing.spacing }
    return .nanoseconds(
      .random(in: range.lowerBound.nanoseconds..<range.upperBound.nanoseconds, using: &random))
  }
}
