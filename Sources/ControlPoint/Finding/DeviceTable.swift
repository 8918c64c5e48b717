import NIOCore
import Network
import UPnP

/// The devices that were heard of: takes announcements, responses and descriptions, and says which description to get and
/// what has changed.
///
/// A value without sockets and clocks. Whatever calls it passes the time, and then does what ``due(now:)`` returns.
struct DeviceTable: Sendable {
  struct Limits: Sendable, Hashable {
    var devices = 64
    var locations = 8
    /// Descriptions that are asked for at the same time.
    var fetches = 8
    /// Those that are asked for at one address: a host that doesn't answer must not hold up the others.
    var fetchesPerHost = 2
    /// How long an announcement is valid at least and at most, in seconds.
    var ages = 60...1800
  }

  enum Action: Sendable, Hashable {
    /// Get the description, and pass it to ``DeviceTable/finish(_:_:now:)``.
    case fetch(Int, DeviceLocation)
    /// Its outcome is of no interest any more.
    case cancel(Int)
    case change(DeviceChange)
  }

  /// A device that was silent for so long has missed a search. It may go when there is no room for another.
  static let silence = SearchPlan.interval + .seconds(10)

  let limits: Limits
  private(set) var wanted: Set<DeviceKind> = []
  private var interfaces: [Int: NetworkInterface] = [:]
  /// By UDN in lower case.
  private(set) var entries: [String: DeviceEntry] = [:]
  /// What is asked for, by token, and of which device.
  private var running: [Int: (key: String, work: DeviceEntry.Work)] = [:]
  private var lastToken = 0
  private var actions: [Action] = []
  /// The devices that ``due(now:)`` has to look at: those that changed, and those that aren't at rest.
  private var attention: Set<String> = []
  /// No location of the others expires before.
  private var nextExpiry = NIODeadline.distantFuture

  init(limits: Limits = Limits()) { self.limits = limits }

  /// The devices that readers know of, in the order of their UDNs.
  var devices: [FoundDevice] {
    entries.values.compactMap { entry in entry.shown.map { $0.seen(at: entry.lastSeen) } }
      .sorted { $0.udn < $1.udn }
  }

  var runningCount: Int { running.count }

  private var reachable: Set<Int> { Set(interfaces.keys) }

  /// How many descriptions are asked for at each address.
  private var asked: [IPAddress: Int] {
    running.values.reduce(into: [:]) { $0[$1.work.location.address.address, default: 0] += 1 }
  }

  // MARK: What is heard

  /// Looks for these kinds from now on; devices that are none of them are forgotten.
  mutating func want(_ kinds: Set<DeviceKind>) {
    guard kinds != wanted else { return }
    let fewer = !kinds.isSuperset(of: wanted)
    wanted = kinds
    guard fewer else { return }
    for (key, entry) in entries where !isWanted(entry) { forget(key) }
  }

  private func isWanted(_ entry: DeviceEntry) -> Bool {
    guard let shown = entry.shown else { return true }
    return wanted.contains { $0.matches(shown) }
  }

  /// Uses exactly these interfaces. What was heard by others is doubted.
  mutating func setInterfaces(_ interfaces: [NetworkInterface], now: NIODeadline) {
    let new = Dictionary(interfaces.map { ($0.index, $0) }) { first, _ in first }
    for key in entries.keys {
      for index in entries[key]?.locations.indices ?? 0..<0 {
        guard let location = entries[key]?.locations[index].location,
          new[location.interface]?.address(reaching: location.address.address) == nil
        else { continue }
        entries[key]?.locations[index].doubt(now: now)
      }
    }
    self.interfaces = new
    attention = Set(entries.keys)
  }

