import CLinux
import Glibc
import Rooms
import Synchronization
import Threads

/// Sends what this room plays to the rooms that listen: the sockets and the thread around a ``SenderMachine``.
///
/// While nobody listens there is only the control socket, which its owner watches; the thread exists while
/// somebody does.
public final class RoomSender: Sendable {
  public struct Configuration: Sendable, Hashable {
    /// From sending to hearing, in nanoseconds: 150 to 340 ms.
    public var latency: Int64
    /// The group to send to; nil: to each listener.
    public var group: IPv4Endpoint?
    /// Who comes then is ignored.
    public var mostListeners: Int

    public init(latency: Int64 = 300_000_000, group: IPv4Endpoint? = nil, mostListeners: Int = 16) {
      self.latency = min(max(latency, 150_000_000), 340_000_000)
      self.group = group
      self.mostListeners = mostListeners
    }
  }

  /// What is to be seen of it from outside.
  public struct Status: Sendable, Equatable {
    public var listeners = 0
    /// Sound flows, or did until a second ago.
    public var isSending = false
    /// Another sender uses our group: its address. Nil: none does.
    public var blocker: UInt32?

    public var isBlocked: Bool { blocker != nil }

    public init() {}
  }

  /// What it finds out, told on its own thread or on the caller's.
  public enum Event: Sendable {
    /// ``RoomSender/status`` is another one.
    case statusChanged
    /// Other rooms can't ask for the time, for this reason: they keep time by what they hear.
    case noTime(String)
    /// There are listeners, and no thread can be made for them.
    case failed(String)
  }

  struct Shared: Sendable {
    var machine: SenderMachine
    var tracks: [UInt64: SenderTrack] = [:]
    var members: [RoomTimeHost.Member] = []
    var status = Status()
    var isRunning = false
    var isStopped = false
    /// This room listens to another one itself, or sends nothing on for another reason.
    var mayPassOn = true
  }

  let configuration: Configuration
  let sound: any SenderSound
  let shared: SharedState<Shared>
  let onEvent: @Sendable (Event) -> Void
  private let socket: ControlSocket
  /// A pipe: what is written to one end wakes the thread.
  let wake: WakePipe

  /// The control socket's port: ``usualPort`` if that is free, so that firewalls can know it and listeners find a host that has
  /// started again.
  public let port: UInt16
  public static var usualPort: UInt16 { ControlSocket.usualPort }

  /// Nil if the system gives no socket; errno says why.
  ///
  /// - Parameters:
  ///   - links: this host's networks; listeners elsewhere get nothing.
  ///   - onEvent: called on any thread.
  public init?(
    configuration: Configuration, links: [IPv4Link], sound: any SenderSound,
    onEvent: @escaping @Sendable (Event) -> Void
  ) {
    guard let socket = ControlSocket(), let wake = WakePipe() else { return nil }
    self.socket = socket
    self.wake = wake
    port = socket.port
    self.configuration = configuration
    self.sound = sound
    self.onEvent = onEvent
    let mode: SenderMachine.Mode = configuration.group.map { .multicast($0) } ?? .unicast
    shared = SharedState(
      Shared(
        machine: SenderMachine(mode: mode, links: links, mostListeners: configuration.mostListeners)))
  }

  /// A second descriptor of the control socket, for whoever waits for datagrams (``receive(_:from:)``) and closes it; nil if
  /// there is none left.
  public func duplicateDescriptor() -> CInt? {
    let copy = fcntl(socket.descriptor, F_DUPFD_CLOEXEC, 0)
    return copy >= 0 ? copy : nil
  }

  // MARK: From its owner

  public func setLinks(_ links: [IPv4Link]) {
    shared.withLock { $0.machine.links = links }
    wake.ring()
  }

  /// A datagram came.
  ///
  /// - Parameter isGroup: to the group; else to the control socket.
  public func receive(_ datagram: ArraySlice<UInt8>, from source: IPv4Endpoint, isGroup: Bool = false) {
    let now = MonotonicClock.now
    let (actions, begins) = shared.withLock { shared -> ([SenderAction], Bool) in
      guard !shared.isStopped, shared.mayPassOn else { return ([], false) }
      let actions = shared.machine.receive(datagram, from: source, isGroup: isGroup, at: now)
      let begins = shared.machine.deadline != nil && !shared.isRunning
      if begins { shared.isRunning = true }
      return (actions, begins)
    }
    // Whoever is answered asks for the time at once.
    if begins { begin() }
    perform(actions)
    if !begins, !actions.isEmpty { wake.ring() }
  }

