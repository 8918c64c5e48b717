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
    /// No socket can be made, for this reason.
    case failed(String)
  }

  /// What it has received, and whether more comes.
  public struct Port: Sendable {
    public var feed = RoomFeed()
    /// The receiver has been stopped.
    public fileprivate(set) var isClosed = false
  }

  /// For whoever plays it. It is changed on the receiver's thread.
  package let port = SharedState(Port())
  private let uri: SongcastURI
  private let links: @Sendable () -> [IPv4Link]
  private let onEvent: @Sendable (Event) -> Void
  /// A pipe: what is written to one end wakes the thread, which then ends.
  private let ends: (read: CInt, write: CInt)

  /// - Parameters:
  ///   - links: this host's networks; senders elsewhere aren't heard.
  ///   - onEvent: called on the receiver's thread.
  public init(
    uri: SongcastURI, links: @escaping @Sendable () -> [IPv4Link],
    onEvent: @escaping @Sendable (Event) -> Void
  ) {
    self.uri = uri
    self.links = links
    self.onEvent = onEvent
    var ends: [CInt] = [-1, -1]
    self.ends = clinux_pipe(&ends) == 0 ? (ends[0], ends[1]) : (-1, -1)
  }

  deinit { if ends.write >= 0 { close(ends.write) } }

  /// Begins to listen. Call it once.
  public func start() {
    let (uri, links, port, onEvent, wake) = (uri, links, port, onEvent, ends.read)
    guard wake >= 0 else { return onEvent(.failed("the system has no descriptors left")) }
    let begun = Thread.start(name: "room-receiver") {
      ReceiverLoop(uri: uri, links: links, port: port, wake: wake, onEvent: onEvent).run()
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
