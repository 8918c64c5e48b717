import HTTP
import Testing

@testable import ControlPoint

@Suite struct ExchangeTurnsTests {
  private static func endpoint(_ number: Int) -> HTTPEndpoint {
    HTTPEndpoint(address: .v4(UInt32(number)), port: 80, interface: nil)
  }

  /// Random comings and goings: the bounds hold, nobody is forgotten, and nobody waits while there is room.
  @Test(arguments: 0..<50) func randomSchedules(seed: UInt64) {
    var random = Random(state: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
    var limits = ExchangeLimits()
    limits.parallel = 5
    limits.parallelPerEndpoint = 2
    limits.waiting = 10
    var turns = ExchangeTurns(limits: limits)
    var running: [Int: Int] = [:]
    var waiting: [Int: Int] = [:]
    for token in 0..<2000 {
      let endpoint = Int.random(in: 0..<4, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        switch turns.enter(token, Self.endpoint(endpoint)) {
        case .start: running[token] = endpoint
        case .wait: waiting[token] = endpoint
        case .refuse: #expect(waiting.count == limits.waiting)
        }
      case 1:
        guard let (token, endpoint) = running.randomElement(using: &random) else { continue }
        running[token] = nil
        for started in turns.leave(Self.endpoint(endpoint)) {
          running[started] = waiting.removeValue(forKey: started) ?? -1
        }
      default:
        guard let token = waiting.keys.randomElement(using: &random) else { continue }
        waiting[token] = nil
        let (first, second) = (turns.giveUp(token), turns.giveUp(token))
        #expect(first && !second)
      }
      let counts = Dictionary(grouping: running.values) { $0 }.mapValues(\.count)
      #expect(running.count <= limits.parallel)
      #expect(counts.values.allSatisfy { $0 <= limits.parallelPerEndpoint })
      #expect(counts[-1] == nil)
      guard running.count < limits.parallel else { continue }
      #expect(waiting.values.allSatisfy { counts[$0, default: 0] == limits.parallelPerEndpoint })
    }
  }

  private struct Random: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
  }
}
