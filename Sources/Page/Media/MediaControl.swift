import ControlPoint
import HTTP
import Kept
import Logging
import NIOCore
import Network
import Player
import UPnP

/// The control point of the page: finds media servers and other renderers for whoever asks, and does with them what pages and
/// scripts want.
///
/// Runs on the daemon's event loop. Nothing of it exists but this object until somebody asks, and nothing five minutes after
/// the last one (``ControlLease``).
public actor MediaControl {
  /// What the daemon says of itself.
  public struct Settings: Sendable, Hashable {
    /// The names or patterns of the interfaces to look for devices by; empty for all.
    public var interfaces: [String] = []
    public var ipv6 = true
    /// The USER-AGENT of searches and requests.
    public var userAgent = ""
    /// This speaker's name.
    public var name = ""
    public var model = "Vireo"
    /// The UDNs of this speaker's devices, without `uuid:`; the first is the one that it is called by.
    public var udns: [String] = []
    public var speaksOpenHome = true

    public init() {}
  }

  /// How long a search takes until it is said that nothing was found.
  static let searchTime = TimeAmount.milliseconds(1500)

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private nonisolated let executor: any SerialExecutor
  nonisolated let eventLoop: any EventLoop
  let player: PlayerCore
  /// This speaker, as one of the renderers.
  let own: any PlayerHandlers
  let sections: PageSections
  let pictures: (any PictureAddresses)?
  /// Told the ports of the media servers and renderers on this host.
  private let foundHere: @Sendable (Set<Int>) -> Void
  /// What rooms say of how well they keep step.
  let reports: any RoomReportSource
  /// The code of the party here; nil if there is none.
  let party: @Sendable () -> String?
  let logger: Logger
  var settings = Settings()
  private var listening: HTTPServer.Listening?

  private var lease = ControlLease()
  private var timer: Scheduled<Void>?
  private var isStopped = false
  /// What exists while the control point runs.
  var run: MediaRun?
  private var lastRun = 0
  var serversVersion = 1
  var renderersVersion = 1
  var roomsVersion = 1
  /// The sections that pages follow.
  var followed: Set<PageSections.Name> = []
  var observer: PlayerCore.ObserverID?
  /// What renderers are being given: the last request of each, and how many there are.
  var puts: [String: (last: Task<Outcome<API.PlayResult>, Never>, count: Int)] = [:]
  /// Where the tracks of media servers were seen.
  var places = ServerPlaces()
  /// The playlists that other renderers may be given.
  weak var playlists: Playlists?
  /// The group whose volume was moved last.
  var slide: GroupSlide?
  /// This speaker as it was shown last.
  var shownSelf: OwnPlace?

  /// - Parameters:
  ///   - eventLoop: the daemon's.
  ///   - own: what is done to this speaker, when it is named as a renderer.
  ///   - sections: gets `servers`, `renderers` and `rooms`.
  ///   - pictures: gives icons and covers an address on this server; nil for none.
  ///   - foundHere: told the ports of media servers and renderers that were found on this host. Those of the last run stay known.
  ///   - reports: what rooms say of how well they keep step.
  ///   - party: gives the code of the party here; called on the event loop.
  public init(
    eventLoop: any EventLoop, player: PlayerCore, own: any PlayerHandlers, sections: PageSections,
    pictures: (any PictureAddresses)?, foundHere: @escaping @Sendable (Set<Int>) -> Void = { _ in },
    reports: any RoomReportSource = NoRoomReports(), party: @escaping @Sendable () -> String? = { nil },
    logger: Logger
  ) {
    self.eventLoop = eventLoop
    executor = eventLoop.executor
    self.player = player
    self.own = own
    self.sections = sections
    self.pictures = pictures
    self.foundHere = foundHere
    self.reports = reports
    self.party = party
    self.logger = logger
  }

  /// Takes the settings, at the start and when they have changed, from any thread. Devices are looked for anew if that
  /// matters to them.
  public nonisolated func set(_ settings: Settings) {
    eventLoop.execute { self.assumeIsolated { $0.take(settings) } }
  }

  private func take(_ settings: Settings) {
    let old = self.settings
    self.settings = settings
    guard run != nil else { return }
    if settings.interfaces != old.interfaces || settings.ipv6 != old.ipv6 || settings.udns != old.udns {
      endRun()
      beginRun()
      arm()
    } else if settings != old {
      changed(.renderers)
    }
  }

  /// Says where the server listens that has this as one of its responders.
  public nonisolated func set(_ listening: HTTPServer.Listening) {
    eventLoop.execute { self.assumeIsolated { $0.listening = listening } }
  }

  /// Ends everything for good.
  public func stop() async {
    isStopped = true
    guard let controlPoint = run?.controlPoint else { return }
    endRun(stopsControlPoint: false)
    await controlPoint.stop()
  }

  // MARK: Who needs it

  /// A request needs the control point.
  func use() {
    guard !isStopped else { return }
    if lease.use(now: .now()) { beginRun() }
    arm()
  }

  /// Somebody needs it until ``release()``.
  func hold() {
    guard !isStopped else { return }
    if lease.hold(now: .now()) { beginRun() }
    arm()
  }

  func release() {
    lease.release(now: .now())
    arm()
  }

  /// Looks again when the lease may be over. A request moves that moment; the timer isn't moved with each.
  private func arm() {
    guard timer == nil, let deadline = lease.deadline else { return }
    timer = eventLoop.scheduleTask(deadline: deadline) { [weak self] () -> Void in
      self?.assumeIsolated { $0.look() }
    }
  }

  private func look() {
    timer = nil
    if lease.isOver(now: .now()) { endRun() } else { arm() }
  }

  private func beginRun() {
    guard run == nil else { return }
    lastRun += 1
    var configuration = ControlPointConfiguration()
    configuration.interfaces = settings.interfaces
    configuration.ipv6 = settings.ipv6
    configuration.userAgent = settings.userAgent
    configuration.mx = 1
    configuration.listensForEvents = false
    let controlPoint = ControlPoint(eventLoop: eventLoop, configuration: configuration, logger: logger)
    if let listening { controlPoint.subscriptions.assumeIsolated { $0.setListening(listening) } }
    let stream = controlPoint.assumeIsolated {
      $0.devices([.mediaServer, .mediaRenderer, .openHomeProduct])
    }
    let id = lastRun
    var run = MediaRun(id: id, controlPoint: controlPoint, own: Set(settings.udns.map(FoundDevices.key)))
    run.reading = Task { for await change in stream { take(change, run: id) } }
    self.run = run
    searchBegan()
    logger.debug("looking for media servers and renderers")
  }

  private func endRun(stopsControlPoint: Bool = true) {
    timer?.cancel()
    timer = nil
    guard let run else { return }
    self.run = nil
    run.end()
    if isStopped { lease.stop() }
    let controlPoint = run.controlPoint
    if stopsControlPoint { Task { await controlPoint.stop() } }
    changed(.servers)
    changed(.renderers)
    logger.debug("not looking for media servers and renderers any more")
  }

  // MARK: Searching

  /// True for the first moments of a search.
  var isSearching: Bool { run.map { $0.searchBegan + Self.searchTime > .now() } ?? false }

  func searchBegan() {
    guard let id = run?.id else { return }
    run?.searchBegan = .now()
    changed(.servers)
    changed(.renderers)
    // A moment later, so that the search is over then.
    eventLoop.scheduleTask(in: Self.searchTime + .milliseconds(5)) { [weak self] () -> Void in
      self?.assumeIsolated { control in
        guard control.run?.id == id else { return }
        control.changed(.servers)
        control.changed(.renderers)
      }
    }
  }

  /// Says that a section is another one now.
  func changed(_ section: PageSections.Name) {
    switch section {
    case .servers: serversVersion += 1
    case .renderers:
      renderersVersion += 1
      // Rooms are renderers.
      changed(.rooms)
    case .rooms:
      roomsVersion += 1
      adjustUpcoming()
    default: break
    }
    sections.changed(section)
  }

  private func take(_ change: DeviceChange, run id: Int) {
    guard run?.id == id else { return }
    if run?.servers.take(change) == true {
      run?.forgetServers()
      changed(.servers)
      tellPorts()
      if run?.servers[change.device.udn]?.isThere == true { askCapabilities(change.device) }
    }
    if run?.own.take(change) == true {
      adjustRooms()
      changed(.rooms)
    }
    if run?.renderers.take(change) == true {
      adjustFollowing()
      changed(.renderers)
      tellPorts()
    }
    // Whether other devices answer is part of why no server is there.
    if run?.servers.entries.isEmpty == true { changed(.servers) }
  }

  // MARK: Devices on this host

  /// Looks for media servers; returns when those that are there have answered.
  public func lookForServers() async {
    use()
    guard let began = run?.searchBegan else { return }
    // Until a deadline, so not `EventLoop.pause`.
    try? await eventLoop.scheduleTask(deadline: began + Self.searchTime) {}.futureResult.get()
  }

  private func tellPorts() {
    guard let run else { return }
    let locations = (run.servers.present + run.renderers.players.flatMap(\.devices)).flatMap(\.locations)
    foundHere(Set(locations.map(\.address).filter { OwnHost.has($0.address) }.map(\.port)))
  }
}
