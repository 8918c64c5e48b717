/// A receiver of Songcast: finds the sender, joins, keeps listening, has missing frames sent again, and notices when the
/// sender falls silent, moves or begins again. Pure: datagrams and times go in, actions come out.
///
/// Times are nanoseconds of this host's monotonic clock. What the timers are follows ohPipeline and ohSongcast, except that
/// this receiver stays joined after a halt.
public struct ReceiverMachine: Sendable {
  /// Which socket a datagram came to.
  public enum Socket: Sendable { case zones, stream }

  private static let millisecond: Int64 = 1_000_000
  private static let mostSlaves = 4
  /// Questions without an answer, over three to four seconds.
  private static let unansweredAfter = 10

  /// This host's addresses and networks: senders elsewhere aren't believed.
  public var links: [IPv4Link]
  private var random: any RandomNumberGenerator & Sendable
  private let uri: SongcastURI
  private var zone: ZoneWatch?
  private var stream: ReceiverStream?
  private var now: Int64 = 0
  private var actions: [ReceiverAction] = []
  /// Whether it has been said that nobody answers, and nobody has since.
  private var isUnanswered = false

  public init(
    uri: SongcastURI, links: [IPv4Link],
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.uri = uri
    self.links = links
    self.random = random
  }

  // MARK: In and out

  /// When ``timePassed(at:)`` is to be called; nil while nothing is awaited.
  public var deadline: Int64? {
    let own = stream.flatMap {
      [$0.join, $0.listen, $0.resend, $0.sound.map { $0 + Self.silence }].compactMap(\.self).min()
    }
    return [zone?.deadline, own].compactMap(\.self).min()
  }

  public mutating func start(at now: Int64) -> [ReceiverAction] {
    run(at: now) { machine in
      switch machine.uri {
      case .zone(let zone):
        machine.zone = ZoneWatch(zone: zone, at: now)
        machine.actions.append(.openZones)
        machine.askZone()
      case .multicast(let endpoint): machine.open(.multicast(endpoint))
      case .unicast(let endpoint): machine.open(.unicast(endpoint))
      case .silence: break
      }
    }
  }

  /// Leaves; nothing comes afterwards.
  public mutating func stop(at now: Int64) -> [ReceiverAction] {
    run(at: now) { machine in
      machine.close()
      machine.zone = nil
    }
  }

  /// ``links`` are others now: the sender may be reached again.
  public mutating func networkChanged(at now: Int64) -> [ReceiverAction] {
    run(at: now) { machine in
      machine.zone?.begin(at: now)
      guard machine.stream?.sound == nil else { return }
      machine.stream?.join = now
      machine.stream?.joins = 0
      machine.doWhatIsDue()
    }
  }

  public mutating func timePassed(at now: Int64) -> [ReceiverAction] {
    run(at: now) { machine in
      if let due = machine.zone?.deadline, due <= now { machine.askZone() }
      machine.doWhatIsDue()
    }
  }

  /// - Parameters:
  ///   - datagram: as it came.
  ///   - arrival: when it came, by the kernel's stamp; not after `now`.
  public mutating func receive(
    _ datagram: [UInt8], from source: IPv4Endpoint, on socket: Socket, arrival: Int64, at now: Int64
  ) -> [ReceiverAction] {
    guard isNear(source.address) else { return [] }
    return run(at: now) { machine in
      switch socket {
      case .zones: if let message = OHZMessage(datagram[...]) { machine.take(message) }
      case .stream:
        if let message = OHMMessage(datagram[...]) {
          machine.take(message, datagram, from: source, arrival: arrival)
        }
      }
    }
  }

  private mutating func run(at now: Int64, _ body: (inout ReceiverMachine) -> Void) -> [ReceiverAction] {
    self.now = max(self.now, now)
    body(&self)
    defer { actions = [] }
    return actions
  }

  private func isNear(_ address: UInt32) -> Bool { links.contains { $0.contains(address) } }

  private mutating func pause(_ milliseconds: Int64, less range: Int64) -> Int64 {
    now &+ (milliseconds - Int64.random(in: 0...range, using: &random)) &* Self.millisecond
  }

  // MARK: Zones

  private mutating func askZone() {
    guard let query = zone?.ask(at: now) else { return }
    actions.append(.sendToZones(query))
    if zone?.asked == Self.unansweredAfter { unanswered() }
  }

  /// A sender that has gone leaves two questions open: where it is, and what it sends.
  private mutating func unanswered() {
    guard !isUnanswered else { return }
    isUnanswered = true
    actions.append(.unanswered)
  }

  private mutating func take(_ message: OHZMessage) {
    guard case .uri(let zone, let text) = message, zone == self.zone?.zone, let uri = SongcastURI(text) else {
      return
    }
    isUnanswered = false
    switch uri {
    case .zone: return
    case .silence:
      self.zone?.answered()
      if stream != nil { close() }
    case .multicast(let endpoint):
      follow(.multicast(endpoint))
    case .unicast(let endpoint):
      guard isNear(endpoint.address) else { return }
      follow(.unicast(endpoint))
    }
  }

  private mutating func follow(_ address: StreamAddress) {
    zone?.answered()
    guard stream?.address != address else { return }
    close()
    open(address)
  }

