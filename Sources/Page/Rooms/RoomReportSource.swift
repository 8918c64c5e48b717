import Network

/// What rooms say of how well they keep step.
public struct RoomReportsView: Sendable, Hashable {
  public enum State: Sendable, Hashable {
    /// It measures the clock.
    case joining
    /// It could begin.
    case ready
    case playing
    /// It hears nothing.
    case silent
  }

  /// What a room that listens says of itself.
  public struct Figures: Sendable, Hashable {
    public var state: State
    /// How far its sound is from where it should be, in µs; above zero it is early.
    public var offset: Int
    /// What 95 of 100 such offsets don't exceed, in µs.
    public var p95: Int
    /// How much faster it plays than its own clock says, in ppb.
    public var rate: Int
    /// Sound that was missing in the last 10 seconds, in thousandths.
    public var loss: Int
    /// Sound that it has and hasn't played, in µs.
    public var buffer: Int
    /// Packets that never came.
    public var lost: Int
    /// Packets that were sent again in time.
    public var repaired: Int
    /// How many seconds ago it said so.
    public var seen: Int

    public init(
      state: State, offset: Int = 0, p95: Int = 0, rate: Int = 0, loss: Int = 0, buffer: Int = 0,
      lost: Int = 0,
      repaired: Int = 0, seen: Int = 0
    ) {
      self.state = state
      self.offset = offset
      self.p95 = p95
      self.rate = rate
      self.loss = loss
      self.buffer = buffer
      self.lost = lost
      self.repaired = repaired
      self.seen = seen
    }
  }

  /// A room that listens to this speaker.
  public struct Listener: Sendable, Hashable {
    public var address: IPAddress
    public var figures: Figures

    public init(_ address: IPAddress, _ figures: Figures) {
      self.address = address
      self.figures = figures
    }
  }

  /// True while sound is sent to others.
  public var isSending = false
  /// Those that listen to this speaker.
  public var listeners: [Listener] = []
  /// This speaker, while it listens to another room.
  public var listening: Figures?

  public init() {}
}

/// Knows what rooms that listen to this speaker, and this speaker itself, say of how well they keep step.
public protocol RoomReportSource: Sendable {
  /// Called on the event loop, while a page shows it.
  func roomReports() -> RoomReportsView
}

/// A speaker that nobody listens to, and that listens to nobody.
public struct NoRoomReports: RoomReportSource {
  public init() {}

  public func roomReports() -> RoomReportsView { RoomReportsView() }
}