  /// Takes an announcement or a response.
  ///
  /// - Returns: true when ``due(now:)`` may have something to do.
  @discardableResult
  mutating func receive(
    _ notice: SSDPNotice, from sender: IPAddress, interface index: Int, now: NIODeadline
  ) -> Bool {
    guard let interface = interfaces[index] else { return false }
    let key = notice.udn.lowercased()
    defer { if entries[key] != nil { attention.insert(key) } }
    switch notice.kind {
    case .byebye:
      entries[key]?.hearGoodbye(notice, from: sender, now: now)
    case .update(let nextBootID):
      if let nextBootID { entries[key]?.hearUpdate(notice, nextBootID: nextBootID) }
      return false
    case .alive, .response:
      let isKnown = entries[key] != nil
      guard isKnown || wanted.contains(where: { $0.matches(notice) }),
        let text = notice.location,
        let location = DeviceLocation(text, sender: sender, interface: interface),
        isKnown || makeRoom(at: location.address.address, now: now)
      else { return false }
      var entry = entries[key] ?? DeviceEntry(udn: notice.udn, now: now)
      entry.hear(notice, at: location, limits: limits, now: now)
      entries[key] = entry
    }
    return entries[key] != nil
  }

  /// Forgets everything, without a word.
  mutating func clear() {
    for key in entries.keys { forget(key) }
    actions = []
    wanted = []
  }

  /// Makes room for a device at `address`: one that can't be described goes, or one that is silent, or one of the address
  /// that has the most, if it has more than this one will have. So no address takes the places of others.
  private mutating func makeRoom(at address: IPAddress, now: NIODeadline) -> Bool {
    guard entries.count >= limits.devices else { return true }
    let dispensable = entries.filter { _, entry in
      entry.lastSeen + Self.silence <= now
        || entry.shown == nil && entry.locations.allSatisfy { $0.failures > 0 }
    }
    guard let key = Self.firstToGo(dispensable.isEmpty ? surplus(besides: address) : dispensable),
      let entry = entries[key]
    else { return false }
    if let shown = entry.shown { actions.append(.change(.expired(shown.seen(at: entry.lastSeen)))) }
    forget(key)
    return true
  }

  /// The devices of the address that has the most; none if it has no more than `address` will have with another one.
  private func surplus(besides address: IPAddress) -> [String: DeviceEntry] {
    let byAddress = Dictionary(grouping: entries) { $0.value.address }
    let own = byAddress[address]?.count ?? 0
    let most = byAddress.values.max { ($0.count, $1[0].key) < ($1.count, $0[0].key) }
    guard let most, most.count > own + 1 else { return [:] }
    return Dictionary(uniqueKeysWithValues: most)
  }

  /// Those that nobody knows first, then the longest unseen.
  private static func firstToGo(_ entries: [String: DeviceEntry]) -> String? {
    func rank(_ item: (key: String, value: DeviceEntry)) -> (Int, NIODeadline, String) {
      (item.value.shown == nil ? 0 : 1, item.value.lastSeen, item.key)
    }
    return entries.min { rank($0) < rank($1) }?.key
  }

  private mutating func forget(_ key: String) {
    attention.remove(key)
    guard let entry = entries.removeValue(forKey: key), let token = entry.token else { return }
    running[token] = nil
    actions.append(.cancel(token))
  }

  // MARK: Descriptions

  /// Takes the outcome of a fetch: the description, or nil when there was none.
  mutating func finish(_ token: Int, _ root: RootDescription?, now: NIODeadline) {
    guard let (key, work) = running.removeValue(forKey: token), var entry = entries[key] else { return }
    attention.insert(key)
    entry.token = nil
    if work.purpose == .confirm { entry.lastCheck = now }
    if work.location == entry.current { entry.challengeAt = nil }
    if let root, let device = root.device(udn: entry.udn), let index = entry.index(of: work.location) {
      entry.locations[index].answered(now: now)
      entry.lastSeen = now
      entry.saidGoodbye = false
      entry.describe(root, device)
      entry.current = work.location
      entry.isStale = entry.revision != work.revision
      entry.bootID = entry.locations[index].bootID ?? entry.bootID
      entry.configID = entry.locations[index].configID ?? entry.configID
    } else if let index = entry.index(of: work.location) {
      switch work.purpose {
      case .describe: entry.locations[index].failed(now: now)
      case .confirm where entry.locations[index].heard <= work.began: entry.locations.remove(at: index)
      // It spoke meanwhile, so it is there, but busy.
      case .confirm: break
      }
    }
    entries[key] = entry
  }

