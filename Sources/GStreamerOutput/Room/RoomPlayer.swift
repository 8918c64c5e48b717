import CGStreamer
import Rooms
import RoomsIO
import Threads

/// Plays what a ``RoomReceiver`` receives: a thread that makes the device's samples shortly before they are heard, and
/// hands them on as a track does.
final class RoomPlayer: Sendable {
  /// The device has so much to go on with. Less would break off on a busy machine; a decision about the sound is heard this
  /// much later.
  private static let lead: Int64 = 120_000_000
  /// The device is asked what it plays when it has played this long: right after its start it doesn't know.
  private static let settling: Int64 = 200_000_000
  /// Blocks of this length are made.
  private static let blocksPerSecond = 100

  let receiver: RoomReceiver
  private let track: TrackFeed
  private let timeline: Timeline
  private let clock: DeviceClock

  init(
    uri: SongcastURI, networks: RoomNetworks, track: TrackFeed, timeline: Timeline, clock: DeviceClock,
    notify: @escaping @Sendable (PipelineEvent) -> Void
  ) {
    let serial = track.serial
    self.track = track
    self.timeline = timeline
    self.clock = clock
    receiver = RoomReceiver(
      uri: uri, links: { networks.current }, onEvent: { notify(.room(serial, RoomNotice($0))) })
  }

  func start() {
    receiver.start()
    let (port, track, timeline, clock) = (receiver.port, track, timeline, clock)
    Thread.start(name: "room-player") {
      RoomPlayerLoop(port: port, track: track, timeline: timeline, clock: clock).run()
    }
  }

  func stop() { receiver.stop() }

  /// The loop of the thread.
  private struct RoomPlayerLoop {
    let port: SharedState<RoomReceiver.Port>
    let track: TrackFeed
    let timeline: Timeline
    let clock: DeviceClock

    func run() {
      _ = ThreadPriority.raise()
      var caps: (format: [Int], caps: UnsafeMutablePointer<GstCaps>)?
      defer { if let caps { gst_caps_unref(caps.caps) } }
      while let block = next() {
        if caps?.format != [block.rate, block.channels] {
          if let caps { gst_caps_unref(caps.caps) }
          caps = Self.caps(block).map { ([block.rate, block.channels], $0) }
        }
        guard let caps = caps?.caps, push(block, caps) else { return }
      }
    }

    /// Waits until the device wants something, and makes it. Nil at the end.
    private func next() -> RoomFeed.Block? {
      port.find { port in
        if port.isClosed { return .result(nil) }
        guard port.feed.isActive else { return .nothing(until: nil) }
        let fill = timeline.fill
        let end = Int64(clamping: fill.end)
        let playing = clock.running()
        // A device that is paused doesn't say what it still has; then it is given enough to begin with.
        let ahead = playing.map { end - $0.time } ?? Int64(clamping: fill.waiting.wholeNanoseconds)
        guard ahead < RoomPlayer.lead else {
          let now = MonotonicTime.now.nanoseconds
          // Without a running device there is nothing to reckon with: look again soon.
          let wait = playing == nil ? 20_000_000 : max(1_000_000, ahead - RoomPlayer.lead)
          return .nothing(until: UInt64(now) + UInt64(wait))
        }
        let settled = playing.flatMap { $0.time > RoomPlayer.settling ? $0 : nil }
        let soundsAt = settled.map { $0.now + end - $0.time }
        let block = port.feed.render(soundsAt: soundsAt) { $0 / RoomPlayer.blocksPerSecond }
        return block.map { .result($0) } ?? .nothing(until: nil)
      }
    }

    private static func caps(_ block: RoomFeed.Block) -> UnsafeMutablePointer<GstCaps>? {
      gst_caps_from_string(
        "audio/x-raw,format=F32LE,rate=\(block.rate),channels=\(block.channels),layout=interleaved")
    }

    /// Hands `block` on when it is the track's turn. False when nothing is wanted any more.
    private func push(_ block: RoomFeed.Block, _ caps: UnsafeMutablePointer<GstCaps>) -> Bool {
      let bytes = gsize(block.values.count * MemoryLayout<Float>.size)
      guard let buffer = gst_buffer_new_allocate(nil, bytes, nil) else { return false }
      block.values.withUnsafeBytes { _ = gst_buffer_fill(buffer, 0, $0.baseAddress, bytes) }
      guard let sample = gst_sample_new(buffer, caps, nil, nil) else {
        gst_buffer_unref(buffer)
        return false
      }
      gst_buffer_unref(buffer)
      defer { gst_sample_unref(sample) }
      guard track.take(sample) == GST_FLOW_OK else { return false }
      // What is collected isn't counted as being on its way.
      track.flush()
      return true
    }
  }
}
