import Testing

@testable import Rooms

/// What a sender puts on the wire, byte by byte.
@Suite struct SenderMessageTests {
  @Test func tracksAndTexts() {
    #expect(
      OHMMessage.trackDatagram(sequence: 258, uri: "ab", metadata: "<x/>") == [
        0x4f, 0x68, 0x6d, 0x20, 1, 4, 0, 26, 0, 0, 1, 2, 0, 0, 0, 2, 0, 0, 0, 4, 0x61, 0x62, 0x3c, 0x78, 0x2f,
        0x3e,
      ])
    #expect(
      OHMMessage.metatextDatagram(sequence: 1, "é") == [
        0x4f, 0x68, 0x6d, 0x20, 1, 5, 0, 18, 0, 0, 0, 1, 0, 0, 0, 2, 0xc3, 0xa9,
      ])
    #expect(
      OHMMessage.metatextDatagram(sequence: 0, "") == [
        0x4f, 0x68, 0x6d, 0x20, 1, 5, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0,
      ])
  }

  @Test func zones() {
    #expect(
      OHZMessage.uriDatagram(zone: "ab", uri: "ohu") == [
        0x4f, 0x68, 0x7a, 0x20, 1, 1, 0, 21, 0, 0, 0, 2, 0, 0, 0, 3, 0x61, 0x62, 0x6f, 0x68, 0x75,
      ])
  }

  @Test func sound() throws {
    let message = AudioMessage(
      flags: [.lossless, .timestamped, .promptStamps], frame: 0x0a0b_0c0d, timestamp: 0x0102_0304,
      latency: 0x0033_7500,
      sampleStart: 0x1_0000_0002, samplesTotal: 0x3_0000_0004, rate: 44100, bitRate: 705_600, bitDepth: 24,
      channels: 2, codec: "FLAC", samples: 1, sound: [1, 2, 3, 4, 5, 6])
    let datagram = try #require(message.datagram)
    #expect(
      datagram == [
        0x4f, 0x68, 0x6d, 0x20, 1, 3, 0, 68, 50, 0x16, 0, 1, 0x0a, 0x0b, 0x0c, 0x0d, 1, 2, 3, 4, 0, 0x33,
        0x75, 0,
        0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0xac, 0x44, 0, 0x0a, 0xc4, 0x40,
        0, 0, 24, 2, 0, 4, 0x46, 0x4c, 0x41, 0x43, 1, 2, 3, 4, 5, 6,
      ])
    #expect(OHMMessage(datagram[...]) == .audio(message))
    var again = message
    again.flags.insert(.resent)
    #expect(OHMMessage(AudioMessage.resent(datagram)[...]) == .audio(again), "only the flag differs")
  }

  @Test func whatIsWrittenIsRead() {
    for depth in [16, 24] {
      for channels in [1, 2] {
        for rate in [7350, 44100, 48000, 96000, 192_000, 384_000] {
          let samples = min(rate / 200, 5760 * 8 / depth / channels)
          let message = AudioMessage(
            flags: [.lossless], frame: .max, timestamp: 7, latency: 9, sampleStart: .max, samplesTotal: .max,
            rate: rate, bitRate: 1, bitDepth: depth, channels: channels, codec: "", samples: samples,
            sound: ArraySlice((0..<samples * channels * depth / 8).map { UInt8(truncatingIfNeeded: $0) }))
          #expect(message.datagram.flatMap { OHMMessage($0[...]) } == .audio(message))
        }
      }
    }
    #expect(
      OHMMessage(OHMMessage.trackDatagram(sequence: 3, uri: "u", metadata: "ä")[...])
        == .track(sequence: 3, uri: "u", metadata: "ä"))
    #expect(OHMMessage(OHMMessage.metatextDatagram(sequence: 3, "ä")[...]) == .metatext(sequence: 3, "ä"))
    #expect(OHZMessage(OHZMessage.uriDatagram(zone: "z", uri: "u")[...]) == .uri(zone: "z", uri: "u"))
  }

  @Test(arguments: [
    "ohz://239.255.255.250:51972/a-b", "ohm://239.253.1.2:51970", "ohu://192.0.2.7:5000", "ohu://0.0.0.0:0",
  ]) func addressesAreWritten(_ text: String) { #expect(SongcastURI(text)?.text == text) }
}
