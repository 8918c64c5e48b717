import NIOCore
import Network
import UPnP

/// One device of the ``DeviceTable``.
struct DeviceEntry: Sendable {
  /// A description, and where it is from.
  struct Description: Sendable, Hashable {
    var root: RootDescription
    var device: DeviceDescription
  }

  /// What readers see of a device, to tell quickly whether it has changed.
  struct Look: Sendable, Hashable {
    var descriptions: Int
    var current: DeviceLocation?
    var locations: [DeviceLocation]
    var bootID: Int?
    var configID: Int?
    var server: String
    var hasRestarted: Bool
  }

  /// What a description is asked for.
  enum Purpose: Sendable {
    /// To read it.
    case describe
    /// To see whether the device is still there; otherwise the location is given up.
    case confirm
  }

  struct Work: Sendable {
    var location: DeviceLocation
    var purpose: Purpose
    /// ``DeviceEntry/revision`` when it began.
    var revision = 0
    var began = NIODeadline.uptimeNanoseconds(0)
  }

  /// The shortest time between two looks whether a device is still where it was, since somebody else says it moved.
  static let challengePause = TimeAmount.seconds(60)

  let udn: String
  var server = ""
  var lastSeen: NIODeadline
  var locations: [KnownLocation] = []
  /// The location whose description holds; it stays the same for as long as the device answers there.
  var current: DeviceLocation?
  private(set) var description: Description?
  /// How many different ones there were.
  private var descriptions = 0
  /// The description is to be read, for the first time or again.
  var isStale = true
  /// Raised by whatever makes a description stale, so that one that is on its way doesn't count.
  var revision = 0
  var hasRestarted = false
  var bootID: Int?
  var configID: Int?
  /// When to see whether the device is still at its location.
  var challengeAt: NIODeadline?
  var lastCheck: NIODeadline?
  /// The fetch that is running.
  var token: Int?
  /// What readers know.
  var shown: FoundDevice?
  var shownLook: Look?
  var saidGoodbye = false

  init(udn: String, now: NIODeadline) {
    self.udn = udn
    lastSeen = now
  }

  var look: Look {
    Look(
      descriptions: descriptions, current: current, locations: otherLinks, bootID: bootID,
      configID: configID, server: server, hasRestarted: hasRestarted)
  }

  /// The locations on other links than the current one.
  ///
  /// What else is heard on its own link may be another device with this UDN, and so may one with another BOOTID.
  var otherLinks: [DeviceLocation] {
    locations.filter { $0.location.link != current?.link && !differ(bootID, $0.bootID) }.map(\.location)
  }

  mutating func describe(_ root: RootDescription, _ device: DeviceDescription) {
    let new = Description(root: root, device: device)
    if new != description { descriptions += 1 }
    description = new
  }

  /// Where it is, or was heard first.
  var address: IPAddress? { (current ?? locations.first?.location)?.address.address }

  func index(of location: DeviceLocation?) -> Int? {
    location.flatMap { location in locations.firstIndex { $0.location == location } }
  }

  /// Notes an announcement or a response.
  mutating func hear(
    _ notice: SSDPNotice, at location: DeviceLocation, limits: DeviceTable.Limits, now: NIODeadline
  ) {
    lastSeen = now
    saidGoodbye = false
    if !notice.server.isEmpty { server = notice.server }
    if let index = index(of: location) {
      let before = locations[index]
      locations[index].hear(notice, now: now)
      let after = locations[index]
      if location == current {
        if differ(bootID, after.bootID) { restart() } else if differ(configID, after.configID) { outdate() }
        bootID = after.bootID
        configID = after.configID
      } else if differ(before.bootID, after.bootID), differ(bootID, after.bootID) {
        challenge(now: now)
      }
      return
    }
    let new = KnownLocation(location, notice, ages: limits.ages, now: now)
    locations.append(new)
    if locations.count > limits.locations {
      let others = locations.indices.dropLast().filter { locations[$0].location != current }
      if let oldest = others.min(by: { locations[$0].heard < locations[$1].heard }) {
        locations.remove(at: oldest)
      }
    }
    // Another way to the device, or it has moved, or another device has its UDN.
    if let current, current.link == location.link || differ(bootID, new.bootID) { challenge(now: now) }
  }

  /// Notes that the device continues with another BOOTID.
  mutating func hearUpdate(_ notice: SSDPNotice, nextBootID: Int) {
    guard let present = notice.bootID else { return }
    for index in locations.indices where locations[index].bootID == present {
      locations[index].willBoot(as: nextBootID)
    }
    if bootID == present { bootID = nextBootID }
  }

