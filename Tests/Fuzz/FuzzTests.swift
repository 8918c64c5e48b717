import Foundation
import Testing

/// Plays every file of the corpus, and a few thousand inputs made of them that are the same each time. A crash that
/// the fuzzer found becomes a test by putting its file into the corpus.
@Suite(.serialized, .disabled(if: FuzzTarget.isFuzzing, "the fuzzer runs")) struct FuzzTests {
  @Test(arguments: FuzzTarget.all)
  func theCorpus(target: FuzzTarget) throws {
    let seeds = try Corpus.files(of: target)
    #expect(seeds.count >= 2, "no corpus to speak of")
    for seed in seeds { expect(target, toTake: seed.bytes, seed.name) }
  }

  @Test(arguments: FuzzTarget.all)
  func mutations(target: FuzzTarget) throws {
    let seeds = try Corpus.files(of: target).map(\.bytes)
    var mutator = Mutator(seeds: seeds, words: target.words, maximumLength: target.maximumLength)
    for round in 0..<target.rounds {
      let input = mutator.next()
      guard expect(target, toTake: input, "round \(round)") else { return }
    }
  }

  @Test(arguments: FuzzTarget.all)
  func emptyAndRepeated(target: FuzzTarget) {
    expect(target, toTake: [], "nothing")
    for word in target.words {
      let count = target.maximumLength / max(1, word.utf8.count)
      expect(target, toTake: Array(String(repeating: word, count: count).utf8), "\(word) \(count) times")
    }
  }

  @discardableResult
  private func expect(_ target: FuzzTarget, toTake input: [UInt8], _ name: String) -> Bool {
    do {
      let time = try ContinuousClock().measure { try target.run(input) }
      // No input of this size is worth a hundredth of that, even with a sanitizer on a slow machine.
      guard time < .seconds(10) else {
        Issue.record("\(target), \(name): took \(time): \(Data(input).base64EncodedString())")
        return false
      }
      return true
    } catch {
      Issue.record("\(target), \(name): \(error): \(Data(input).base64EncodedString())")
      return false
    }
  }
}
