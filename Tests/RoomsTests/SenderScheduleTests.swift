import SeededRandom
import Testing

@testable import Rooms

/// Whatever comes, the sender does what a simple model says, and sends nothing that harms receivers.
@Suite struct SenderScheduleTests {
  /// Who listens and what was sent, kept in the plainest way.
  private struct Model {
    var listeners: [(endpoint: IPv4Endpoint, expires: Int64)] = []
    var frames: [UInt32] = []
    var isHalted = false
    var next: UInt32 = 0
    var resent: [Key: Int64] = [:]
    struct Key: Hashable {
      var endpoint: IPv4Endpoint
      var frame: UInt32
    }

    mutating func hear(_ source: IPv4Endpoint, at now: Int64) {
      if let place = listeners.firstIndex(where: { $0.endpoint == source }) {
        listeners[place].expires = now + 10_000_000_000
      } else if listeners.count < 16 {
        if listeners.isEmpty { reset() }
        listeners.append((source, now + 10_000_000_000))
      }
    }

    mutating func leave(_ source: IPv4Endpoint) {
      listeners.removeAll { $0.endpoint == source }
      resent = resent.filter { $0.key.endpoint != source }
      if listeners.isEmpty { reset() }
    }

    mutating func expire(at now: Int64) {
      for gone in listeners.filter({ $0.expires <= now }) { leave(gone.endpoint) }
    }

    mutating func reset() { (frames, next, resent) = ([], 0, [:]) }

    mutating func again(_ asked: [UInt32], _ source: IPv4Endpoint, at now: Int64) -> [UInt32] {
      guard listeners.contains(where: { $0.endpoint == source }) else { return [] }
      return asked.prefix(20).filter { frame in
        guard frames.suffix(100).contains(frame) else { return false }
        let key = Key(endpoint: source, frame: frame)
        if let last = resent[key], now - last < 20_000_000 { return false }
        resent[key] = now
        return true
      }
    }
  }

