import SeededRandom
import Testing

@testable import Rooms

/// Messages on the wire, byte by byte.
@Suite struct MessageTests {
  @Test func whatAReceiverSends() {
    #expect(OHMMessage.joinDatagram == [0x4f, 0x68, 0x6d, 0x20, 1, 0, 0, 8])
    #expect(OHMMessage.listenDatagram == [0x4f, 0x68, 0x6d, 0x20, 1, 1, 0, 8])
    #expect(OHMMessage.leaveDatagram == [0x4f, 0x68, 0x6d, 0x20, 1, 2, 0, 8])
    #expect(
      OHMMessage.resendDatagram([7, 9]) == [
        0x4f, 0x68, 0x6d, 0x20, 1, 7, 0, 20, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0, 9,
      ])
    #expect(
      OHZMessage.queryDatagram(zone: "ab") == [0x4f, 0x68, 0x7a, 0x20, 1, 0, 0, 14, 0, 0, 0, 2, 0x61, 0x62])
  }

  @Test func soundIsRead() throws {
    guard case .audio(let audio) = OHMMessage(Wire.audio(frame: 5, start: 99)[...]) else {
      Issue.record("not read")
      return
    }
    #expect(audio.flags == [.lossless, .timestamped])
    #expect(audio.frame == 5 && audio.timestamp == 0x0102_0304 && audio.sampleStart == 99)
    #expect(audio.samplesTotal == 1000 && audio.rate == 44100 && audio.bitRate == 705_600)
    #expect(audio.bitDepth == 16 && audio.channels == 2 && audio.codec == "FLAC" && audio.sound.count == 8)
    #expect(audio.latencyNanoseconds == 200_000_000)
  }

  @Test(arguments: [
    Wire.audio(frame: 1, rate: 0), Wire.audio(frame: 1, rate: .max), Wire.audio(frame: 1, depth: 8),
    Wire.audio(frame: 1, channels: 0), Wire.audio(frame: 1, channels: 3),
    Array(Wire.audio(frame: 1).dropLast()),
    Array("Ohx ".utf8) + [1, 0, 0, 8], Array("Ohm ".utf8) + [2, 0, 0, 8], Array("Ohm ".utf8) + [1, 0, 0, 7],
    Array("Ohm ".utf8) + [1, 8, 0, 8], Array("Ohm ".utf8) + [1, 255, 0, 8], [],
    Array("Ohm ".utf8) + [1, 6, 0, 12, 255, 255, 255, 255], Array("Ohm ".utf8) + [1, 7, 0, 12, 0, 0, 0, 1],
  ]) func whatIsWrongIsDropped(_ datagram: [UInt8]) {
    #expect(OHMMessage(datagram[...]) == nil)
  }

  @Test func zonesAreRead() {
    #expect(OHZMessage(Wire.zone("z", "ohu://1.2.3.4:5")[...]) == .uri(zone: "z", uri: "ohu://1.2.3.4:5"))
    #expect(OHZMessage(OHZMessage.queryDatagram(zone: "z")[...]) == .query(zone: "z"))
    #expect(OHZMessage(Wire.zone("z", String(repeating: "u", count: 1024))[...]) == nil, "too long")
  }

  /// Anything may come: it is dropped, or read within its own bytes.
  @Test func garbageIsHarmless() {
    var random = SeededRandom(seed: 14)
    let whole = [
      Wire.audio(frame: 1), Wire.track(1), Wire.metatext("text"), Wire.zone("z", "u"), Wire.slaves([]),
      OHMMessage.resendDatagram([1, 2]),
    ]
    for _ in 0..<200_000 {
      var bytes = whole[Int.random(in: 0..<whole.count, using: &random)]
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      bytes.removeLast(Int.random(in: 0...bytes.count / 4, using: &random))
      if case .audio(let audio) = OHMMessage(bytes[...]) { #expect(audio.sound.count <= bytes.count) }
      if case .slaves(let slaves) = OHMMessage(bytes[...]) { #expect(slaves.count * 6 <= bytes.count) }
      _ = OHZMessage(bytes[...])
    }
  }

  @Test func addresses() {
    let zones = "ohz://239.255.255.250:51972/"
    #expect(SongcastURI(zones + "a-b") == .zone("a-b"))
    #expect(
      SongcastURI("OHM://239.253.1.2:51970") == .multicast(IPv4Endpoint(address: 0xeffd_0102, port: 51970)))
    #expect(SongcastURI("ohu://192.0.2.7:5000") == .unicast(IPv4Endpoint(address: 0xc000_0207, port: 5000)))
    #expect(SongcastURI("ohu://0.0.0.0:0") == .silence && SongcastURI("ohm://0.0.0.0:0") == .silence)
    for wrong in [
      "", "ohz", zones, zones + String(repeating: "z", count: 257), "ohz://239.255.255.250:51971/z",
      "ohu://192.0.2.7",
      "ohu://192.0.2.7:0", "ohu://192.0.2.256:1", "ohu://1.2.3:1", "ohu://1..2.3:1", "ohu://host:1",
      "http://192.0.2.7:80/",
      "ohu://192.0.2.7:65536", "ohu:192.0.2.7:1",
    ] {
      #expect(SongcastURI(wrong) == nil, "\(wrong)")
    }
  }

  @Test func links() {
    let link = IPv4Link(address: 0x0a00_0005, prefix: 24)
    #expect(link.contains(0x0a00_00fe) && link.contains(0x0a00_0005))
    #expect(!link.contains(0x0a00_0105) && !link.contains(0xeffd_0001) && !link.contains(0))
    #expect(!IPv4Link(address: 0x0a00_0005, prefix: 0).contains(0xe000_0001), "a group is no host")
  }
}
