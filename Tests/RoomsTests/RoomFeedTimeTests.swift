import Testing

@testable import Rooms

/// A feed that knows the sender's time.
@Suite struct RoomFeedTimeTests {
  private static let second: Int64 = 1_000_000_000
  /// Room time less local time.
  private static let offset: Int64 = 77_000_000_000

  private func clock() -> RoomClock {
    var clock = RoomClock()
    for index in 0..<30 {
      let t1 = Int64(index) * 20_000_000
      clock.add(
        t1: t1, t2: t1 + 100_000 + Self.offset, t3: t1 + 150_000 + Self.offset, t4: t1 + 250_000)
    }
    return clock
  }

  private func message(_ frame: UInt32, value: UInt8 = 0x10) -> AudioMessage {
    let body = [UInt8](repeating: value, count: 220 * 4)
    return AudioMessage(
      flags: [.lossless], frame: frame, timestamp: 0, latency: 0, sampleStart: UInt64(frame) * 220,
      samplesTotal: 0, rate: 44000, bitRate: 0, bitDepth: 16, channels: 2, codec: "PCM", samples: 220,
      sound: body[...])
  }

  private func anchor(_ frame: UInt32, heard: Int64) -> RoomAnchor {
    RoomAnchor(
      epoch: 1, frame: frame, heard: heard + Self.offset, rate: 0, isMeasured: true, isPaused: false,
      httpPort: 0)
  }

  /// When the first sound comes out of a feed whose first frame is heard at 2 s in the sender's room.
  private func firstSound(_ prepare: (inout RoomFeed) -> Void) -> Int64? {
    var feed = RoomFeed()
    prepare(&feed)
    for block in 0..<300 {
      let time = Self.second + Int64(block) * 10_000_000
      guard let made = feed.render(soundsAt: time, frames: { $0 / 100 }) else { continue }
      if let place = made.values.firstIndex(where: { $0 != 0 }) {
        return time + Int64(place / 2) * Self.second / 44000
      }
    }
    return nil
  }

  @Test func theFirstSampleIsHeardWhenTheSenderHearsIt() throws {
    let first = try #require(
      firstSound { feed in
        feed.awaitsTime = true
        for frame in 0..<100 { feed.add(message(UInt32(frame)), arrival: Self.second) }
        feed.take(anchor(20, heard: 2 * Self.second + 100_000_000), clock())
      })
    // The filter rings for some samples around the edge.
    #expect(abs(first - 2 * Self.second) < 700_000)
  }

  @Test func aSenderThatTellsNoTimeInTheEndIsHeardAllTheSame() throws {
    let first = try #require(
      firstSound { feed in
        feed.awaitsTime = true
        for frame in 0..<400 {
          feed.add(message(UInt32(frame)), arrival: Self.second + Int64(frame) * 5_000_000)
        }
      })
    #expect((1_900_000_000...2_200_000_000).contains(first))
  }

  @Test func loudspeakersOfAPairPlayTheirSides() {
    let both: [Float] = [0.5, -0.25, 0.5, -0.25]
    let expected: [(RoomChannels, [Float])] = [
      (.stereo, both), (.mono, [0.125, 0.125, 0.125, 0.125]), (.left, [0.5, 0.5, 0.5, 0.5]),
      (.right, [-0.25, -0.25, -0.25, -0.25]), (.swapped, [-0.25, 0.5, -0.25, 0.5]),
    ]
    for (channels, values) in expected {
      var block = RoomFeed.Block(values: both, rate: 44100, channels: 2)
      channels.apply(to: &block)
      #expect(block.values == values)
    }
    var single = RoomFeed.Block(values: [0.5, -0.25], rate: 44100, channels: 1)
    RoomChannels.left.apply(to: &single)
    #expect(single.values == [0.5, -0.25])
  }

  @Test func hostileAnchorsDoNoHarm() {
    for heard in [Int64.min / 4, -1, 0, 1 << 61] {
      var feed = RoomFeed()
      for frame in 0..<50 { feed.add(message(UInt32(frame)), arrival: Self.second) }
      var anchor = anchor(10, heard: 2 * Self.second)
      _ = feed.render(soundsAt: Self.second, frames: { $0 / 100 })
      feed.take(anchor, clock())
      for block in 0..<20 {
        _ = feed.render(soundsAt: 2 * Self.second + Int64(block) * 10_000_000, frames: { $0 / 100 })
      }
      anchor.heard = heard
      anchor.rate = .min
      feed.take(anchor, clock())
      for block in 20..<120 {
        _ = feed.render(soundsAt: 2 * Self.second + Int64(block) * 10_000_000, frames: { $0 / 100 })
      }
    }
  }
}
