import HTTP
import JSON
import NIOCore

/// Answers `GET /api/v1/events`: pages follow sections of the state (Server-Sent Events).
///
/// Each event is a whole section, so nothing has to be repeated for a page that was away. There is no timer, and nobody asks
/// the sections anything, while no page follows.
public actor EventStreams {
  typealias Name = PageSections.Name

  /// Writes to a stream.
  public typealias Write = @Sendable (ByteBuffer, RequestID) -> Void
  /// Ends a stream.
  public typealias End = @Sendable (RequestID) -> Void

  /// What a page follows that doesn't say what.
  private static let usual: Set<Name> = [.player, .queue]

  private nonisolated let eventLoop: any EventLoop
  private nonisolated let executor: any SerialExecutor
  private let sections: PageSections
  private let bootID: Int
  private let configuration: PageConfiguration
  private let limits: EventStreamLimits
  private let write: Write
  private let end: End
  private var table: EventStreamTable
  /// Sections that may have changed since their readers were sent them.
  private var changed: Set<Name> = []
  /// When events of a section were sent last.
  private var sentAt: [Name: NIODeadline] = [:]
  /// The time for which the next look at ``changed`` is set.
  private var dueAt: NIODeadline?
  private var heartbeat: Scheduled<Void>?

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - bootID: differs from that of all runs before; a part of the events' ids.
  ///   - configuration: says how many streams there may be.
  ///   - write: writes to a stream that has begun; ``HTTPServer/write(_:to:)``.
  ///   - end: ends one; ``HTTPServer/end(_:)``.
  public init(
    eventLoop: any EventLoop, sections: PageSections, bootID: Int, configuration: PageConfiguration,
    limits: EventStreamLimits = .init(),
    write: @escaping Write, end: @escaping End
  ) {
    self.eventLoop = eventLoop
    executor = eventLoop.executor
    self.sections = sections
    self.bootID = bootID
    self.configuration = configuration
    self.limits = limits
    self.write = write
    self.end = end
    table = EventStreamTable(limits: limits)
  }

  /// How many pages follow.
  public var count: Int { table.count }

  // MARK: - Streams

  private func begin(_ names: Set<Name>, _ context: APIContext) -> Reply<Answer> {
    guard
      let begun = table.add(
        context.id, context.peer.remote, names, most: configuration.facts.streams)
    else {
      return .problem(
        .unavailable(
          "too-many-pages", "Too many pages are open. Ask for the state itself every 5 seconds instead.",
          retryAfter: 5))
    }
    if table.count == 1 { start() }
    for name in begun { sections[name]?.followed(true) }
    // It shows how many pages there are.
    note([.system])
    // What follows the head can be written once this has returned.
    eventLoop.execute {
      self.assumeIsolated {
        $0.send("retry: 1000\n\n", to: context.id)
        $0.note(names)
      }
    }
    return .value(
      .streaming(
        HTTPResponse(
          .ok, contentType: "text/event-stream", body: ByteBuffer(),
          fields: PageFields.security + [PageFields.uncached, HTTPField("X-ACCEL-BUFFERING", "no")])))
  }

  /// Ends all streams: who may follow has changed. Whoever still may comes back.
  public func endAll() {
    for id in table.all {
      ended(id)
      end(id)
    }
  }

  private func ended(_ id: RequestID) {
    guard let unfollowed = table.remove(id) else { return }
    for name in unfollowed {
      sections[name]?.followed(false)
      sentAt[name] = nil
    }
    if table.count == 0 { stop() } else { note([.system]) }
  }

  private func start() {
    sections.observe { name in self.assumeIsolated { $0.note([name]) } }
    scheduleHeartbeat()
  }

  private func stop() {
    sections.observe(nil)
    heartbeat?.cancel()
    heartbeat = nil
    changed = []
  }

  private func scheduleHeartbeat() {
    heartbeat = eventLoop.scheduleTask(in: TimeAmount(limits.heartbeat)) {
      self.assumeIsolated { streams in
        for id in streams.table.idle { streams.send(":\n\n", to: id) }
        streams.scheduleHeartbeat()
      }
    }
  }

  private func send(_ text: String, to id: RequestID) { send(ByteBuffer(string: text), to: id) }

  private func send(_ bytes: ByteBuffer, to id: RequestID) {
    // Before it is written, since it may have been taken when that returns.
    table.wrote(id)
    write(bytes, id)
  }

  // MARK: - Sections

  /// Notes that sections may have changed. What changes in one turn of the event loop is sent once.
  private func note(_ names: Set<Name>) {
    let names = names.filter { table.isFollowed($0) }
    guard !names.isEmpty else { return }
    changed.formUnion(names)
    let now = NIODeadline.now()
    schedule(due(now), now)
  }

  /// When the first of ``changed`` may be sent.
  private func due(_ now: NIODeadline) -> NIODeadline {
    changed.map { sentAt[$0].map { max($0 + TimeAmount(limits.spacing), now) } ?? now }.min() ?? now
  }

  private func schedule(_ time: NIODeadline, _ now: NIODeadline) {
    if let dueAt, dueAt <= time { return }
    dueAt = time
    let work: @Sendable () -> Void = { self.assumeIsolated { $0.look(time) } }
    if time <= now { eventLoop.execute(work) } else { eventLoop.scheduleTask(deadline: time, work) }
  }

  /// - Parameter time: when this look was to be; one for another time has taken its place if that isn't the next one.
  private func look(_ time: NIODeadline) {
    guard dueAt == time else { return }
    dueAt = nil
    let now = NIODeadline.now()
    for name in Name.allCases where changed.contains(name) {
      if let sent = sentAt[name], sent + TimeAmount(limits.spacing) > now { continue }
      changed.remove(name)
      tell(name, now)
    }
    if !changed.isEmpty { schedule(due(now), now) }
  }

  private func tell(_ name: Name, _ now: NIODeadline) {
    guard let section = sections[name] else { return }
    let version = section.version
    let readers = table.readers(of: name, version: version)
    guard !readers.isEmpty else { return }
    sentAt[name] = now
    let event = event(name, section, version)
    for id in readers { send(event, to: id) }
  }

  /// An event, made once for all who are sent it. JSON has no line ends.
  private func event(_ name: Name, _ section: any PageSection, _ version: Int) -> ByteBuffer {
    var json = JSONWriter()
    section.write(to: &json)
    var event = ByteBuffer()
    event.writeString("id: \(bootID).\(version)\nevent: \(name.rawValue)\ndata: ")
    event.writeBytes(json.bytes)
    event.writeStaticString("\n\n")
    return event
  }
}

