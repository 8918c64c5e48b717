import Glibc
import Rooms
import Threads

/// The thread of a ``RoomReceiver``: waits for datagrams and for what is due, and does what the machine says.
final class ReceiverLoop {
  private let networks: RoomNetworks
  private let port: SharedState<RoomReceiver.Port>
  private let wake: CInt
  private let onEvent: @Sendable (RoomReceiver.Event) -> Void
  private var machine: ReceiverMachine
  private var zones: DatagramSocket?
  private var stream: DatagramSocket?
  /// For what is sent to the group of a multicast stream: its own socket hears only the group.
  private var groupSender: DatagramSocket?
  private var address: StreamAddress?
  /// Asks the sender for its time; nil while no sender is known.
  private var time: SenderTime?
  /// Who sent the latest datagram of the stream.
  private var source: IPv4Endpoint?
  /// The next sound is the first of a run.
  private var isNewRun = false
  private var networksAreOld: Int64 = 0
  /// The descriptors at which something has come.
  private var readable: [CInt] = []

  /// How many datagrams are read from a socket before the others get their turn.
  private static let most = 64
  private static let hops = 2

  init(
    uri: SongcastURI, networks: RoomNetworks, port: SharedState<RoomReceiver.Port>,
    wake: CInt,
    onEvent: @escaping @Sendable (RoomReceiver.Event) -> Void
  ) {
    self.networks = networks
    self.port = port
    self.wake = wake
    self.onEvent = onEvent
    machine = ReceiverMachine(uri: uri, links: networks.current)
  }

  private static var now: Int64 { MonotonicClock.now }

  func run() {
    _ = ThreadPriority.raise()
    perform(machine.start(at: Self.now))
    while wait() {
      lookAtNetworks()
      if let zones, isReadable(zones.descriptor) { read(zones, .zones) }
      if let stream, isReadable(stream.descriptor) { read(stream, .stream) }
      if let deadline = machine.deadline, deadline <= Self.now { perform(machine.timePassed(at: Self.now)) }
      if let time { keepTime(time) }
    }
    perform(machine.stop(at: Self.now))
    endTime()
  }