  // MARK: What is to be done

  /// When to call ``due(now:)`` next, unless something is heard before; nil for never.
  var nextDeadline: NIODeadline? {
    let reachable = reachable
    let asked = asked
    return entries.values.compactMap { entry in
      // Otherwise the end of a fetch is waited for.
      let mayAsk =
        running.count < limits.fetches
        && entry.locations.allSatisfy { asked[$0.location.address.address] ?? 0 < limits.fetchesPerHost }
      return entry.nextDeadline(reachable: reachable, mayAsk: mayAsk)
    }.min()
  }

  /// Returns what is to be done now.
  mutating func due(now: NIODeadline) -> [Action] {
    let reachable = reachable
    if nextExpiry <= now {
      attention = Set(entries.keys)
      nextExpiry = .distantFuture
    }
    for key in attention.sorted() { settle(key, reachable: reachable, now: now) }
    while running.count < limits.fetches, let (key, work) = nextWork(reachable: reachable, now: now) {
      begin(work, of: key, now: now)
    }
    defer { actions = [] }
    return actions
  }

  private mutating func settle(_ key: String, reachable: Set<Int>, now: NIODeadline) {
    guard var entry = entries[key] else { return }
    entry.settle(reachable: reachable, now: now)
    guard !entry.locations.isEmpty else {
      if let shown = entry.shown?.seen(at: entry.lastSeen) {
        actions.append(.change(entry.saidGoodbye ? .left(shown) : .expired(shown)))
      }
      return forget(key)
    }
    if let token = entry.token, let work = running[token]?.work, entry.index(of: work.location) == nil {
      entry.token = nil
      running[token] = nil
      actions.append(.cancel(token))
    }
    if !entry.isStale, entry.look != entry.shownLook, let found = entry.found(interfaces: interfaces) {
      let before = entry.shown?.seen(at: found.lastSeen)
      if before == nil {
        actions.append(.change(.appeared(found)))
      } else if entry.hasRestarted {
        actions.append(.change(.restarted(found)))
      } else if before != found {
        actions.append(.change(.updated(found)))
      }
      entry.shown = found
      entry.hasRestarted = false
      entry.shownLook = entry.look
    }
    entries[key] = entry
    guard entry.isAtRest(now: now) else { return }
    attention.remove(key)
    for known in entry.locations { nextExpiry = min(nextExpiry, known.expires) }
  }

  /// The next description to ask for: hosts that fail wait for all others, then those that are being asked, and new devices
  /// come first.
  private func nextWork(reachable: Set<Int>, now: NIODeadline) -> (String, DeviceEntry.Work)? {
    let asked = asked
    let works = attention.compactMap { key -> (key: String, work: DeviceEntry.Work, isNew: Bool)? in
      guard let entry = entries[key], let work = entry.work(reachable: reachable, now: now),
        asked[work.location.address.address] ?? 0 < limits.fetchesPerHost
      else { return nil }
      return (key, work, entry.shown == nil)
    }
    guard works.count > 1 else { return works.first.map { ($0.key, $0.work) } }
    var failing: [IPAddress: Int] = [:]
    for known in entries.values.flatMap(\.locations) where known.failures > 0 {
      failing[known.location.address.address, default: 0] += 1
    }
    func rank(_ item: (key: String, work: DeviceEntry.Work, isNew: Bool)) -> (Int, Int, Int, String) {
      let host = item.work.location.address.address
      return (failing[host] ?? 0, asked[host] ?? 0, item.isNew ? 0 : 1, item.key)
    }
    return works.min { rank($0) < rank($1) }.map { ($0.key, $0.work) }
  }

  private mutating func begin(_ work: DeviceEntry.Work, of key: String, now: NIODeadline) {
    lastToken += 1
    var work = work
    work.revision = entries[key]?.revision ?? 0
    work.began = now
    running[lastToken] = (key, work)
    entries[key]?.token = lastToken
    actions.append(.fetch(lastToken, work.location))
  }
}
