import SeededRandom

/// Makes inputs that are nearly right out of right ones; the same ones each time.
struct Mutator {
  private let seeds: [[UInt8]]
  private let words: [[UInt8]]
  private let maximumLength: Int
  private var random = SeededRandom(seed: 1)

  init(seeds: [[UInt8]], words: [String], maximumLength: Int) {
    self.seeds = seeds
    self.words = words.map { Array($0.utf8) }
    self.maximumLength = maximumLength
  }

  mutating func next() -> [UInt8] {
    var input = seeds.randomElement(using: &random) ?? []
    for _ in 0..<Int.random(in: 1...6, using: &random) { change(&input) }
    return Array(input.prefix(maximumLength))
  }

  private mutating func change(_ input: inout [UInt8]) {
    let place = Int.random(in: 0...input.count, using: &random)
    let end = min(input.count, place + Int.random(in: 1...32, using: &random))
    switch Int.random(in: 0..<8, using: &random) {
    case 0 where place < input.count: input[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1 where place < input.count:
      input[place] = [0, 0x0a, 0x0d, 0x20, 0x22, 0x7f, 0x80, 0xff].randomElement(using: &random) ?? 0
    case 2: input.removeSubrange(place..<end)
    case 3: input.insert(contentsOf: input[place..<end], at: Int.random(in: 0...input.count, using: &random))
    case 4, 5:
      if let word = words.randomElement(using: &random) { input.insert(contentsOf: word, at: place) }
    case 6:
      if let other = seeds.randomElement(using: &random) {
        input.replaceSubrange(place..., with: other.suffix(other.count - min(other.count, place)))
      }
    default: input.insert(UInt8.random(in: 0...255, using: &random), at: place)
    }
  }
}