  /// Notes that the device leaves.
  ///
  /// A goodbye of an earlier run isn't meant; one without BOOTID is for the locations at the address that it came from. A
  /// later run than the known one says goodbye when it starts, and so does another device with this UDN; and anybody can
  /// send one without BOOTID. Then the known location is asked whether it is still there.
  mutating func hearGoodbye(_ notice: SSDPNotice, from sender: IPAddress, now: NIODeadline) {
    let knowsSender = locations.contains { $0.location.address.address == sender }
    var left: [KnownLocation] = []
    for (index, known) in locations.enumerated() {
      if let mine = known.bootID, let its = notice.bootID, its <= mine {
        if its == mine { left.append(known) }
      } else if !knowsSender || known.location.address.address == sender {
        if !knowsSender || differ(known.bootID, notice.bootID) {
          locations[index].mustAnswer(now: now)
          saidGoodbye = true
        } else {
          left.append(known)
        }
      }
    }
    guard !left.isEmpty else { return }
    locations.removeAll { known in left.contains { $0.location == known.location } }
    saidGoodbye = true
    for index in locations.indices { locations[index].doubt(now: now) }
  }

  mutating func challenge(now: NIODeadline) {
    let next = max(now, lastCheck.map { $0 + Self.challengePause } ?? now)
    challengeAt = min(challengeAt ?? next, next)
  }

  private mutating func restart() {
    hasRestarted = true
    outdate()
  }

  mutating func outdate() {
    isStale = true
    revision += 1
  }

  private func differ(_ a: Int?, _ b: Int?) -> Bool {
    guard let a, let b else { return false }
    return a != b
  }

  /// Gives up what has expired, and chooses the location to use.
  ///
  /// - Parameter reachable: the indices of the interfaces that are there.
  mutating func settle(reachable: Set<Int>, now: NIODeadline) {
    locations.removeAll {
      $0.expires <= now && ($0.location != current || !reachable.contains($0.location.interface))
    }
    if let index = index(of: current), reachable.contains(locations[index].location.interface) { return }
    let best = locations.filter { reachable.contains($0.location.interface) }.min(by: Self.isBetter)
    guard let best = best ?? (index(of: current) == nil ? locations.first : nil) else {
      if locations.isEmpty { current = nil }
      return
    }
    let hadOne = current != nil
    current = best.location
    challengeAt = nil
    lastCheck = nil
    if hadOne, differ(bootID, best.bootID) { hasRestarted = true }
    bootID = best.bootID ?? bootID
    configID = best.configID ?? configID
    outdate()
  }

  /// Fewer failures first, then addresses that need no scope, then the one that was heard first.
  private static func isBetter(_ a: KnownLocation, than b: KnownLocation) -> Bool {
    func rank(_ known: KnownLocation) -> (Int, Int) {
      (known.failures, known.location.address.address.needsScope ? 1 : 0)
    }
    return rank(a) < rank(b)
  }

  /// True if nothing is to be done before something is heard, or a location expires.
  func isAtRest(now: NIODeadline) -> Bool {
    token == nil && !isStale && challengeAt == nil && locations.allSatisfy { $0.expires > now }
  }

  /// What is to be asked now; nil for nothing.
  func work(reachable: Set<Int>, now: NIODeadline) -> Work? {
    guard token == nil, let index = index(of: current),
      reachable.contains(locations[index].location.interface)
    else { return nil }
    let known = locations[index]
    if known.expires <= now || challengeAt.map({ $0 <= now }) ?? false {
      return Work(location: known.location, purpose: .confirm)
    }
    guard isStale else { return nil }
    let candidates = [known] + locations.filter { $0.location != current }.sorted(by: Self.isBetter)
    return candidates.first {
      $0.mayBeAsked(now: now) && reachable.contains($0.location.interface)
    }.map { Work(location: $0.location, purpose: .describe) }
  }

  /// When something is to be done, unless something is heard before.
  ///
  /// - Parameter mayAsk: whether ``work(reachable:now:)`` would be done.
  func nextDeadline(reachable: Set<Int>, mayAsk: Bool) -> NIODeadline? {
    let isReached = index(of: current).map { reachable.contains(locations[$0].location.interface) } ?? false
    let asks = mayAsk && token == nil && isReached
    var deadlines = locations.filter { $0.location != current || asks || !isReached }.map(\.expires)
    guard asks else { return deadlines.min() }
    if let challengeAt { deadlines.append(challengeAt) }
    if isStale {
      let usable = locations.filter { reachable.contains($0.location.interface) }
      deadlines += usable.map { $0.retryAt ?? $0.heard }
    }
    return deadlines.min()
  }
}
