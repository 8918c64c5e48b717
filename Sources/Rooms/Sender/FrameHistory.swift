/// The latest messages of sound, for whoever has missed some. Pure.
struct FrameHistory: Sendable {
  /// Half a second of packets of 5 ms, as the other senders keep.
  static let most = 100

  /// A ring: the place of a message is its distance from the first one of the run.
  private var datagrams: [[UInt8]] = []
  private var firstFrame: UInt32 = 0
  /// Number of messages since the run began.
  private var count: UInt32 = 0

  /// Forgets all; the next message may have any number.
  mutating func clear() {
    datagrams.removeAll(keepingCapacity: true)
    count = 0
  }

  /// Keeps a message. The numbers of a run follow each other.
  mutating func add(_ datagram: [UInt8], frame: UInt32) {
    if count == 0 { firstFrame = frame }
    if datagrams.count < Self.most {
      datagrams.append(datagram)
    } else {
      datagrams[Int(count) % Self.most] = datagram
    }
    count &+= 1
    // The distances never wrap: a run of 2^32 messages would last eight months.
    if count == .max { clear() }
  }

  /// The place in the ring of a message that is still there.
  func place(of frame: UInt32) -> Int? {
    let distance = frame &- firstFrame
    guard distance < count, count - distance <= UInt32(Self.most) else { return nil }
    return Int(distance) % Self.most
  }

  subscript(place: Int) -> [UInt8] { datagrams[place] }
}
