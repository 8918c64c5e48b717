import Testing

@testable import GStreamerOutput

/// Which track pushes samples next, in every situation.
@Suite struct SuccessionTests {
  /// A track plays whose samples are all in the device.
  private func finished(
    _ next: Succession.Next, _ phase: Playback.Phase = .playing, isPaused: Bool = false, isDry: Bool = false,
    isEmpty: Bool = false, hasJoined: Bool = true, isRecording: Bool = false
  ) -> Succession.Step {
    Succession.step(
      .init(
        phase: phase, isPaused: isPaused, isReady: true, isMismatched: false, isFinished: true,
        hasJoined: hasJoined, next: next, isDry: isDry, isEmpty: isEmpty, isRecording: isRecording))
  }

  @Test func theNextTrackFollowsWithoutAGap() {
    #expect(finished(.ready) == .join)
    #expect(finished(.ready, isDry: true) == .join)
    #expect(finished(.ready, isRecording: true) == .join)
    #expect(finished(.ready, hasJoined: false) == .end, "there is no sound to join to")
  }

  @Test func anotherFormatRestartsTheDevice() {
    #expect(finished(.mismatched) == .end)
    #expect(finished(.mismatched, isRecording: true) == .remake)
  }

  @Test func theLastTrackIsPlayedToItsEnd() {
    #expect(finished(.none) == .nothing)
    #expect(finished(.none, isDry: true) == .end)
    #expect(finished(.none, .paused, isPaused: true, isDry: true) == .nothing, "a next track may still come")
    #expect(finished(.none, .loading, isPaused: true, isEmpty: true) == .end, "there is nothing to pause on")
  }

  @Test func aNextTrackThatIsLateIsWaitedFor() {
    #expect(finished(.unready) == .nothing)
    #expect(finished(.unready, isDry: true) == .end)
    #expect(finished(.unready, isDry: true, isRecording: true) == .hold)
    #expect(finished(.unready, .buffering, isDry: true, isRecording: true) == .nothing)
    #expect(finished(.unready, .loading, isEmpty: true) == .nothing)
    #expect(finished(.unready, .paused, isPaused: true, isDry: true) == .nothing)
  }

  @Test func inEverySituationTheRulesHold() {
    let flags = [false, true]
    for phase in Playback.Phase.allCases {
      for next in Succession.Next.allCases {
        for bits in 0..<256 {
          func bit(_ place: Int) -> Bool { flags[bits >> place & 1] }
          let now = Succession.Situation(
            phase: phase, isPaused: bit(0), isReady: bit(1), isMismatched: bit(2), isFinished: bit(3),
            hasJoined: bit(4), next: next, isDry: bit(5), isEmpty: bit(6), isRecording: bit(7))
          switch Succession.step(now) {
          case .nothing: #expect(!now.isFinished || next == .none || next == .unready)
          case .join: #expect(now.isFinished && next == .ready && now.hasJoined)
          case .hold: #expect(now.isFinished && next == .unready && now.isRecording && phase == .playing)
          case .remake: #expect(now.isFinished && next == .mismatched && now.isRecording)
          case .end:
            // Sound that is still to come isn't cut off.
            #expect(now.isFinished || now.isReady && now.isMismatched)
            if now.isFinished, next == .none || next == .unready { #expect(now.isDry || now.isEmpty) }
          }
        }
      }
    }
  }
}
