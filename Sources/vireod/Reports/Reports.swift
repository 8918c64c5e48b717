import Listening
import Logging
import NIOCore
import Player
import PlayerStore
import ReportsIO
import Synchronization
import Text
import Threads

/// Reports what was heard to the servers of `[reports]`.
///
/// Everything that decides is in `Listening`. This actor tells it what plays, reads clocks, has reports kept, and has calls
/// made on threads of their own, so that playing never waits. It exists only where reports are switched on.
actor Reports {
  nonisolated let eventLoop: any EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }

  let settings: Settings.Reports
  private let player: PlayerCore
  /// Nil where there is no directory for the state.
  private let store: PlayerStore?
  let keeper: any ReportKeeper
  let office: ReportOffice
  let logger: Logger
  let caller: ReportCaller
  private let stop = ReportCaller.Stop()
  let threads: [ReportSink: JobThread]

  private var watch: ListeningWatch
  var desk: ReportDesk
  var dating: ListenDating
  var random = SystemRandomNumberGenerator()
  private(set) var pause: ReportPause?
  /// What was last made of the player's metadata.
  private var shown: (key: ReportedTrack.Key, track: ReportedTrack)?
  /// Whether anything is kept of this run of the machine.
  private var hasRowsOfThisBoot = false
  /// Whether reports outlive this program.
  private let isKept: Bool
  private var timer: (at: Duration, task: Scheduled<Void>)?
  private var networks: Set<String> = []
  private var isOver = false
  /// How many calls are under way.
  nonisolated let underway = Atomic(0)

  /// Nil where reports are switched off, or go nowhere.
  init?(
    _ settings: Settings, player: PlayerCore, store: PlayerStore?, host: HostState, eventLoop: any EventLoop,
    logger: Logger
  ) {
    let sinks = settings.reports.sinks
    guard settings.reports.enabled, !sinks.isEmpty else { return nil }
    self.settings = settings.reports
    self.player = player
    self.store = store
    self.eventLoop = eventLoop
    self.logger = logger
    isKept = settings.reports.offline && store != nil
    keeper =
      if settings.reports.offline, let store { StateReportKeeper(store: store) } else { MemoryReportKeeper() }
    let sender = ReportSender(version: Version.number, site: settings.reports.site)
    office = ReportOffice(settings: settings.reports, sender: sender)
    caller = ReportCaller(
      userAgent: "Vireo/\(Version.number) ( \(Version.contact) )", timeout: settings.reports.timeout,
      stop: stop)
    threads = Dictionary(uniqueKeysWithValues: sinks.map { ($0, JobThread(name: "report-\($0.rawValue)")) })
    watch = ListeningWatch(settings.reports.rules)
    dating = ListenDating(boot: HostClock.boot, build: Version.built, known: host.reportsTime)
    desk = ReportDesk(sinks, boot: HostClock.boot)
    pause = host.reportsPause.flatMap { ReportPause($0) }
  }

  /// Begins to report; what plays already counts from now on.
  func begin() {
    _ = dating.take(HostClock.reading)
    let kept = keeper.kept()
    desk = ReportDesk(
      settings.sinks, kept: kept, boot: dating.boot,
      most: isKept ? ReportRing.mostRows : MemoryReportKeeper.most)
    hasRowsOfThisBoot = kept.contains { $0.place.boot == dating.boot }
    sayWhatWasDropped()
    keeper.onSaved { [weak self, eventLoop] seq in
      eventLoop.execute { [weak self] in self?.assumeIsolated { $0.saved(through: seq) } }
    }
    if let offset = dating.offset { clockIsSet(offset) }
    keep(desk.started(at: HostClock.upTime, dating, using: &random))
    player.assumeIsolated { player in
      _ = player.observe { [weak self] old, new in self?.assumeIsolated { $0.changed(old, new) } }
    }
    let state = player.assumeIsolated { $0.state }
    changed(state, state)
  }

  private func sayWhatWasDropped() {
    let dropped = desk.dropped
    if dropped.undated > 0 {
      logger.notice(
        "\(counted(dropped.undated, "report of what was heard is", "reports of what was heard are")) dropped: the machine never knew the time when that was"
      )
    }
    if dropped.unwanted > 0 {
      logger.notice(
        "\(counted(dropped.unwanted, "report is", "reports are")) dropped: the server is no longer configured"
      )
    }
  }

  // MARK: - What is heard

  private func changed(_ old: PlayerState, _ new: PlayerState) {
    guard !isOver else { return }
    let moment = moment(new)
    if let pause {
      readClock()
      guard pause.isOver(moment, HostClock.reading, dating) else { return }
      setPause(nil)
      // What began in the pause stays untold.
      watch.skip(self.moment(old))
    }
    take(watch.take(moment, at: HostClock.upTime))
  }

  private func moment(_ state: PlayerState) -> ListeningMoment {
    let key = ReportedTrack.Key(state)
    let track: ReportedTrack
    if let shown, shown.key == key {
      track = shown.track
    } else {
      track = ReportedTrack(state)
      shown = (key, track)
    }
    return ListeningMoment(state, track: track, at: player.assumeIsolated { $0.now })
  }

  private func take(_ events: [ListeningWatch.Event]) {
    if !events.isEmpty {
      readClock()
      keep(desk.take(events, at: HostClock.upTime, dating, using: &random))
    }
    callServers()
  }

  // MARK: - Clock and state

  func readClock() {
    desk.lookedAtClock(at: HostClock.upTime.awake)
    guard dating.take(HostClock.reading), let offset = dating.offset else { return }
    clockIsSet(offset)
  }

  /// Everything that was heard since the machine was started has a date, or another one.
  private func clockIsSet(_ offset: Int64) {
    desk.dated()
    if hasRowsOfThisBoot { keeper.change(ReportDesk.Change(), dated: (dating.boot, offset)) }
  }

  func keep(_ change: ReportDesk.Change) {
    guard !change.isEmpty else { return }
    if !change.inserted.isEmpty {
      hasRowsOfThisBoot = true
      // Goes along with what is written anyway.
      if dating.isSet { store?.changeHost { [known = dating.known] in $0.reportsTime = known } }
    }
    keeper.change(change, dated: nil)
  }

  private func saved(through seq: Int64) {
    desk.written(through: seq)
    callServers()
  }

  // MARK: - Time

  /// Sets the one timer to what is due next.
  func arm() {
    let due = isOver ? nil : [watch.due, desk.due].compactMap(\.self).min()
    guard due != timer?.at else { return }
    timer?.task.cancel()
    timer = due.map { due in
      let task = eventLoop.scheduleTask(deadline: Self.deadline(due)) { [weak self] in
        if let self { self.assumeIsolated { $0.elapsed() } }
      }
      return (due, task)
    }
  }

  private static func deadline(_ time: Duration) -> NIODeadline {
    let (seconds, attoseconds) = max(time, .zero).components
    return .uptimeNanoseconds(UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000))
  }

  private func elapsed() {
    timer = nil
    if desk.waitsForClock { readClock() }
    let state = player.assumeIsolated { $0.state }
    changed(state, state)
    callServers()
  }

  // MARK: - From outside

  /// The network has changed; `networks` names those that are served.
  func networkChanged(_ networks: Set<String>) {
    defer { self.networks = networks }
    guard !networks.isEmpty, networks != self.networks, !isOver else { return }
    desk.networkCame()
    callServers()
  }

  /// The configuration was read again: a token may be another one.
  func tryAgain() {
    desk.tryAgain()
    callServers()
  }

  /// Reports and keeps nothing until `pause` is over; nil: goes on, with what begins from now on.
  func setPause(_ pause: ReportPause?) {
    self.pause = pause
    watch.skip(moment(player.assumeIsolated { $0.state }))
    desk.forgetLive()
    store?.changeHost { $0.reportsPause = pause?.text }
    if pause == nil { tryAgain() } else { arm() }
  }

  /// The pause that still holds.
  var presentPause: ReportPause? {
    guard let pause else { return nil }
    readClock()
    let moment = moment(player.assumeIsolated { $0.state })
    return pause.isOver(moment, HostClock.reading, dating) ? nil : pause
  }

  /// The album that plays, or would play.
  var album: String? { moment(player.assumeIsolated { $0.state }).track.album }

  /// Ends what is under way: it is kept, and sent if that goes at once. See ``wait(_:)``.
  func end() {
    guard !isOver else { return }
    let events = pause == nil ? watch.end(at: HostClock.upTime) : []
    isOver = true
    arm()
    readClock()
    let change = desk.take(events, at: HostClock.upTime, dating, using: &random)
    keep(change)
    if let last = change.inserted.last { desk.written(through: last.seq) }
    callServers()
  }

  /// Ends calls that are still under way. What has arrived is deleted with the last write.
  func finish() {
    stop.set()
    keep(desk.takeDeletions(most: 1))
  }
}
