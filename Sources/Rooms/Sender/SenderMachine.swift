/// A sender of Songcast: knows who listens, numbers the frames, sends again what was lost, and says what plays. Pure:
/// datagrams, packets and times go in, actions come out.
///
/// In unicast, each listener gets all from us. Other senders let their first listener forward (Slave); receivers can't tell
/// the difference. Times are nanoseconds of this host's monotonic clock.
public struct SenderMachine: Sendable {
  public enum Mode: Hashable, Sendable {
    /// To each listener.
    case unicast
    /// To this group, while anybody listens.
    case multicast(IPv4Endpoint)
  }

  /// As many as other receivers ask for at once.
  private static let mostResent = 20
  /// Receivers give up repair when so many frames are missing.
  private static let breakLength: UInt32 = 250

  public let mode: Mode
  /// This host's addresses and networks. Who is elsewhere, or on this host, isn't heard.
  public var links: [IPv4Link] {
    didSet {
      for index in table.indices where !mayListen(table[index].endpoint) { table[index].expires = .min }
    }
  }
  /// Whom the sound is sent to, in the order in which they came; in multicast the group.
  public private(set) var listeners: [IPv4Endpoint] = []
  /// The number of the next frame. It begins at 0 whenever somebody begins to listen.
  public private(set) var nextFrame: UInt32 = 0

  private let mostListeners: Int
  private var random: any RandomNumberGenerator & Sendable
  private var table: [SenderListener] = []
  private var history = FrameHistory()
  private var text: SenderText
  /// The latest packet of this run; nil before the first, and after a break.
  private var last: Packet?
  private var isHalted = true
  /// ``SenderAction/becameActive`` was the last of the two.
  private var isActive = false
  /// Another sender uses our group until then.
  private var blocked: Int64?
  /// Answers to all together.
  private var answers = AnswerLimit(perSecond: 100)
  private var now: Int64 = 0
  private var actions: [SenderAction] = []

  /// - Parameter mostListeners: in unicast; who comes then is ignored.
  public init(
    mode: Mode = .unicast, links: [IPv4Link], mostListeners: Int = 16,
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.mode = mode
    self.links = links
    self.mostListeners = mostListeners
    self.random = random
    // After a restart, receivers of a group would take the same number for the same track.
    text = SenderText(sequence: UInt32.random(in: 0...0xffff, using: &self.random))
  }

  public var hasListeners: Bool { !table.isEmpty }
  /// Another sender uses our group.
  public var isBlocked: Bool { blocked != nil }
  /// Its address; nil while there is none.
  public private(set) var blocker: UInt32?

  /// Whether `address` listens; in multicast, whether it may.
  public func isListener(_ address: UInt32) -> Bool {
    switch mode {
    case .unicast: listeners.contains { $0.address == address }
    case .multicast: hasListeners && isNeighbour(address)
    }
  }

  /// When ``timePassed(at:)`` is to be called; nil while nobody listens and nothing is in the way.
  public var deadline: Int64? { blocked ?? table.lazy.map(\.expires).min() }

  // MARK: In and out

  /// - Parameters:
  ///   - source: where it came from.
  ///   - isGroup: it came to the group, not to the control socket.
  public mutating func receive(
    _ datagram: ArraySlice<UInt8>, from source: IPv4Endpoint, isGroup: Bool = false, at now: Int64
  ) -> [SenderAction] {
    guard isNeighbour(source.address), source.port >= 1024, let message = OHMMessage(datagram) else {
      return []
    }
    return run(at: now) { machine in
      switch message {
      case .join: machine.hear(machine.listener(for: source), isJoin: true)
      case .listen: machine.hear(machine.listener(for: source), isJoin: false)
      case .leave: machine.leave(source)
      case .resend(let frames): machine.resend(frames, to: machine.listener(for: source))
      case .audio: if isGroup { machine.foreignSound(from: source.address) }
      case .track, .metatext, .slaves: break
      }
    }
  }

  /// Forgets who hasn't been heard of for 10 s.
  public mutating func timePassed(at now: Int64) -> [SenderAction] { run(at: now) { _ in } }

  /// Sends a packet. Nothing happens while nobody listens, or when receivers wouldn't understand it.
  public mutating func send(_ packet: Packet, at now: Int64) -> [SenderAction] {
    run(at: now) { machine in
      guard machine.hasListeners, packet.samples > 0,
        machine.emit(packet.message(frame: machine.nextFrame, isFirst: machine.last == nil))
      else { return }
      machine.last = packet
      machine.last?.sound = []
      machine.isHalted = false
    }
  }

  /// Says that silence follows. The frames of a later sound go on counting.
  public mutating func halt(at now: Int64) -> [SenderAction] {
    run(at: now) { machine in
      guard machine.hasListeners, !machine.isHalted, let last = machine.last else { return }
      machine.isHalted = machine.emit(last.halt(frame: machine.nextFrame))
    }
  }

  /// Another track plays, or the same again. A text longer than what receivers take is left out: 1000 bytes of the address,
  /// 1380 of both.
  ///
  /// - Parameter metadata: DIDL-Lite.
  public mutating func setTrack(uri: String, metadata: String, at now: Int64) -> [SenderAction] {
    run(at: now) { machine in
      machine.text.setTrack(uri: uri, metadata: metadata)
      machine.tell(machine.listeners)
    }
  }

