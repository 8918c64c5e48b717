import Synchronization
import Testing

@testable import vireoctl

@Suite(.timeLimit(.minutes(2))) struct InParallelTests {
  private struct Broken: Error {}

  /// Waits until something is there, for as long as the test may take.
  private func wait(until condition: @Sendable () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(2)) }
  }

  @Test func resultsComeInTheOrderOfTheirArrival() async throws {
    let ended = Mutex<Set<Int>>([])
    var arrived: [Int] = []
    // Each waits for the one after it.
    try await InParallel.each([1, 2, 3, 4], atOnce: 4, within: .seconds(100)) { number in
      try await wait { number == 4 || ended.withLock { $0.contains(number + 1) } }
      return number
    } take: { number, result in
      let value = try result.get()
      #expect(value == number)
      arrived.append(number)
      _ = ended.withLock { $0.insert(number) }
    }
    #expect(arrived == [4, 3, 2, 1])
  }

  @Test func notTooManyAtOnce() async throws {
    let running = Atomic(0)
    let most = Atomic(0)
    var count = 0
    try await InParallel.each(Array(0..<30), atOnce: 4, within: .seconds(100)) { number in
      most.max(running.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
      await Task.yield()
      running.subtract(1, ordering: .relaxed)
      if number == 7 { throw Broken() }
      return number
    } take: { number, result in
      count += 1
      if number == 7 { #expect(throws: Broken.self) { try result.get() } }
    }
    #expect(count == 30 && (1...4).contains(most.load(ordering: .relaxed)))
  }

  @Test func theTimeIsForAllTogether() async throws {
    let start = ContinuousClock.now
    var late = 0
    try await InParallel.each(Array(0..<40), atOnce: 2, within: .milliseconds(100)) { _ in
      try await Task.sleep(for: .seconds(1000))
    } take: { _, result in
      late += try result.get() == nil ? 1 : 0
    }
    #expect(late == 40)
    #expect(ContinuousClock.now - start < .seconds(60))
  }

  @Test func anErrorEndsEverything() async {
    await #expect(throws: Broken.self) {
      try await InParallel.each([1, 2], atOnce: 2, within: .seconds(1000)) { number in
        if number == 2 { try await Task.sleep(for: .seconds(1000)) }
        return number
      } take: { _, _ in
        throw Broken()
      }
    }
  }
}