  /// What listeners are told of the tracks that are played now and next, by the number of the attempt to play.
  public func describe(_ tracks: [UInt64: SenderTrack]) {
    let isNew = shared.withLock { shared in
      defer { shared.tracks = tracks }
      return shared.isRunning && shared.tracks != tracks
    }
    if isNew { wake.ring() }
  }

  /// Whether what is played may be sent: false while this room itself plays what another one sends.
  public func setMayPassOn(_ mayPassOn: Bool) {
    let actions = shared.withLock { shared -> [SenderAction] in
      guard shared.mayPassOn != mayPassOn else { return [] }
      shared.mayPassOn = mayPassOn
      return mayPassOn ? [] : shared.machine.stop(at: MonotonicClock.now)
    }
    perform(actions)
    wake.ring()
  }

  /// The clock of ``members``: nanoseconds of CLOCK_MONOTONIC.
  public static var now: Int64 { MonotonicClock.now }

  public var status: Status { shared.withLock { $0.status } }

  /// What the listeners last said of themselves; foreign ones say nothing.
  public var members: [RoomTimeHost.Member] { shared.withLock { $0.isRunning ? $0.members : [] } }

  /// Says that silence follows, and sends nothing more.
  public func stop() {
    let actions = shared.withLock { shared in
      shared.isStopped = true
      return shared.machine.stop(at: MonotonicClock.now)
    }
    perform(actions)
    wake.ring()
  }

  private func begin() {
    sound.setActive(true) { [wake] in wake.ring() }
    let time = DatagramSocket.descriptor(port: RoomTimeRequest.port)
    if time < 0 { onEvent(.noTime(String(cString: strerror(errno)))) }
    let begun = Thread.start(name: "room-sender") { [self] in SenderLoop(self, timeSocket: time).run() }
    guard !begun else { return }
    if time >= 0 { close(time) }
    shared.withLock { $0.isRunning = false }
    sound.setActive(false) {}
    onEvent(.failed("the system makes no thread"))
  }

  func perform(_ actions: [SenderAction]) {
    guard !actions.isEmpty else { return }
    let links = configuration.group == nil ? [] : shared.withLock { $0.machine.links }
    for case .send(let bytes, let receivers) in actions {
      if let group = configuration.group {
        for link in links { socket.send(bytes, toGroup: group, from: link) }
      } else {
        socket.send(bytes, to: receivers)
      }
    }
  }
}

/// The socket at which listeners join, and from which they get the sound. Closed when it is released.
final class ControlSocket: Sendable {
  let descriptor: CInt
  let port: UInt16

  static let usualPort: UInt16 = 51974

  init?() {
    let usual = clinux_open_datagrams(0, Self.usualPort, 0)
    descriptor = usual >= 0 ? usual : clinux_open_datagrams(0, 0, 0)
    guard descriptor >= 0 else { return nil }
    var name = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let result = withUnsafeMutableBytes(of: &name) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { getsockname(descriptor, $0.baseAddress, &length) }
    }
    guard result == 0 else {
      close(descriptor)
      return nil
    }
    port = UInt16(bigEndian: name.sin_port)
  }

  deinit { close(descriptor) }

  /// Sends to a group on one network.
  func send(_ bytes: [UInt8], toGroup group: IPv4Endpoint, from link: IPv4Link) {
    _ = clinux_send_group(descriptor, bytes, UInt(bytes.count), group.address, group.port, link.address)
  }

  /// What can't be sent at once is lost, as on the network.
  func send(_ bytes: [UInt8], to receivers: [IPv4Endpoint]) {
    _ = clinux_send_to_all(
      descriptor, bytes, UInt(bytes.count), receivers.map(\.address), receivers.map(\.port),
      CInt(clamping: receivers.count))
  }
}

/// Wakes a thread that waits for its read end.
final class WakePipe: Sendable {
  let readEnd: CInt
  private let writeEnd: CInt
  private let isRinging = Atomic<Bool>(false)

  init?() {
    var ends: [CInt] = [-1, -1]
    guard clinux_pipe(&ends) == 0 else { return nil }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  func ring() {
    guard !isRinging.exchange(true, ordering: .acquiringAndReleasing) else { return }
    var byte: UInt8 = 0
    _ = write(writeEnd, &byte, 1)
  }

  /// Call it before looking at what the ringing was for.
  func silence() {
    // First: who rings from now on rings anew.
    isRinging.store(false, ordering: .sequentiallyConsistent)
    var byte: UInt8 = 0
    while read(readEnd, &byte, 1) > 0 {}
  }
}
