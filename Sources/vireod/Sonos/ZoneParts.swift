import HTTP
import Logging
import NIOCore
import Network
import Player
import PlayerStore
import Services
import UPnP

/// The zone for controllers of the Sonos class, and whether it shows itself.
actor ZoneParts {
  nonisolated let eventLoop: any EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }

  nonisolated let home: ZoneHome
  private let logger: Logger
  private let besideOthers: Bool
  private let show: @Sendable (Bool) -> Void
  private var watch: HouseholdWatch
  private var listener: HouseholdListener?
  private var timer: Scheduled<Void>?

  /// Makes the parts; nil where the zone is switched off.
  ///
  /// - Parameters:
  ///   - address: the IPv4 address where this host is reached.
  ///   - present: called when the zone is to be shown or to be withdrawn, and when its description has changed.
  ///   - changed: called when what subscribers are told has changed.
  init?(
    _ settings: Settings, _ start: Daemon.Start, player: PlayerCore, eventLoop: any EventLoop, logger: Logger,
    address: @escaping @Sendable () -> String?, present: @escaping @Sendable (_ shows: Bool?) -> Void,
    changed: @escaping @Sendable () -> Void
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
    watch = HouseholdWatch(own: home.identity.household, now: .now())
  }

  /// Whether the zone shows itself as soon as there is a network.
  nonisolated var showsAtOnce: Bool { besideOthers }

  /// Looks for other households on these interfaces.
  func networkChanged(_ interfaces: [NetworkInterface]) {
    guard !besideOthers else { return }
    let listener = listener ?? makeListener()
    self.listener = listener
    guard listener.set(interfaces) else { return }
    watch.networkChanged(now: .now())
    step()
  }

  func stop() {
    timer?.cancel()
    timer = nil
    listener?.close()
    listener = nil
  }

  private func makeListener() -> HouseholdListener {
    HouseholdListener(eventLoop: eventLoop) { household in
      self.assumeIsolated { parts in
        guard parts.listener != nil else { return }
        // Whatever else is heard needs no other timer: anybody may send any number of these.
        guard let action = parts.watch.heard(household, now: .now()) else { return }
        parts.carryOut(action)
        parts.step()
      }
    }
  }

  /// Does what is due, and waits for what comes next.
  private func step() {
    while let action = watch.woken(now: .now()) { carryOut(action) }
    timer?.cancel()
    timer = watch.wake.map { wake in
      eventLoop.scheduleTask(deadline: max(wake, .now() + .milliseconds(1))) {
        self.assumeIsolated { $0.step() }
      }
    }
  }

  private func carryOut(_ action: HouseholdWatch.Action?) {
    switch action {
    case .search: listener?.ask()
    case .show: show(true)
    case .hide(let household):
      logger.notice(
        "the zone for Sonos controllers hides: there are zones of the household \(household); see [sonos] household and beside-others"
      )
      show(false)
    case nil: break
    }
  }
}

extension DeviceIdentity {
  /// Who this host is to controllers of the Sonos class.
  func zone(_ settings: Settings, bootSequence: Int) -> ZoneIdentity {
    ZoneIdentity(hash: zoneHash, household: settings.sonos.household, bootSequence: bootSequence)
  }
}
