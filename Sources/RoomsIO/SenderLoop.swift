import CLinux
import Glibc
import Rooms
import Threads

/// The thread of a ``RoomSender``: sends each packet when its time has come, and tells listeners the time. Confined to that
/// thread.
final class SenderLoop {
  private let sender: RoomSender
  private let sound: any SenderSound
  /// Where listeners ask for the time; nil if the port is taken.
  private var timeSocket: DatagramSocket?
  private var times: RoomTimeHost
  private var pace: SenderPace
  private var waits = ListenerWaits()
  private var text = ""
  private var play: UInt64?
  /// When the sound sent last isn't flowing any more.
  private var soundEnds: Int64?
  private var membersAreOld: Int64 = 0

  private static let second: Int64 = 1_000_000_000

  /// - Parameter timeSocket: where listeners ask for the time, which this closes; negative for none.
  init(_ sender: RoomSender, timeSocket: CInt) {
    self.sender = sender
    sound = sender.sound
    self.timeSocket = timeSocket >= 0 ? DatagramSocket(taking: timeSocket) : nil
    times = RoomTimeHost()
    pace = SenderPace(latency: sender.configuration.latency)
  }

  func run() {
    _ = ThreadPriority.raise()
    repeat {
      sender.wake.silence()
      step(at: MonotonicClock.now)
    } while wait()
  }

  private func step(at now: Int64) {
    answerTimes()
    if pace.wantsReading(at: now) { pace.take(sound.reading(), at: now) }
    send()
    let actions = sender.shared.withLock { $0.machine.timePassed(at: now) }
    sender.perform(actions)
    watchListeners(at: now)
    tellStatus(at: now)
  }

  /// Waits for something to do. False when nobody listens any more.
  private func wait() -> Bool {
    let (deadline, isOver) = sender.shared.withLock { shared -> (Int64?, Bool) in
      let deadline = shared.machine.deadline
      if deadline == nil {
        shared.isRunning = false
        shared.members = []
        shared.status = RoomSender.Status()
        // In one step with the end: whoever joins now begins anew, with this port, and with a sound that is kept.
        timeSocket = nil
        sound.setActive(false) {}
      }
      return (deadline, deadline == nil)
    }
    guard !isOver else {
      sender.onEvent(.statusChanged)
      return false
    }
    let next = [deadline, pace.deadline, soundEnds, waits.deadline].compactMap(\.self).min() ?? .max
    let time = max(0, next - MonotonicClock.now)
    var descriptors = [sender.wake.readEnd]
    if let timeSocket { descriptors.append(timeSocket.descriptor) }
    let readable = clinux_wait_readable(descriptors, CInt(descriptors.count), time)
    if readable & 1 != 0 { pace.changed(at: MonotonicClock.now) }
    return true
  }

  // MARK: Sound

  private func send() {
    // What the device plays next may be due at once; more than a second at a time isn't.
    for _ in 0..<256 {
      let now = MonotonicClock.now
      switch sound.take(before: pace.limit(at: now), session: pace.session) {
      case .sound(let block): send(block, at: now)
      case .halt:
        sender.perform(sender.shared.withLock { $0.machine.halt(at: now) })
        pace.halted()
      case .later(let running): return pace.wait(for: running)
      case .nothing: return pace.waitForMore()
      }
    }
  }

  private func send(_ block: SenderBlock, at now: Int64) {
    // A listener would get it when it is over.
    guard !pace.isTooLate(block, at: now) else { return sender.shared.withLock { $0.machine.skip() } }
    let (actions, frame, isSent) = sender.shared.withLock { shared -> ([SenderAction], UInt32, Bool) in
      let track = track(of: block, &shared)
      let rate = UInt64(block.rate)
      let packet = SenderMachine.Packet(
        lossless: track.isLossless, samples: block.samples, sampleStart: Self.samples(block.media, rate),
        samplesTotal: Self.samples(track.duration, rate), rate: block.rate, bitRate: track.bitRate,
        bitDepth: block.bitDepth, channels: block.channels, codec: track.codec, sound: block.sound,
        timestamp: pace.stamp(rate: block.rate), latency: pace.latencyTicks(rate: block.rate))
      var actions = tell(track, of: block, &shared, at: now)
      let frame = shared.machine.nextFrame
      actions += shared.machine.send(packet, at: now)
      return (actions, frame, shared.machine.nextFrame != frame)
    }
    sender.perform(actions)
    pace.sent(block, frame: frame, at: now)
    // Receivers take nothing below 7350 Hz.
    if isSent { soundEnds = now + Self.second }
  }

  private static func samples(_ nanoseconds: UInt64, _ rate: UInt64) -> UInt64 {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return seconds &* rate &+ (rest &* rate &+ 500_000_000) / 1_000_000_000
  }

  private func track(of block: SenderBlock, _ shared: inout RoomSender.Shared) -> SenderTrack {
    (block.play ?? play).flatMap { shared.tracks[$0] } ?? SenderTrack()
  }

  /// What listeners are told before `block`: another track, or another song of a station.
  private func tell(
    _ track: SenderTrack, of block: SenderBlock, _ shared: inout RoomSender.Shared, at now: Int64
  ) -> [SenderAction] {
    var actions: [SenderAction] = []
    if let play = block.play, play != self.play || track.metadata != metadata {
      self.play = play
      metadata = track.metadata
      text = ""
      actions += shared.machine.setTrack(uri: track.uri, metadata: track.metadata, at: now)
    }
    if track.text != text {
      text = track.text
      actions += shared.machine.setMetatext(track.text, at: now)
    }
    return actions
  }

  /// What was told last.
  private var metadata = ""

  // MARK: Time

  private func answerTimes() {
    guard let timeSocket else { return }
    for _ in 0..<64 {
      guard let arrival = timeSocket.receive() else { return }
      let isMember = sender.shared.withLock { $0.machine.isListener(arrival.source.address) }
      let anchor = pace.anchor(at: MonotonicClock.now)
      guard
        let reply = times.reply(
          to: arrival.bytes[...], from: arrival.source, arrival: arrival.time, at: MonotonicClock.now,
          isMember: isMember, anchor: anchor)
      else { continue }
      timeSocket.send(reply, to: arrival.source)
    }
  }

  // MARK: Listeners

  private func watchListeners(at now: Int64) {
    let listeners = sender.shared.withLock { $0.machine.listeners }
    times.forget(at: now)
    let isUnicast = sender.configuration.group == nil
    let members = times.members.filter { member in
      !isUnicast || listeners.contains { $0.address == member.address }
    }
    if waits.update(listeners, members, at: now) { sound.waitForRooms(until: waits.until) }
    // Whoever asks sees what was said a tenth of a second ago at the most.
    guard now >= membersAreOld else { return }
    membersAreOld = now + 100_000_000
    sender.shared.withLock { $0.members = members }
  }

  private func tellStatus(at now: Int64) {
    if let ends = soundEnds, ends <= now { soundEnds = nil }
    var status = RoomSender.Status()
    let isNew = sender.shared.withLock { shared in
      status.listeners = shared.machine.listeners.count
      status.isSending = soundEnds != nil
      status.blocker = shared.machine.blocker
      defer { shared.status = status }
      return shared.status != status
    }
    if isNew { sender.onEvent(.statusChanged) }
  }
}
