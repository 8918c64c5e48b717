import CLinux
import Glibc
import Rooms
import Threads

/// Receives what another room sends: the sockets and the thread around a ``ReceiverMachine``. It exists only while this
/// room listens.
public final class RoomReceiver: Sendable {
  /// What it finds out, told on its own thread.
  public enum Event: Sendable {
    case track(uri: String, metadata: String)
    case metatext(String)
    /// The first sound of a run, whose header says what it is.
    case began(AudioMessage)
    /// The sender has fallen silent.
    case halted
    /// The sound comes from there; nil: from nowhere.
    case origin(StreamAddress?)
    /// It can't hear anything yet, for this reason, and goes on trying.
    case waits(String)
    /// No socket can be made, for this reason.
    case failed(String)
  }

  /// What it has received, and whether more comes.
  public struct Port: Sendable {
    public var feed = RoomFeed()
    /// The receiver has been stopped.
    public fileprivate(set) var isClosed = false
    /// The sender's time is known well enough, or it tells none.
    var isReady = false
    /// How well it is known, in nanoseconds.
    var halfWidth: Int64 = 0
    /// Messages that never came.
    var lost = 0
    /// Messages that were sent again.
    var repaired = 0

    /// How well this room plays what it receives.
    public var report: RoomReport {
      let found = feed.report
      func microseconds(_ nanoseconds: Int64) -> Int32 { Int32(clamping: nanoseconds / 1000) }
      let state: RoomReport.State =
        !isReady ? .joining : feed.isPlaying ? .playing : feed.isActive ? .silent : .ready
      return RoomReport(
        state: state, loss: UInt16(clamping: found.loss), error: microseconds(found.error),
        p95: microseconds(found.p95), rateCorrection: Int32(clamping: found.correction),
        halfWidth: UInt32(clamping: halfWidth / 1000), lost: UInt32(clamping: lost),
        repaired: UInt32(clamping: repaired), buffered: UInt32(clamping: found.buffered / 1000))
    }
  }

  /// For whoever plays it. It is changed on the receiver's thread.
  package let port = SharedState(Port())
  private let uri: SongcastURI
  private let networks: RoomNetworks
  private let onEvent: @Sendable (Event) -> Void
  /// A pipe: what is written to one end wakes the thread, which then ends.
  private let ends: (read: CInt, write: CInt)

  /// - Parameters:
  ///   - networks: senders elsewhere aren't heard.
  ///   - onEvent: called on the receiver's thread.
  public init(
    uri: SongcastURI, networks: RoomNetworks,
    onEvent: @escaping @Sendable (Event) -> Void
  ) {
    self.uri = uri
    self.networks = networks
    self.onEvent = onEvent
    var ends: [CInt] = [-1, -1]
    self.ends = clinux_pipe(&ends) == 0 ? (ends[0], ends[1]) : (-1, -1)
  }

  deinit { if ends.write >= 0 { close(ends.write) } }

  /// Begins to listen. Call it once.
  public func start() {
    let (uri, networks, port, onEvent, wake) = (uri, networks, port, onEvent, ends.read)
    guard wake >= 0 else { return onEvent(.failed("the system has no descriptors left")) }
    let begun = Thread.start(name: "room-receiver") {
      ReceiverLoop(uri: uri, networks: networks, port: port, wake: wake, onEvent: onEvent).run()
      close(wake)
    }
    if !begun {
      close(wake)
      onEvent(.failed("the system makes no thread"))
    }
  }

  /// Leaves, soon. Afterwards no event comes but those on their way.
  public func stop() {
    port.change { $0.isClosed = true }
    var byte: UInt8 = 0
    _ = write(ends.write, &byte, 1)
  }
}
