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
  /// The device is asked what it plays so often.
  private static let readingPause: Int64 = 50_000_000
  /// Blocks of this length are made.
  private static let blocksPerSecond = 100

  let receiver: RoomReceiver
  private let track: TrackFeed
  private let timeline: Timeline
  private let rooms: OutputRooms

  init(
    uri: SongcastURI, rooms: OutputRooms, track: TrackFeed, timeline: Timeline,
    notify: @escaping @Sendable (PipelineEvent) -> Void
  ) {
    let serial = track.serial
    self.track = track
    self.timeline = timeline
    self.rooms = rooms
    let listening = rooms.listening
    receiver = RoomReceiver(uri: uri, networks: rooms.networks) { event in
      if case .origin(let origin) = event { listening.comes(from: origin) }
      if let notice = RoomNotice(event) { notify(.room(serial, notice)) }
    }
  }

  func start() {
    let channels = RoomChannels(rooms.listening.channels)
    receiver.port.withLock { $0.feed.channels = channels }
    receiver.start()
    rooms.listening.begins(receiver.port)
    let (port, track, timeline, rooms) = (receiver.port, track, timeline, rooms)
    Thread.start(name: "room-player") {
      var loop = RoomPlayerLoop(port: port, track: track, timeline: timeline, rooms: rooms)
      loop.run()
    }
  }

  func stop() {
    receiver.stop()
    rooms.listening.ends(receiver.port)
  }

  /// The loop of the thread.
  private struct RoomPlayerLoop {
    let port: SharedState<RoomReceiver.Port>
    let track: TrackFeed
    let timeline: Timeline
    let rooms: OutputRooms
    /// What the device plays when; nil while it doesn't play.
    var line: DeviceLine?
    /// What it was heard playing last; nil while it doesn't play.
    var reading: (running: Int64, now: Int64)?
    var nextReading: Int64 = 0
    /// Since when it plays: at first it doesn't know exactly what.
    var playsSince: Int64?
    /// The device's session that all of this is about.
    var session = 0

    mutating func run() {
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
    private mutating func next() -> RoomFeed.Block? {
      port.find { port in
        if port.isClosed { return .result(nil) }
        guard port.feed.isActive else { return .nothing(until: nil) }
        let now = Int64(clamping: MonotonicTime.now.nanoseconds)
        beginSession(&port.feed)
        let fill = timeline.fill
        let end = Int64(clamping: fill.end)
        look(at: now, end: end)
        let playing = reading.map { $0.running + now - $0.now }
        // A device that is paused doesn't say what it still has; then it is given enough to begin with.
        let ahead = playing.map { end - $0 } ?? Int64(clamping: fill.waiting.wholeNanoseconds)
        guard ahead < RoomPlayer.lead else {
          // Without a running device there is nothing to reckon with: look again soon.
          let wait = playing == nil ? 20_000_000 : max(1_000_000, ahead - RoomPlayer.lead)
          return .nothing(until: UInt64(now + wait))
        }
        let soundsAt = line?.monotonic(running: end).map { $0 + rooms.clock.delay }
        let block = port.feed.render(soundsAt: soundsAt, deviceRate: line?.rate ?? 1) {
          $0 / RoomPlayer.blocksPerSecond
        }
        return block.map { .result($0) } ?? .nothing(until: nil)
      }
    }

    /// A device that was opened anew counts from zero, and what was made for the one before has gone elsewhere.
    private mutating func beginSession(_ feed: inout RoomFeed) {
      let current = timeline.session
      guard current != session else { return }
      (session, line, reading, playsSince) = (current, nil, nil, nil)
      feed.deviceChanged()
    }

    /// Asks the device what it plays, from time to time.
    private mutating func look(at now: Int64, end: Int64) {
      guard now >= nextReading else { return }
      nextReading = now + RoomPlayer.readingPause
      guard let playing = rooms.clock.running() else {
        line = nil
        reading = nil
        playsSince = nil
        // A device that starts is noticed soon.
        nextReading = now + 10_000_000
        return
      }
      reading = (playing.time, playing.now)
      let since = playsSince ?? now
      playsSince = since
      guard now - since >= DeviceLine.settling else { return }
      let kind = rooms.clock.lineKind
      if line == nil || end < playing.time { line = DeviceLine(kind: kind) }
      line?.add(monotonic: playing.now, running: playing.time)
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
