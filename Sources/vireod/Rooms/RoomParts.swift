import GStreamerOutput
import Logging
import NIOCore
import Network
import Player
import Rooms
import RoomsIO
import Services
import Text
import UPnP

/// Playing with other rooms (Songcast): sends what this room plays to whoever listens, and says where that is to be had.
///
/// While nobody listens there are only two kinds of idle sockets: for questions about this room's zone, and for joining.
actor RoomParts {
  nonisolated let eventLoop: any EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }

  private let settings: Settings.Rooms
  private let player: PlayerCore
  let output: OutputRooms
  private let logger: Logger
  private let zone: String
  private let group: IPv4Endpoint?
  private(set) var sender: RoomSender?
  private var control: EventLoopFuture<any Channel>?
  private var posts: ZonePost?
  private var groups: [Int: EventLoopFuture<any Channel>] = [:]
  /// What failed, and when that is tried again.
  private var failures: [String] = []
  private var retry: Scheduled<Void>?
  /// This host's own.
  private var addresses: [UInt32] = []
  /// Where the room that this one listens to sends; nil while it doesn't listen.
  private var origin: SongcastURI?
  private var status = RoomSender.Status()
  private var isStopped = false

  /// Nil where rooms are switched off, or the sound system has none.
  ///
  /// - Parameter zone: the UDN of the OpenHome device.
  init?(
    _ settings: Settings, zone: String, player: PlayerCore, sound: any SoundSystem,
    eventLoop: any EventLoop, logger: Logger
  ) {
    guard settings.rooms.enabled, settings.openHome.enabled, let output = sound.rooms else { return nil }
    self.settings = settings.rooms
    self.player = player
    self.output = output
    self.eventLoop = eventLoop
    self.logger = logger
    self.zone = zone
    group = settings.rooms.mode == .multicast ? SongcastURI.group(of: zone) : nil
  }

  // MARK: Networks

  /// Other rooms are on these networks.
  func networkChanged(_ interfaces: [NetworkInterface]) {
    guard !isStopped else { return }
    let links = interfaces.flatMap(\.addresses).compactMap { own -> IPv4Link? in
      guard case .v4(let bits) = own.address else { return nil }
      return IPv4Link(address: bits, prefix: own.prefixLength)
    }
    output.networks.set(links)
    if let sender { sender.setLinks(links) } else { open(links) }
    let posts =
      posts
      ?? ZonePost(zone: zone, eventLoop: eventLoop) { [weak self] bytes, source, index in
        self?.assumeIsolated { $0.posts?.take(bytes, from: source, on: index) }
      }
    self.posts = posts
    retryLater(posts.setInterfaces(interfaces), interfaces)
    if group != nil { listenToGroup(interfaces) }
    addresses = links.map(\.address)
    report()
    tellPlace()
  }

  /// Says what failed, once, and tries again.
  private func retryLater(_ failures: [String], _ interfaces: [NetworkInterface]) {
    for failure in failures where !self.failures.contains(failure) {
      logger.warning("other rooms can't ask for this one, which tries again: \(failure)")
    }
    self.failures = failures
    retry?.cancel()
    retry = nil
    guard !failures.isEmpty else { return }
    retry = eventLoop.scheduleTask(in: Self.retryPause) { [weak self] in
      self?.assumeIsolated { $0.networkChanged(interfaces) }
    }
  }

  private static let retryPause = TimeAmount.seconds(30)

  private func open(_ links: [IPv4Link]) {
    let configuration = RoomSender.Configuration(
      latency: Int64(settings.latency) * 1_000_000, group: group)
    let eventLoop = eventLoop
    let sender = RoomSender(configuration: configuration, links: links, sound: output.sound) {
      [weak self] event in
      eventLoop.execute { [weak self] in self?.assumeIsolated { $0.take(event) } }
    }
    guard let sender, let descriptor = sender.duplicateDescriptor() else {
      logger.warning("other rooms can't listen to this one: the system gives no socket")
      return
    }
    self.sender = sender
    output.listening.onOrigin { [weak self] origin in
      eventLoop.execute { [weak self] in self?.assumeIsolated { $0.originChanged(origin) } }
    }
    if sender.port != RoomSender.usualPort {
      logger.warning(
        "UDP port \(RoomSender.usualPort) is taken, so other rooms reach this one at port \(sender.port): a firewall must let that in; is a second vireod running?"
      )
    }
    control = RoomDatagrams.open(descriptor, on: eventLoop) { sender.receive($0[...], from: $1) }
  }

  /// Hears who listens to the group of this room.
  private func listenToGroup(_ interfaces: [NetworkInterface]) {
    guard let group, let sender else { return }
    let indices = interfaces.filter(\.canMulticast).map(\.index)
    for index in Set(groups.keys).subtracting(indices) { close(groups.removeValue(forKey: index)) }
    for index in indices where groups[index] == nil {
      let socket = try? UDPSocket.listening(
        to: .v4(group.address), port: Int(group.port), interfaceIndex: index, prefix: "Ohm ")
      guard let socket else { continue }
      groups[index] = RoomDatagrams.open(socket.descriptor, on: eventLoop) {
        sender.receive($0[...], from: $1, isGroup: true)
      }
    }
  }

  private func close(_ channel: EventLoopFuture<any Channel>?) {
    channel?.whenSuccess { $0.close(promise: nil) }
  }

  // MARK: The player

  /// What plays has changed.
  func playerChanged(_ old: PlayerState, _ new: PlayerState) {
    let listens = new.activeSource == .receiver && new.transport(of: .receiver) != .stopped
    if listens != (old.activeSource == .receiver && old.transport(of: .receiver) != .stopped) {
      setListening(listens)
    }
    if status.listeners > 0 { describe(new) }
  }

  private func setListening(_ listens: Bool) {
    sender?.setMayPassOn(!listens)
    if !listens { origin = nil }
    report()
    tellPlace()
  }

  /// This room hears that sender now; nil: none.
  func originChanged(_ address: StreamAddress?) {
    switch address {
    case .multicast(let endpoint): origin = .multicast(endpoint)
    case .unicast(let endpoint): origin = .unicast(endpoint)
    case nil: origin = nil
    }
    tellPlace()
  }

  private var listens: Bool {
    let state = player.assumeIsolated { $0.state }
    return state.activeSource == .receiver && state.transport(of: .receiver) != .stopped
  }

  /// Tells who asks where this room plays: whoever follows a room that follows another one goes to that one.
  private func tellPlace() {
    guard let posts else { return }
    if listens {
      let origin = origin ?? .silence
      posts.setPlace { _ in origin }
    } else if let group {
      posts.setPlace { _ in .multicast(group) }
    } else if let port = sender?.port {
      posts.setPlace { .unicast(IPv4Endpoint(address: $0.address, port: port)) }
    }
  }

  /// Tells listeners what plays.
  private func describe(_ state: PlayerState) {
    var tracks: [UInt64: SenderTrack] = [:]
    for (index, attempt) in state.attempts.enumerated() {
      let sent = SentTrack(attempt.media, song: index == 0 ? state.metatext : nil)
      let details = attempt.facts.details ?? StreamDetails()
      let length = attempt.facts.duration ?? (index == 0 ? state.duration : nil) ?? .zero
      tracks[attempt.id.value] = SenderTrack(
        uri: sent.uri, metadata: sent.metadata, codec: details.codecName.isEmpty ? "PCM" : details.codecName,
        isLossless: details.isLossless, bitRate: details.bitRate,
        duration: Self.nanoseconds(length), text: sent.text)
    }
    sender?.describe(tracks)
  }

  private static func nanoseconds(_ duration: Duration) -> UInt64 {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    return UInt64(min(seconds, 1 << 33)) &* 1_000_000_000 &+ UInt64(attoseconds / 1_000_000_000)
  }

  // MARK: The sender

  private func take(_ event: RoomSender.Event) {
    switch event {
    case .statusChanged:
      guard let status = sender?.status else { return }
      let before = self.status
      self.status = status
      tell(before, status)
      if before.listeners == 0, status.listeners > 0 { describe(player.assumeIsolated { $0.state }) }
      report()
    case .noTime(let reason):
      logger.warning(
        "other rooms can't ask this one for the time (port 51973: \(reason)), so they keep time less exactly; is a second vireod running?"
      )
    case .failed(let reason):
      logger.error("other rooms can't listen to this one: \(reason)")
    }
  }

  private func tell(_ before: RoomSender.Status, _ now: RoomSender.Status) {
    if before.listeners != now.listeners {
      let who =
        switch now.listeners {
        case 0: "no room listens"
        case let count: counted(count, "room listens", "rooms listen")
        }
      logger.info("\(who) to this one")
    }
    if let blocker = now.blocker, !before.isBlocked {
      logger.warning(
        "another sender, \(IPAddress.v4(blocker)), uses this room's multicast group; nothing is sent meanwhile"
      )
    }
  }

  /// Where this room can be heard.
  private var places: [SongcastURI] {
    if let group { return [.multicast(group)] }
    return sender.map { sender in
      addresses.map { .unicast(IPv4Endpoint(address: $0, port: sender.port)) }
    } ?? []
  }

  /// The player shows it to control points.
  private func report() {
    let listens = listens
    let state = SenderState(
      isEnabled: sender != nil, isBlocked: status.isBlocked, listeners: status.listeners,
      isSending: status.isSending, mayPassOn: !listens, places: places.map(\.text))
    player.assumeIsolated { player in
      if player.state.sender != state { try? player.perform(.senderChanged(state)) }
    }
  }

  /// Says good-bye to listeners, and closes all sockets.
  func stop() {
    isStopped = true
    retry?.cancel()
    sender?.stop()
    sender = nil
    close(control)
    control = nil
    for index in groups.keys { close(groups[index]) }
    groups = [:]
    posts?.stop()
    posts = nil
  }
}

extension SongcastURI {
  /// The multicast group of a room: as good as random, and always the same.
  static func group(of zone: String) -> IPv4Endpoint {
    // FNV-1a.
    let hash = zone.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
    let channel = (hash >> 16 ^ hash) & 0xffff
    return IPv4Endpoint(address: 0xeffd_0000 | channel, port: 51970)
  }
}
