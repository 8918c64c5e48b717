import Rooms
import SeededRandom

/// Member and host of the room time, both of which a stranger talks to.
struct RoomTimeSides {
  private var asker = RoomTimeAsker(rate: nil, random: SeededRandom(seed: 2))
  private var host = RoomTimeHost(random: SeededRandom(seed: 3))
  /// Of the questions, the latest last.
  private var nonces: [UInt64] = []
  private var answered: [Int64] = []

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
