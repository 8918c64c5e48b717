import Listening
import SeededRandom
import Testing

@Suite struct ReportRingTests {
  @Test func theOldestGoesAndIsCounted() {
    var ring = ReportRing(mostRows: 3, mostBytes: 1 << 20)
    #expect(ring.append(1, bytes: 10) == [])
    #expect(ring.append(2, bytes: 10) == [])
    #expect(ring.append(3, bytes: 10) == [])
    #expect(ring.append(4, bytes: 10) == [1])
    #expect(ring.first(10) == [2, 3, 4])
    #expect(ring.lost == 1 && ring.count == 3 && ring.oldest == 2)
    ring.remove([3])
    #expect(ring.first(10) == [2, 4])
    #expect(ring.first(10, through: 3) == [2])
    #expect(ring.lost == 1, "what arrived isn't lost")
  }

  @Test func itHoldsFiveThousandUsualListensAndNoMore() {
    var ring = ReportRing()
    let body = ReportRecord(
      .heard, id: String(repeating: "a", count: 32),
      of: Listen(
        source: .playlist,
        track: ReportedTrack(
          title: "Symphony No. 5 in C minor, Op. 67: I. Allegro con brio", artist: "Wiener Philharmoniker",
          album: "Beethoven: Symphonies 5 & 7", number: 1, duration: .seconds(444),
          ids: MusicIDs(
            recording: "0f5c8f1a-0000-4000-8000-000000000001",
            release: "0f5c8f1a-0000-4000-8000-000000000002",
            track: "0f5c8f1a-0000-4000-8000-000000000003", artists: ["0f5c8f1a-0000-4000-8000-000000000004"])),
        began: UpTime(.zero), heard: .seconds(222), position: .seconds(222))
    ).body
    for seq in 1...5001 {
      let gone = ring.append(Int64(seq), bytes: body.utf8.count)
      #expect(gone == (seq <= 5000 ? [] : [1]))
    }
    #expect(ring.bytes <= 4 << 20)
  }

  @Test func largeOnesArePaidFor() {
    var ring = ReportRing()
    for seq in 1...5000 { _ = ring.append(Int64(seq), bytes: 3000) }
    #expect(ring.bytes <= ReportRing.mostBytes && ring.count == ReportRing.mostBytes / 4096)
    var tiny = ReportRing(mostRows: 10, mostBytes: 100)
    #expect(tiny.append(1, bytes: 5000) == [], "the last one is never lost")
    #expect(tiny.append(2, bytes: 5000) == [1])
  }

  @Test(arguments: 0..<50) func anyOrderOfThingsKeepsTheYoungest(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var ring = ReportRing(mostRows: 50, mostBytes: 30_000)
    var model: [(seq: Int64, cost: Int)] = []
    var lost = 0
    for seq in 1...2000 {
      if Int.random(in: 0..<3, using: &random) == 0, !model.isEmpty {
        let arrived = model.prefix(Int.random(in: 0...model.count, using: &random)).map(\.seq).shuffled(
          using: &random
        )
        .prefix(Int.random(in: 0...30, using: &random))
        ring.remove(Array(arrived))
        model.removeAll { arrived.contains($0.seq) }
      }
      let bytes = Int.random(in: 0...3000, using: &random)
      let gone = ring.append(Int64(seq), bytes: bytes)
      model.append((Int64(seq), ReportRing.cost(bytes: bytes)))
      var expected: [Int64] = []
      while model.count > 50 || (model.count > 1 && model.map(\.cost).reduce(0, +) > 30_000) {
        expected.append(model.removeFirst().seq)
      }
      lost += expected.count
      #expect(gone == expected)
      #expect(ring.first(.max) == model.map(\.seq))
      #expect(ring.bytes == model.map(\.cost).reduce(0, +) && ring.lost == lost)
    }
  }
}
