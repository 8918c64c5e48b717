import Rooms
import SeededRandom

extension FuzzTarget {
  /// Datagrams of another room, up to the samples for the device. Each begins with a byte that says where it comes from and
  /// how much time passes before it, and with its length. What begins as a message about the room time goes to both its
  /// sides, too.
  static let songcast = FuzzTarget(
    name: "songcast", maximumLength: 4096,
    words: [
      "Ohm \u{1}", "Ohz \u{1}", "ohu://10.0.0.2:5000", "ohm://239.253.0.1:51970", "FLAC",
      "VRm1\u{1}\u{1}\u{0}@", "VRm1\u{1}\u{2}\u{0}@",
    ]
  ) { bytes in
    guard let uri = SongcastURI("ohz://239.255.255.250:51972/z") else { return }
    var machine = ReceiverMachine(
      uri: uri, links: [IPv4Link(address: 0x0a00_0001, prefix: 24)], random: SeededRandom(seed: 1))
    var feed = RoomFeed()
    var roomTime = RoomTimeSides()
    var (now, streams) = (Int64(0), 0)
    func take(_ actions: [ReceiverAction]) throws {
      for action in actions {
        switch action {
        case .openStream: streams += 1
        case .closeStream: streams -= 1
        case .beginAnew: feed.beginAnew()
        case .halted: feed.halt()
        case .audio(let audio, let arrival):
          try promise(audio.sound.count <= bytes.count, "more sound than came")
          feed.add(audio, arrival: arrival)
        case .forward(_, let receivers):
          try promise(receivers.count <= 4, "passed on to \(receivers.count)")
          try promise(
            receivers.allSatisfy { $0.address >> 8 == 0x0a00_00 && $0.port >= 1024 }, "passed on far away")
        case .sendToStream(let sent), .sendToZones(let sent):
          try promise(sent.count <= 1400, "a long message")
        case .openZones, .lost, .track, .metatext: break
        }
      }
      try promise((0...1).contains(streams), "\(streams) streams at once")
    }
    try take(machine.start(at: now))
    var rest = bytes[...]
    while rest.count >= 3, let control = rest.first {
      let length = Int(rest[rest.startIndex + 1]) << 8 | Int(rest[rest.startIndex + 2])
      let datagram = Array(rest.dropFirst(3).prefix(length))
      rest = rest.dropFirst(3 + length)
      now += Int64(control >> 2) * 20_000_000
      var steps = 0
      while let due = machine.deadline, due <= now, steps < 50 {
        try take(machine.timePassed(at: now))
        steps += 1
      }
      try promise(steps < 50, "it spins")
      try roomTime.take(datagram, isMember: control & 2 == 0, at: now)
      let source = IPv4Endpoint(address: control & 2 == 0 ? 0x0a00_0002 : 0x0a00_0003, port: 5000)
      try take(
        machine.receive(
          datagram, from: source, on: control & 1 == 1 ? .zones : .stream, arrival: now, at: now))
      if let block = feed.render(soundsAt: now + 150_000_000, frames: { $0 / 100 }) {
        try promise(block.values.count == block.rate / 100 * block.channels, "a block of another length")
      }
    }
    try take(machine.stop(at: now))
    try promise(streams == 0, "a stream is left open")
  }
}

/// Member and host of the room time, both of which a stranger talks to.
private struct RoomTimeSides {
  var asker = RoomTimeAsker(rate: nil, random: SeededRandom(seed: 2))
  var host = RoomTimeHost(random: SeededRandom(seed: 3))
  /// Of the questions, the latest last.
  var nonces: [UInt64] = []
  var answered: [Int64] = []

  init() { asker.start(at: 0) }

  mutating func take(_ datagram: [UInt8], isMember: Bool, at now: Int64) throws {
    try ask(at: now)
    guard datagram.starts(with: Array("VRm1".utf8)) else { return }
    asker.receive(known(datagram)[...], arrival: now, at: now)
    if datagram.last == 1 { asker.refused(at: now) }
    try checkClock(at: now)
    let source = IPv4Endpoint(address: 0x0a00_0000 + UInt32(datagram.count > 8 ? datagram[8] : 0), port: 5000)
    let anchor = asker.anchor ?? RoomAnchor()
    if let reply = host.reply(
      to: datagram[...], from: source, arrival: now, at: now, isMember: isMember, anchor: anchor)
    {
      try promise(isMember, "a stranger is answered")
      try promise(reply.count == 64 && datagram.count == 64, "an answer of another length")
      answered = answered.filter { now - $0 < 1_000_000_000 } + [now]
      try promise(answered.count <= 400, "\(answered.count) answers in a second")
    }
    try promise(host.members.count <= 64, "\(host.members.count) members")
  }

  private mutating func ask(at now: Int64) throws {
    guard let due = asker.deadline, due <= now else { return }
    if let request = asker.timePassed(at: now) {
      guard let nonce = RoomTimeRequest(request[...])?.nonce else {
        throw BrokenPromise(description: "no question")
      }
      nonces = nonces.suffix(20) + [nonce]
    }
    if let due = asker.deadline { try promise(due > now, "it spins") }
  }

  /// With the nonce of a question if its first byte says which; nobody would guess one.
  private func known(_ datagram: [UInt8]) -> [UInt8] {
    guard datagram.count >= 16, Int(datagram[8]) < nonces.count else { return datagram }
    var bytes = datagram
    var nonce = nonces[nonces.count - 1 - Int(datagram[8])]
    for place in (8..<16).reversed() {
      bytes[place] = UInt8(truncatingIfNeeded: nonce)
      nonce >>= 8
    }
    return bytes
  }

  private func checkClock(at now: Int64) throws {
    let clock = asker.clock
    let back = clock.local(room: clock.room(local: now))
    try promise(abs(back - now) < 1000, "there and back is \(back - now) ns")
    try promise(abs(clock.rate) <= 0.001 && clock.halfWidth >= 0, "rate \(clock.rate)")
    guard let anchor = asker.anchor, let heard = anchor.heard(samples: 48000, sampleRate: 48000) else {
      return
    }
    _ = clock.local(room: heard)
  }
}
