import HTTP
import Logging
import NIOCore
import Network
import Player
import PlayerStore
import Services
import UPnP
import Zones

/// The zone for controllers of the Sonos class, the other ones of its household, and whether it shows itself.
actor ZoneParts {
  nonisolated let eventLoop: any EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }

  nonisolated let home: ZoneHome
  /// The other zones of this program.
  nonisolated let peers: ZonePeers
  private let logger: Logger
  private let besideOthers: Bool
  /// For how many seconds after the start the zone doesn't show itself.
  private let rest: Int
  private let show: @Sendable (Bool) -> Void
  private let reachChanged: @Sendable (ZoneReach) -> Void
  private var reach = ZoneReach()
  private var watch: HouseholdWatch
  private var listener: HouseholdListener?
  private var timer: (at: NIODeadline, task: Scheduled<Void>)?

  /// Makes the parts; nil where the zone is switched off.
  ///
  /// - Parameters:
  ///   - address: the IPv4 address where this host is reached.
  ///   - present: called when the zone is to be shown or to be withdrawn, and when its description has changed.
  ///   - changed: called when what subscribers are told has changed.
  ///   - reachChanged: called on the event loop when controllers find the zone, or don't any more.
  init?(
    _ settings: Settings, _ start: Daemon.Start, player: PlayerCore, eventLoop: any EventLoop, logger: Logger,
    address: @escaping @Sendable () -> String?, present: @escaping @Sendable (_ shows: Bool?) -> Void,
    changed: @escaping @Sendable () -> Void, reachChanged: @escaping @Sendable (ZoneReach) -> Void
  ) {
    guard settings.sonos.enabled else { return nil }
    let store = start.store
    home = ZoneHome(
      identity: start.identity.zone(settings, bootSequence: Int(start.bootID)), player: player,
      room: settings.openHomeConfiguration.room, notes: start.host.zone,
      surroundings: ZoneHome.Surroundings(
        address: address, clock: { HostClock.local },
        keep: { notes in store?.changeHost { $0.zone = notes } },
        changed: { isRenamed in
          // Not now: the action that has changed it is still being answered.
          eventLoop.execute {
            if isRenamed { present(nil) }
            changed()
          }
        }))
    self.eventLoop = eventLoop
    self.logger = logger
    besideOthers = settings.sonos.besideOthers
    show = { present($0) }
    self.reachChanged = reachChanged
    rest = home.goodbye?.rest(Self.goodbye) ?? 0
    watch = HouseholdWatch(
      uid: home.identity.uid, household: home.household, hides: !settings.sonos.besideOthers,
      rest: .seconds(Int64(rest)), now: .now())
    peers = ZonePeers(
      eventLoop: eventLoop, manufacturer: Devices.manufacturer,
      userAgent: HostConfiguration.serverToken(product: "Vireo", version: Version.number), logger: logger)
    peers.setHandlers(
      ZonePeers.Handlers(
        told: { [weak self] facts in self?.assumeIsolated { $0.told(facts) } },
        doubted: { [weak self] uid in
          self?.assumeIsolated { $0.step { $0.doubted(uid, now: $1) } }
        }))
  }

  /// Whether the zone shows itself as soon as there is a network.
  nonisolated var showsAtOnce: Bool { besideOthers && rest == 0 }

  /// Looks for other zones on these interfaces.
  func networkChanged(_ interfaces: [NetworkInterface]) {
    let listener =
      listener
      ?? HouseholdListener(eventLoop: eventLoop) { notice in
        self.assumeIsolated { parts in
          guard parts.listener != nil else { return }
          parts.step { $0.heard(notice, now: $1) }
        }
      }
    self.listener = listener
    guard listener.set(interfaces) else { return }
    peers.assumeIsolated { $0.networkChanged(interfaces) }
    step { $0.networkChanged(now: $1) }
  }

  /// A goodbye that is said now.
  private static var goodbye: ZoneGoodbye {
    ZoneGoodbye(boot: HostClock.boot, seconds: Int(HostClock.upTime.sinceBoot.components.seconds))
  }

  /// Its port can't be opened at an address, or could be after all.
  func portChanged(_ change: ListeningChange) {
    let place = "TCP port \(change.port) of \(change.address)"
    reach.failures["\(change.address)"] = change.failure
    tellReach()
    guard let failure = change.failure else {
      return logger.notice("the zone for Sonos controllers is served on \(place) now")
    }
    logger.warning(
      "the zone for Sonos controllers isn't served on \(place): \(failure); end the program that has it, or set [sonos] enabled = false. It is tried again every minute"
    )
  }

  private func tellReach() {
    let household = home.household
    reach.others = home.neighbours.count { $0.household == household }
    reachChanged(reach)
  }

  func stop() async {
    if watch.phase == .shown { home.noteGoodbye(Self.goodbye) }
    timer?.task.cancel()
    timer = nil
    listener?.close()
    listener = nil
    await peers.stop()
  }

  /// Takes a step of the machine, then what is due, and waits for what comes next.
  private func step(_ change: (inout HouseholdWatch, NIODeadline) -> [HouseholdWatch.Action]) {
    watch.household = home.household
    carryOut(change(&watch, .now()))
    while listener != nil, let wake = watch.wake, wake <= .now() { carryOut(watch.woken(now: .now())) }
    arm()
  }

  /// Waits for what comes next. A timer that fires too early stays: anybody may send any number of announcements, and most of
  /// them put the end off.
  private func arm() {
    let wake = listener == nil ? nil : watch.wake
    if let wake, let timer, timer.at <= wake { return }
    timer?.task.cancel()
    timer = wake.map { wake in
      let task = eventLoop.scheduleTask(deadline: max(wake, .now() + .milliseconds(1))) {
        [weak self] () -> Void in
        self?.assumeIsolated { parts in
          parts.timer = nil
          parts.step { $0.woken(now: $1) }
        }
      }
      return (wake, task)
    }
  }

  private func carryOut(_ actions: [HouseholdWatch.Action]) {
    guard listener != nil else { return }
    for action in actions { carryOut(action) }
  }

  private func carryOut(_ action: HouseholdWatch.Action) {
    switch action {
    case .search: listener?.ask()
    case .show:
      if home.isFresh { home.choose(among: Array(watch.peerHouseholds), now: Self.seconds) }
      watch.household = home.household
      present(.shown)
      logger.notice("the zone for Sonos controllers shows itself, in the household \(home.household)")
      show(true)
    case .hide(let household):
      present(.hides(household: household))
      logger.notice(
        "the zone for Sonos controllers hides, so that it doesn't hide zones of another maker: they are the household \(household). [sonos] beside-others = true shows it anyway"
      )
      show(false)
    case .ask(let uid, let location):
      Task {
        let answer = await peers.ask(uid, at: location)
        step { $0.answered(uid, answer, now: $1) }
        await peers.dismiss(uid)
      }
    case .follow(let uid): peers.assumeIsolated { $0.follow(uid) }
    case .restarted(let uid): peers.assumeIsolated { $0.restarted(uid) }
    case .forget(let uid, let isSilent):
      let zone = home.neighbours.first { $0.uid == uid }
      peers.assumeIsolated { $0.forget(uid) }
      home.forget(uid)
      tellReach()
      guard !isSilent else { return report(uid, zone) }
      if let zone { logger.info("\(zone.shown) has gone") }
    }
  }

  private func present(_ presence: ZoneReach.Presence) {
    reach.presence = presence
    tellReach()
  }

  /// Tells the others that one of them has gone without a word.
  private func report(_ uid: String, _ zone: ZoneFacts?) {
    // Without a network nobody answers.
    if let zone, listener?.isConnected ?? false { logger.info("\(zone.shown) doesn't answer any more") }
    let calls = home.neighbours.map { (uid: $0.uid, call: ZoneCall.unresponsive(uid)) }
    guard !calls.isEmpty else { return }
    Task { _ = await peers.callEach(calls) }
  }

  private func told(_ facts: ZoneFacts) {
    guard listener != nil else { return }
    let before = home.household
    let isNew = !home.neighbours.contains { $0.uid == facts.uid }
    home.take(facts, now: Self.seconds)
    if isNew {
      logger.info("\(facts.shown) is there")
      tellReach()
    }
    if home.household != before {
      logger.notice("the zone for Sonos controllers belongs to the household \(home.household) now")
    }
    step { _, _ in [] }
  }

  /// What this room hears, or who hears it, has changed: somebody may have gone.
  func playerChanged(_ old: PlayerState, _ new: PlayerState) {
    home.playerChanged(old, new)
    for uid in home.missed(old, new) { peers.check(uid) }
  }

  /// A clock that only goes forward.
  private static var seconds: Int { Int(NIODeadline.now().uptimeNanoseconds / 1_000_000_000) }
}

extension ZoneFacts {
  /// For a line of the log.
  fileprivate var shown: String { "the zone “\(shownName)” (\(shownAddress))" }
}

extension DeviceIdentity {
  /// Who this host is to controllers of the Sonos class.
  func zone(_ settings: Settings, bootSequence: Int) -> ZoneIdentity {
    ZoneIdentity(hash: zoneHash, household: settings.sonos.household, bootSequence: bootSequence)
  }
}