  // MARK: The stream

  private mutating func open(_ address: StreamAddress) {
    actions.append(.openStream(address))
    stream = ReceiverStream(address: address, join: now, listen: pause(2500, less: 1250))
    doWhatIsDue()
  }

  private mutating func close() {
    guard let stream else { return }
    if case .unicast(let endpoint) = stream.address, isNear(endpoint.address) {
      actions.append(.sendToStream(OHMMessage.leaveDatagram))
    }
    if !stream.isHalted { actions.append(.halted) }
    actions.append(.closeStream)
    self.stream = nil
  }

  /// A sender that has sent nothing for this long has gone.
  private static let silence = 1000 * millisecond

  private mutating func doWhatIsDue() {
    // Taken out, so that it isn't copied.
    guard var stream = stream.take() else { return }
    defer { self.stream = stream }
    if let sound = stream.sound, now >= sound + Self.silence {
      stream.sound = nil
      stream.isHalted = true
      actions.append(.halted)
      // It may have begun again elsewhere, or have forgotten us.
      (stream.join, stream.joins) = (now, 0)
      zone?.begin(at: now)
    }
    // Nothing is sent to who isn't a neighbour, whoever has named him.
    let mayTell = if case .unicast(let endpoint) = stream.address { isNear(endpoint.address) } else { true }
    if let join = stream.join, join <= now {
      if mayTell { actions.append(.sendToStream(OHMMessage.joinDatagram)) }
      stream.joins += 1
      if stream.joins == Self.unansweredAfter { unanswered() }
      // A sender that is away is asked less and less often.
      let pause: Int64 = stream.joins < 10 ? 300 : stream.joins < 40 ? 1000 : 5000
      stream.join = now &+ pause &* Self.millisecond
    }
    if stream.listen <= now {
      if mayTell { actions.append(.sendToStream(OHMMessage.listenDatagram)) }
      stream.listen = pause(2500, less: 1250)
    }
    if let resend = stream.resend, resend <= now {
      let lost = stream.order.giveUp(at: now)
      if lost > 0 { actions.append(.lost(lost)) }
      let asked = stream.order.asked
      if asked.isEmpty {
        stream.resend = nil
      } else {
        actions.append(.sendToStream(OHMMessage.resendDatagram(asked)))
        stream.resend = now &+ 30 &* Self.millisecond
      }
    }
  }

  private mutating func take(
    _ message: OHMMessage, _ datagram: [UInt8], from source: IPv4Endpoint, arrival: Int64
  ) {
    guard var stream = stream.take() else { return }
    defer { self.stream = stream }
    switch message {
    case .join, .leave: return
    case .listen: if case .multicast = stream.address { stream.listen = pause(5000, less: 1250) }
    case .resend:
      if case .multicast = stream.address, stream.resend != nil {
        stream.resend = now &+ 30 &* Self.millisecond
      }
    case .slaves(let slaves):
      // Anybody else could make us send to whom he likes.
      guard case .unicast(source) = stream.address else { return }
      stream.slaves = slaves.prefix(Self.mostSlaves).filter { isOther($0) }
    case .track(let sequence, let uri, let metadata):
      forward(datagram, stream)
      if sequence != stream.trackSequence { actions.append(.track(uri: uri, metadata: metadata)) }
      stream.trackSequence = sequence
    case .metatext(_, let text):
      forward(datagram, stream)
      if text != stream.metatext ?? "" { actions.append(.metatext(text)) }
      stream.metatext = text
    case .audio(let audio):
      forward(datagram, stream)
      take(audio, from: source, arrival: arrival, &stream)
    }
    if stream.trackSequence != nil, stream.metatext != nil { stream.join = nil }
  }

  private mutating func take(
    _ audio: AudioMessage, from source: IPv4Endpoint, arrival: Int64, _ stream: inout ReceiverStream
  ) {
    guard stream.believes(source, at: now) else { return }
    var isWanted = true
    switch stream.order.take(audio, at: now) {
    case .begin: begin(audio, &stream)
    case .unwanted: isWanted = false
    case .wanted(let newlyMissing):
      if stream.isHalted { begin(audio, &stream) }
      if newlyMissing, stream.resend == nil { stream.resend = pause(10, less: 10) }
    }
    guard isWanted else { return }
    stream.sound = now
    isUnanswered = false
    if audio.samples > 0 { actions.append(.audio(audio, arrival: arrival)) }
    if audio.flags.contains(.halt) {
      stream.sound = nil
      stream.isHalted = true
      actions.append(.halted)
    }
  }

  private mutating func begin(_ audio: AudioMessage, _ stream: inout ReceiverStream) {
    stream.order.begin(with: audio)
    stream.resend = nil
    stream.isHalted = false
    actions.append(.beginAnew)
  }

  /// Whether it is another host or program on our network, to which sound may be sent.
  private func isOther(_ endpoint: IPv4Endpoint) -> Bool {
    endpoint.port >= 1024 && isNear(endpoint.address) && !links.contains { $0.address == endpoint.address }
  }

  private mutating func forward(_ datagram: [UInt8], _ stream: ReceiverStream) {
    if !stream.slaves.isEmpty { actions.append(.forward(datagram, stream.slaves)) }
  }
}
