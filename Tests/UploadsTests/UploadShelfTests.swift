import SeededRandom
import Testing

@testable import Uploads

@Suite struct UploadShelfTests {
  private static func song(_ number: Int, bytes: Int, used: Int = 0) -> UploadedSong {
    let digits = String(number, radix: 16)
    return UploadedSong(
      key: String(repeating: "0", count: 32 - digits.count) + digits, name: "\(number).mp3",
      type: "audio/mpeg",
      bytes: bytes, added: number, used: used)
  }

  private static func shelf(_ limit: Int, _ songs: [UploadedSong]) -> UploadShelf {
    var shelf = UploadShelf(limit: limit)
    for song in songs { shelf.add(song) }
    return shelf
  }

  private static func admit(
    _ key: String, _ bytes: Int, free: Int? = nil, needed: [String] = [], to shelf: inout UploadShelf
  ) -> Result<[String], UploadShelf.Refusal> {
    Result { () throws(UploadShelf.Refusal) in
      try shelf.admit(key, bytes: bytes, free: free, needed: Set(needed))
    }
  }

  private static func keys(_ numbers: Int...) -> [String] { numbers.map { song($0, bytes: 1).key } }

  @Test func theOldestUnusedGoesFirstAndWhatIsNeededStays() {
    var shelf = Self.shelf(
      100,
      [Self.song(1, bytes: 40, used: 9), Self.song(2, bytes: 30, used: 5), Self.song(3, bytes: 30, used: 7)])
    let first = Self.admit("new", 20, to: &shelf)
    #expect(first == .success(Self.keys(2)))
    shelf.giveUp("new")
    let second = Self.admit("new", 60, needed: Self.keys(3), to: &shelf)
    #expect(second == .success(Self.keys(1)))
    #expect(shelf.bytes == 30)
    let third = Self.admit("more", 20, needed: Self.keys(3), to: &shelf)
    #expect(third == .failure(.full))
  }

  @Test func whatIsTooLargeMakesNoRoom() {
    var shelf = Self.shelf(100, [Self.song(1, bytes: 40)])
    let large = Self.admit("new", 101, to: &shelf)
    #expect(large == .failure(.tooLarge))
    let excess = Self.admit("new", 61, needed: Self.keys(1), to: &shelf)
    #expect(excess == .failure(.full))
    #expect(shelf.songs.count == 1, "nothing goes for what can't come")
    let checked = Result { () throws(UploadShelf.Refusal) in
      try shelf.check(bytes: 100, free: nil, needed: [])
    }
    #expect((try? checked.get()) != nil && shelf.songs.count == 1, "nothing goes before it is known")
    let whole = Self.admit("new", 100, to: &shelf)
    #expect(whole == .success(Self.keys(1)))
  }

  @Test func theDiskKeepsSomeRoom() {
    let spared = UploadShelf.spared
    var shelf = Self.shelf(spared, [Self.song(1, bytes: 40)])
    let lack = Self.admit("new", 50, free: spared + 9, to: &shelf)
    #expect(lack == .failure(.noSpace))
    let fits = Self.admit("new", 50, free: spared + 10, to: &shelf)
    #expect(fits == .success(Self.keys(1)))
    // The first isn't written yet.
    let second = Self.admit("second", 50, free: spared + 99, to: &shelf)
    #expect(second == .failure(.noSpace))
    let third = Self.admit("second", 50, free: spared + 100, to: &shelf)
    #expect(third == .success([]))
  }

  @Test func thereAreNeverTooMany() {
    var shelf = Self.shelf(1 << 40, (1...UploadShelf.mostSongs).map { Self.song($0, bytes: 1, used: $0) })
    let first = Self.admit("new", 1, to: &shelf)
    #expect(first == .success(Self.keys(1)))
    let second = Self.admit("newer", 1, needed: Self.keys(2), to: &shelf)
    #expect(second == .success(Self.keys(3)))
  }

  @Test func aLowerLimitLetsUnneededOnesGo() {
    var shelf = Self.shelf(
      100,
      [Self.song(1, bytes: 40, used: 1), Self.song(2, bytes: 30, used: 2), Self.song(3, bytes: 30, used: 3)])
    let going = shelf.setLimit(50, needed: Set(Self.keys(1)))
    #expect(going == Self.keys(2, 3))
    #expect(shelf.bytes == 40)
    let none = shelf.setLimit(10, needed: Set(Self.keys(1)))
    #expect(none == [])
  }

  @Test func songsAreFoundByTheNamesOfTheirFiles() {
    var old = Self.song(1, bytes: 1)
    old.name = "Émile.MP3"
    var new = Self.song(2, bytes: 1)
    // Apple writes the accent as a character of its own.
    new.name = "E\u{301}mile.mp3"
    let shelf = Self.shelf(10, [old, new])
    #expect(shelf.songsByName["émile.mp3"]?.key == new.key)
    #expect(shelf.songsByName["other.mp3"] == nil)
    #expect(shelf.newestFirst.map(\.key) == [new.key, old.key])
  }

  /// Random sequences against a model that looks at everything anew each time.
  @Test(arguments: 0..<200) func itIsAsAModelSays(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let limit = Int.random(in: 50...200, using: &random)
    var shelf = UploadShelf(limit: limit)
    var kept: [UploadedSong] = []
    var coming: [UploadedSong] = []
    var clock = 0
    for number in 1...150 {
      clock += 1
      let needed = Set(kept.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }.map(\.key))
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4:
        let song = Self.song(number, bytes: .random(in: 1...80, using: &random), used: clock)
        let room = limit - coming.reduce(0) { $0 + $1.bytes } - song.bytes
        var rest = kept
        var going: [String] = []
        while rest.reduce(0, { $0 + $1.bytes }) > room,
          let oldest = rest.filter({ !needed.contains($0.key) }).min(by: {
            ($0.used, $0.added, $0.key) < ($1.used, $1.added, $1.key)
          })
        {
          rest.removeAll { $0.key == oldest.key }
          going.append(oldest.key)
        }
        let fits = rest.reduce(0) { $0 + $1.bytes } <= room
        switch Self.admit(song.key, song.bytes, needed: Array(needed), to: &shelf) {
        case .success(let keys):
          #expect(fits && keys == going, "seed \(seed)")
          kept = rest
          coming.append(song)
        case .failure(let refusal):
          #expect(!fits && refusal == (song.bytes > limit ? .tooLarge : .full), "seed \(seed)")
        }
      case 4..<7:
        guard let song = coming.randomElement(using: &random) else { continue }
        coming.removeAll { $0.key == song.key }
        if Bool.random(using: &random) {
          shelf.add(song)
          kept.append(song)
        } else {
          shelf.giveUp(song.key)
        }
      case 7..<9:
        guard let index = kept.indices.randomElement(using: &random) else { continue }
        kept[index].used = clock
        shelf.use(kept[index].key, at: clock)
      default:
        guard let song = kept.randomElement(using: &random) else { continue }
        kept.removeAll { $0.key == song.key }
        shelf.remove(song.key)
      }
      #expect(Set(shelf.songs.values) == Set(kept), "seed \(seed)")
      #expect(shelf.bytes == kept.reduce(0) { $0 + $1.bytes })
      #expect(shelf.bytes + coming.reduce(0) { $0 + $1.bytes } <= limit, "seed \(seed)")
    }
  }
}