  /// The rules of messages that no receiver falls over.
  private func isHarmless(_ datagram: [UInt8]) -> Bool {
    guard datagram.count <= 6144, let message = OHMMessage(datagram[...]),
      Int(datagram[6]) << 8 | Int(datagram[7]) == datagram.count
    else { return false }
    switch message {
    case .leave: return datagram.count == 8
    case .track(_, let uri, let metadata):
      return datagram.count <= 1400 && uri.utf8.count <= 1000
        && datagram.count == 20 + uri.utf8.count + metadata.utf8.count
    case .metatext(_, let text):
      return text.utf8.count <= 1000 && datagram.count == 16 + text.utf8.count
    case .audio(let audio):
      return datagram[8] == 50 && datagram[56] == 0 && datagram[57] <= 29 && audio.sound.count <= 5760
        && datagram.count == 58 + Int(datagram[57]) + audio.sound.count
        && audio.flags.isSubset(of: [.halt, .lossless, .timestamped, .resent, .promptStamps])
        && audio.latencyNanoseconds <= 340_000_000 && (audio.samples > 0 || audio.flags.contains(.halt))
    case .join, .listen, .slaves, .resend: return false
    }
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>) func aModelAgrees(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var rig = SenderRig(random: SeededRandom(seed: seed))
    var model = Model()
    var isActive = false
    for step in 0..<10_000 {
      let source = SenderRig.room(UInt32.random(in: 1...24, using: &random))
      let isSelf = source.address == SenderRig.here.address
      var expected: [UInt32]?
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<8:
        rig.join(source)
        model.expire(at: rig.now)
        if !isSelf { model.hear(source, at: rig.now) }
      case 8..<20:
        rig.listen(source)
        model.expire(at: rig.now)
        if !isSelf { model.hear(source, at: rig.now) }
      case 20..<24:
        rig.hear(OHMMessage.leaveDatagram, from: source)
        model.expire(at: rig.now)
        model.leave(source)
      case 24..<32:
        let asked = (0..<Int.random(in: 0...30, using: &random)).map { _ in
          model.next &- UInt32(Int.random(in: 0...120, using: &random))
        }
        rig.hear(OHMMessage.resendDatagram(asked), from: source)
        if !isSelf { model.expire(at: rig.now) }
        expected = model.again(asked, source, at: rig.now)
        #expect(rig.frames(to: source) == expected, "seed \(seed), step \(step)")
      case 32..<35:
        rig.done = rig.machine.halt(at: rig.now)
        model.expire(at: rig.now)
        note(&model, rig.done)
      case 35..<36:
        rig.machine.skip()
        rig.done = []
        // Behind a halt nobody misses anything.
        if !model.frames.isEmpty, !model.isHalted { (model.next, model.frames) = (model.next &+ 250, []) }
      case 36..<40:
        let length = Int.random(in: 0...1500, using: &random)
        rig.done = rig.machine.setTrack(
          uri: String(repeating: "u", count: Int.random(in: 0...1100, using: &random)),
          metadata: String(repeating: "m", count: length), at: rig.now)
        rig.done += rig.machine.setMetatext(String(repeating: "m", count: length), at: rig.now)
        model.expire(at: rig.now)
      case 40..<42: rig.run(Int64.random(in: 0...11 * SenderRig.second, using: &random))
      case 42..<44:
        var garbage = OHMMessage.joinDatagram
        garbage[Int.random(in: 0..<4, using: &random)] = 0
        rig.hear(garbage, from: source)
        #expect(rig.done.isEmpty)
      default:
        rig.run(Int64.random(in: 0...10 * SenderRig.millisecond, using: &random))
        model.expire(at: rig.now)
        let before = rig.done
        let samples = Int.random(in: 0...1000, using: &random)
        rig.send(
          SenderRig.packet(
            samples: samples, rate: [44100, 192_000].randomElement(using: &random) ?? 0,
            depth: [16, 24].randomElement(using: &random) ?? 0,
            codec: String(repeating: "c", count: Int.random(in: 0...40, using: &random)),
            timestamp: Bool.random(using: &random) ? 5 : nil,
            latency: UInt32.random(in: 0...(.max), using: &random)))
        note(&model, rig.done)
        rig.done = before + rig.done
      }
      // What the time alone did is told with the next call.
      if !rig.machine.listeners.isEmpty || rig.machine.deadline == nil { model.expire(at: rig.now) }
      for action in rig.done {
        switch action {
        case .send(let datagram, let receivers):
          #expect(isHarmless(datagram), "seed \(seed), step \(step)")
          #expect(!receivers.isEmpty && receivers.count <= 16 && Set(receivers).count == receivers.count)
          #expect(receivers.allSatisfy { SenderRig.here.contains($0.address) })
          #expect(receivers.allSatisfy { $0.address != SenderRig.here.address })
        case .becameActive:
          #expect(!isActive)
          isActive = true
        case .becameIdle:
          #expect(isActive)
          isActive = false
        case .blocked, .unblocked: Issue.record("this is unicast")
        }
      }
      #expect(rig.machine.listeners == model.listeners.map(\.endpoint), "seed \(seed), step \(step)")
      #expect(rig.machine.nextFrame == model.next, "seed \(seed), step \(step)")
      #expect(isActive == rig.machine.hasListeners, "seed \(seed), step \(step)")
    }
  }

  /// Frames of a run follow each other, and each goes to all who listen.
  private func note(_ model: inout Model, _ actions: [SenderAction]) {
    for case .send(let datagram, let receivers) in actions {
      guard case .audio(let audio)? = OHMMessage(datagram[...]) else { continue }
      #expect(audio.frame == model.next && receivers == model.listeners.map(\.endpoint))
      model.frames.append(audio.frame)
      model.isHalted = audio.flags.contains(.halt)
      model.next &+= 1
    }
  }
}