extension EventStreams: EventsHandlers {
  public nonisolated func followEvents(sections: String?, _ context: APIContext) -> Reply<Answer> {
    // Nothing is changed by following, but each stream takes a place of those that there are.
    if let problem = CrossSiteCheck.refusal(of: context.head) { return .problem(problem) }
    var names: Set<Name> = []
    for word in sections?.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
      guard let name = Name(rawValue: String(word)) else {
        return .problem(
          Problem(
            "out-of-range", .unprocessableContent,
            "There is no such section; known are: \(Name.allCases.map(\.rawValue).joined(separator: ", "))."))
      }
      names.insert(name)
    }
    let wanted = sections == nil ? Self.usual : names
    return assumeIsolated { $0.begin(wanted, context) }
  }
}

/// The server says here what becomes of the streams.
extension EventStreams: Responder {
  public nonisolated func methods(at path: String) -> [String]? { nil }

  public nonisolated func respond(to request: HTTPRequest, from peer: Peer, id: RequestID) -> Answer? { nil }

  public nonisolated func abandoned(_ id: RequestID) { assumeIsolated { $0.ended(id) } }

  public nonisolated func taken(_ id: RequestID) {
    assumeIsolated { streams in
      let missed = streams.table.taken(id)
      if !missed.isEmpty { streams.note(missed) }
    }
  }
}
