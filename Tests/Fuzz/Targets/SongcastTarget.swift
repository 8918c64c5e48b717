import Rooms
import SeededRandom

extension FuzzTarget {
  /// Datagrams of another room, up to the samples for the device; a sender and the owner of a zone get them, too, and what
  /// begins as a message about the room time goes to both its sides. Each begins with a byte that says where it comes from
  /// and how much time passes before it, and with its length.
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
    var room = SendingRoom()
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
        case .openZones, .lost, .unanswered, .track, .metatext: break
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
      try room.hear(datagram, from: source, at: now)
      if let block = feed.render(soundsAt: now + 150_000_000, frames: { $0 / 100 }) {
        try promise(block.values.count == block.rate / 100 * block.channels, "a block of another length")
      }
    }
    try take(machine.stop(at: now))
    try promise(streams == 0, "a stream is left open")
  }
}

/// The other half: a room that is listened to.
private struct SendingRoom {
  private static let here = IPv4Link(address: 0x0a00_0001, prefix: 24)

  private var sender = SenderMachine(links: [here], mostListeners: 1, random: SeededRandom(seed: 1))
  private var owner = ZoneOwner(zone: "z", links: [here])

  mutating func hear(_ datagram: [UInt8], from source: IPv4Endpoint, at now: Int64) throws {
    if let answer = owner.receive(datagram[...], from: source, at: now) {
      try promise(answer.count <= 1024, "a long answer about a zone")
    }
    var actions = sender.receive(datagram[...], from: source, at: now)
    try promise(actions.count <= 20, "\(actions.count) actions for a datagram")
    actions += sender.send(
      SenderMachine.Packet(
        lossless: true, samples: 1, sampleStart: 0, samplesTotal: 0, rate: 44100, bitRate: 0, bitDepth: 16,
        channels: 2, codec: "FLAC", sound: [0, 0, 0, 0], timestamp: nil, latency: 0), at: now)
    for case .send(let sent, let receivers) in actions {
      try promise(sent.count <= 1400 && receivers.count == 1, "too much is sent")
      try promise(receivers.allSatisfy { $0 == source || sender.listeners.contains($0) }, "to a stranger")
    }
    try promise(sender.listeners.count <= 1, "too many listen")
  }
}