  /// What a live stream plays.
  ///
  /// - Parameter text: DIDL-Lite, at most 1000 bytes; may be empty.
  public mutating func setMetatext(_ text: String, at now: Int64) -> [SenderAction] {
    run(at: now) { machine in
      guard machine.text.setText(text), machine.hasListeners else { return }
      machine.actions.append(.send(machine.text.textDatagram, to: machine.listeners))
    }
  }

  /// A break: what follows has nothing to do with what came before, and nobody is to ask for what is between.
  public mutating func skip() {
    // Behind a halt nobody misses anything.
    guard last != nil, !isHalted else { return }
    nextFrame &+= Self.breakLength
    forgetSound()
  }

  /// Says that silence follows, and forgets all listeners.
  public mutating func stop(at now: Int64) -> [SenderAction] {
    halt(at: now)
      + run(at: now) { machine in
        (machine.blocked, machine.blocker) = (nil, nil)
        machine.table = []
        machine.tableChanged()
      }
  }

  private mutating func run(at now: Int64, _ body: (inout SenderMachine) -> Void) -> [SenderAction] {
    self.now = max(self.now, now)
    if let blocked, blocked <= self.now {
      (self.blocked, blocker) = (nil, nil)
      actions.append(.unblocked)
    }
    expire()
    body(&self)
    if table.isEmpty, isActive { becomeIdle() }
    defer { actions = [] }
    return actions
  }

  // MARK: Who listens

  private func isNeighbour(_ address: UInt32) -> Bool {
    links.contains { $0.contains(address) } && !links.contains { $0.address == address }
  }

  private func mayListen(_ endpoint: IPv4Endpoint) -> Bool {
    endpoint.isMulticast || isNeighbour(endpoint.address)
  }

  /// Who is meant by a message from `source`.
  private func listener(for source: IPv4Endpoint) -> IPv4Endpoint {
    if case .multicast(let group) = mode { group } else { source }
  }

  private func place(of endpoint: IPv4Endpoint) -> Int? { table.firstIndex { $0.endpoint == endpoint } }

  private mutating func hear(_ endpoint: IPv4Endpoint, isJoin: Bool) {
    guard blocked == nil else { return }
    let isNew = place(of: endpoint) == nil
    if isNew {
      guard table.count < mostListeners else { return }
      table.append(SenderListener(endpoint, at: now))
      tableChanged()
      if !isActive { becomeActive() }
    }
    guard let place = place(of: endpoint) else { return }
    table[place].renew(at: now)
    // Who says that it listens and isn't known has joined an earlier run of ours, or was away for long.
    if isJoin || isNew, table[place].mayBeAnswered(at: now), answers.allows(at: now) { tell([endpoint]) }
  }

  private mutating func leave(_ source: IPv4Endpoint) {
    // The other members of a group go on listening.
    guard case .unicast = mode, let place = place(of: source) else { return }
    table.remove(at: place)
    tableChanged()
    if answers.allows(at: now) { actions.append(.send(OHMMessage.leaveDatagram, to: [source])) }
  }

  private mutating func expire() {
    let now = now
    guard table.contains(where: { $0.expires <= now }) else { return }
    table.removeAll { $0.expires <= now }
    tableChanged()
  }

  private mutating func tableChanged() { listeners = table.map(\.endpoint) }

  private mutating func becomeActive() {
    isActive = true
    nextFrame = 0
    forgetSound()
    actions.append(.becameActive)
  }

  private mutating func becomeIdle() {
    isActive = false
    nextFrame = 0
    forgetSound()
    actions.append(.becameIdle)
  }

  /// Another sender uses our group. The time is random, so that of two only one gives way for good.
  private mutating func foreignSound(from address: UInt32) {
    // While nobody listens nothing is sent, and nothing is in the way.
    guard case .multicast = mode, hasListeners || blocked != nil else { return }
    blocker = address
    let until = now &+ Int64.random(in: 1_500_000_000...3_000_000_000, using: &random)
    if blocked == nil { actions.append(.blocked(until: until)) }
    blocked = until
    table = []
    tableChanged()
  }

  // MARK: What is sent

  private mutating func tell(_ endpoints: [IPv4Endpoint]) {
    guard !endpoints.isEmpty else { return }
    actions.append(.send(text.trackDatagram, to: endpoints))
    actions.append(.send(text.textDatagram, to: endpoints))
  }

  private mutating func emit(_ message: AudioMessage) -> Bool {
    guard let datagram = message.datagram else { return false }
    history.add(datagram, frame: nextFrame)
    nextFrame &+= 1
    actions.append(.send(datagram, to: listeners))
    return true
  }

  private mutating func resend(_ frames: [UInt32], to endpoint: IPv4Endpoint) {
    guard let listener = place(of: endpoint) else { return }
    for frame in frames.prefix(Self.mostResent) {
      guard let place = history.place(of: frame),
        table[listener].mayHaveAgain(frame, place: place, at: now)
      else { continue }
      actions.append(.send(AudioMessage.resent(history[place]), to: [endpoint]))
    }
  }

  private mutating func forgetSound() {
    history.clear()
    last = nil
    isHalted = true
    for index in table.indices { table[index].forgetRepairs() }
  }
}
