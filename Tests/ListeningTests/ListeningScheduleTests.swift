import Listening
import SeededRandom
import Testing

/// Random days, compared with a model that looks at every second.
@Suite struct ListeningScheduleTests {
  /// What one start of a track has had so far.
  private struct Model {
    var start: UInt32 = 0
    var heard = 0
    var isOpen = false
    var counted = false
  }

  @Test(arguments: 0..<200) func anyDayIsReportedAsItWas(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var sofa = Sofa(
      sources: [.playlist], hearing: [.half], interval: Bool.random(using: &random) ? .seconds(60) : nil)
    var seconds = 300
    _ = sofa.start(.song(seconds: seconds))
    var model = Model(start: sofa.moment.start, isOpen: true)
    for _ in 0..<200 {
      var said: [Said] = []
      let old = model
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1:
        seconds = Int.random(in: 2...900, using: &random)
        said = sofa.start(.song(seconds: seconds))
        model = Model(start: sofa.moment.start, isOpen: true)
      case 2: said = sofa.phase(.stopped)
      case 3: said = sofa.phase(.paused)
      case 4: said = sofa.phase(.waiting)
      case 5: said = sofa.phase(.playing)
      case 6: said = sofa.change { $0.position = .seconds(Int.random(in: 0..<900, using: &random)) }
      default: said = sofa.reconnect(sofa.moment.phase)
      }
      // A start that was stopped can't be heard again as the same listen; in the player it would be another start.
      if sofa.moment.phase == .stopped { model.isOpen = false }
      if sofa.moment.phase == .playing, !model.isOpen { model = Model(start: old.start, isOpen: true) }
      if old.isOpen, !model.isOpen || model.start != old.start {
        #expect(said.first == .ended("Title", heard: old.heard))
      } else {
        #expect(!said.contains { if case .ended = $0 { true } else { false } })
      }
      let time = Int.random(in: 0..<400, using: &random)
      let passed = sofa.pass(.seconds(time))
      if sofa.moment.phase == .playing { model.heard += time }
      let counts = model.isOpen && 2 * model.heard >= min(seconds, 480) && !model.counted
      #expect((said + passed).filter { $0 == .heard("Title") }.count == (counts ? 1 : 0))
      if counts { model.counted = true }
      let isEarly = sofa.watch.due.map { $0 < sofa.now.awake } ?? false
      #expect(!isEarly, "what is due has been told")
    }
  }
}