  /// Waits for something to do. False when it is to end.
  private func wait() -> Bool {
    var polled = [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
    for descriptor in [zones?.descriptor, stream?.descriptor, time?.descriptor] {
      if let descriptor { polled.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)) }
    }
    var milliseconds: CInt = -1
    if let deadline = [machine.deadline, time?.deadline].compactMap(\.self).min() {
      milliseconds = CInt(clamping: max(0, deadline - Self.now + 999_999) / 1_000_000)
    }
    poll(&polled, nfds_t(polled.count), milliseconds)
    readable = polled.filter { $0.revents != 0 }.map(\.fd)
    return polled[0].revents == 0
  }

  private func isReadable(_ descriptor: CInt) -> Bool { readable.contains(descriptor) }

  /// A cable may have been put in, or another network been joined.
  private func lookAtNetworks() {
    guard Self.now >= networksAreOld else { return }
    networksAreOld = Self.now + 5_000_000_000
    let found = networks.current
    guard found != machine.links else { return }
    machine.links = found
    if zones != nil { openZones() }
    if case .multicast(let endpoint) = address, let stream {
      for link in found { _ = stream.join(endpoint.address, on: link, hops: Self.hops) }
    }
  }

  private func read(_ socket: DatagramSocket, _ kind: ReceiverMachine.Socket) {
    for _ in 0..<Self.most {
      guard let arrival = socket.receive() else { return }
      if kind == .stream { source = arrival.source }
      perform(
        machine.receive(
          arrival.bytes, from: arrival.source, on: kind, arrival: arrival.time,
          at: max(Self.now, arrival.time)))
      // The machine may have moved to another socket.
      guard socket === zones || socket === stream else { return }
    }
  }

  private func perform(_ actions: [ReceiverAction]) {
    for action in actions { perform(action) }
  }

  private func perform(_ action: ReceiverAction) {
    switch action {
    case .openZones: openZones()
    case .openStream(let address):
      open(address)
      onEvent(.origin(address))
    case .closeStream:
      endTime()
      (stream, groupSender, address) = (nil, nil, nil)
      onEvent(.origin(nil))
    case .sendToZones(let bytes):
      zones?.send(bytes, toGroup: SongcastURI.zones, on: machine.links, hops: Self.hops)
    case .sendToStream(let bytes):
      switch address {
      case .unicast(let endpoint): stream?.send(bytes, to: endpoint)
      case .multicast(let endpoint):
        groupSender?.send(bytes, toGroup: endpoint, on: machine.links, hops: Self.hops)
      case nil: break
      }
    case .forward(let bytes, let receivers): for receiver in receivers { stream?.send(bytes, to: receiver) }
    case .audio(let audio, let arrival):
      let wasActive = port.withLock { port in
        let wasActive = port.feed.isActive
        port.feed.add(audio, arrival: arrival)
        if audio.flags.contains(.resent) { port.repaired += 1 }
        return wasActive
      }
      // A player that plays looks by itself when the device wants more.
      if !wasActive { port.wakeAll() }
      if isNewRun { onEvent(.began(audio)) }
      isNewRun = false
    case .beginAnew:
      port.withLock { $0.feed.beginAnew() }
      isNewRun = true
    case .halted:
      port.change { $0.feed.halt() }
      onEvent(.halted)
    case .lost(let count): port.withLock { $0.lost += count }
    case .track(let uri, let metadata):
      askForTime()
      onEvent(.track(uri: uri, metadata: metadata))
    case .metatext(let text): onEvent(.metatext(text))
    }
  }

  // MARK: The sender's time

  /// The sender has answered: perhaps it tells its time.
  private func askForTime() {
    guard time == nil, let source else { return }
    // The sound may be passed on by another room; the time isn't.
    let sender = if case .unicast(let endpoint) = address { endpoint } else { source }
    time = SenderTime(sender.address, rate: networks.rate(of: sender.address), at: Self.now)
    port.withLock { $0.feed.awaitsTime = time != nil }
  }

  private func endTime() {
    if let time, time.asker.clock.isSettled {
      networks.remember(rate: time.asker.clock.rate, of: time.address)
    }
    time = nil
    port.withLock { $0.feed.awaitsTime = false }
  }

  private func keepTime(_ time: SenderTime) {
    let isNew = isReadable(time.descriptor) && time.read()
    let hasAsked = time.ask { port.withLock { $0.report } }
    guard isNew || hasAsked else { return }
    let asker = time.asker
    port.withLock { port in
      if isNew, asker.clock.isKnown, let anchor = asker.anchor { port.feed.take(anchor, asker.clock) }
      let isForeign = asker.verdict == .foreign
      port.feed.awaitsTime = !isForeign
      port.isReady = isForeign || asker.clock.isSettled
      port.halfWidth = asker.clock.halfWidth
    }
  }

  private func openZones() {
    let endpoint = SongcastURI.zones
    // Whoever binds the group hears nothing else that is sent to the port.
    zones = DatagramSocket(address: endpoint.address, port: endpoint.port, isShared: true)
    guard let zones else { return onEvent(.failed(String(cString: strerror(errno)))) }
    for link in machine.links { _ = zones.join(endpoint.address, on: link, hops: Self.hops) }
  }

  private func open(_ address: StreamAddress) {
    self.address = address
    switch address {
    case .unicast: stream = DatagramSocket()
    case .multicast(let endpoint):
      stream = DatagramSocket(address: endpoint.address, port: endpoint.port, isShared: true)
      groupSender = DatagramSocket()
      for link in machine.links { _ = stream?.join(endpoint.address, on: link, hops: Self.hops) }
    }
    if stream == nil { onEvent(.failed(String(cString: strerror(errno)))) }
  }
}
