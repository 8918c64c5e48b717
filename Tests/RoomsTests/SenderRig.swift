import Testing

@testable import Rooms

/// A sender and its clock.
struct SenderRig {
  static let second: Int64 = 1_000_000_000
  static let millisecond: Int64 = 1_000_000
  static let here = IPv4Link(address: 0x0a00_0001, prefix: 24)
  static let group = IPv4Endpoint(address: 0xeffd_0102, port: 51970)

  var machine: SenderMachine
  var now: Int64 = 0
  var done: [SenderAction] = []

  init(_ mode: SenderMachine.Mode = .unicast, random: any RandomNumberGenerator & Sendable = Fixed()) {
    machine = SenderMachine(mode: mode, links: [Self.here], random: random)
  }

  /// The host with this last byte.
  static func room(_ number: UInt32, port: UInt16 = 5000) -> IPv4Endpoint {
    IPv4Endpoint(address: 0x0a00_0000 | number, port: port)
  }

  static func packet(
    samples: Int = 2, start: UInt64 = 0, rate: Int = 44100, depth: Int = 16, channels: Int = 2,
    codec: String = "FLAC", bytes: Int? = nil, timestamp: UInt32? = 0x0102_0304, latency: UInt32 = 2_257_920
  ) -> SenderMachine.Packet {
    SenderMachine.Packet(
      lossless: true, samples: samples, sampleStart: start, samplesTotal: 1000, rate: rate, bitRate: 705_600,
      bitDepth: depth, channels: channels, codec: codec,
      sound: [UInt8](repeating: 0, count: bytes ?? samples * channels * depth / 8), timestamp: timestamp,
      latency: latency)
  }

  mutating func hear(_ datagram: [UInt8], from source: IPv4Endpoint, isGroup: Bool = false) {
    done = machine.receive(datagram[...], from: source, isGroup: isGroup, at: now)
  }

  mutating func join(_ source: IPv4Endpoint) { hear(OHMMessage.joinDatagram, from: source) }
  mutating func listen(_ source: IPv4Endpoint) { hear(OHMMessage.listenDatagram, from: source) }
  mutating func send(_ packet: SenderMachine.Packet = packet()) { done = machine.send(packet, at: now) }

  /// Does what is due until then.
  mutating func run(_ duration: Int64) {
    let end = now + duration
    done = []
    var steps = 0
    while let due = machine.deadline, due <= end, steps < 100 {
      now = max(now, due)
      done += machine.timePassed(at: now)
      steps += 1
    }
    #expect(steps < 100, "it spins")
    now = end
  }

  /// What was sent to `receiver`.
  func sent(to receiver: IPv4Endpoint) -> [OHMMessage] {
    done.compactMap {
      if case .send(let datagram, let receivers) = $0, receivers.contains(receiver) {
        OHMMessage(datagram[...])
      } else {
        nil
      }
    }
  }

  func frames(to receiver: IPv4Endpoint) -> [UInt32] {
    sent(to: receiver).compactMap { if case .audio(let audio) = $0 { audio.frame } else { nil } }
  }

  /// Chance that always says 0.
  struct Fixed: RandomNumberGenerator, Sendable {
    func next() -> UInt64 { 0 }
  }
}
