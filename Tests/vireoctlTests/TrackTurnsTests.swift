import Renderers
import Testing

@testable import vireoctl

/// One track after another on a renderer without a queue, on a fake clock.
@Suite struct TrackTurnsTests {
  private typealias Look = TrackTurns.Look

  /// What the last of the looks, one a second, is taken for; or the first that isn't waited after.
  private func turn(
    _ looks: [Look], duration: Int? = nil, isHandedOver: Bool = false
  ) -> (second: Int, turn: TrackTurns.Turn) {
    var turns = TrackTurns(duration: duration, isHandedOver: isHandedOver, now: .zero)
    for (index, look) in looks.enumerated() {
      let turn = turns.take(look, now: .seconds(index + 1))
      if turn != .wait { return (index + 1, turn) }
    }
    return (looks.count, .wait)
  }

  private func playing(_ seconds: Range<Int>, duration: Int? = nil) -> [Look] {
    seconds.map { Look(state: .playing, position: $0, duration: duration) }
  }

  private let stopped = Look(state: .stopped, position: 0, duration: 0)

  @Test func aTrackThatHasPlayedIsFollowedByTheNext() {
    #expect(turn(playing(0..<180, duration: 180) + [stopped], duration: 180) == (181, .next))
    // The metadata says how long it is, or only the renderer.
    #expect(turn(playing(0..<178) + [stopped], duration: 180) == (179, .next))
    #expect(turn(playing(0..<178, duration: 180) + [stopped]) == (179, .next))
  }

  @Test func aRendererThatBeginsSlowlyIsWaitedFor() {
    let slow = Array(repeating: stopped, count: 3)
    #expect(turn(slow) == (3, .wait))
    #expect(turn(slow + playing(0..<180) + [stopped], duration: 180) == (184, .next))
    #expect(turn(slow + [Look(state: .buffering)] + slow, duration: 180) == (5, .stopped))
    #expect(turn(Array(repeating: stopped, count: 29), duration: 180) == (29, .wait))
    #expect(turn(Array(repeating: stopped, count: 40), duration: 180) == (30, .neverBegan))
    // Too short to be seen.
    #expect(turn(Array(repeating: stopped, count: 40), duration: 1) == (30, .next))
  }

  @Test func stopEndsIt() {
    #expect(turn(playing(0..<60, duration: 180) + [stopped]) == (61, .stopped))
    // A renderer that says neither how long the track is nor where it is.
    let silent = Array(repeating: Look(state: .playing), count: 60)
    #expect(turn(silent + [stopped], duration: 180) == (61, .stopped))
    #expect(turn(silent + [stopped], duration: 61) == (61, .next))
    #expect(turn(silent + [stopped]) == (61, .unknown))
    // Always the same position.
    let stuck = Array(repeating: Look(state: .playing, position: 10, duration: 0), count: 178)
    #expect(turn(Array(stuck.prefix(60)) + [stopped], duration: 180) == (61, .stopped))
    #expect(turn(stuck + [stopped], duration: 180) == (179, .next))
  }

  @Test func seekingBackIsNotTheEnd() {
    #expect(turn(playing(0..<170) + playing(0..<5) + [stopped], duration: 180).turn == .stopped)
    #expect(turn(playing(0..<5) + playing(176..<180) + [stopped], duration: 180).turn == .next)
  }

  @Test func aPauseIsNoPlaying() {
    let paused = Array(repeating: Look(state: .paused), count: 300)
    let silent = Array(repeating: Look(state: .playing), count: 20)
    #expect(turn(silent + paused + [stopped], duration: 180).turn == .stopped)
  }

  @Test func betweenTwoTracksItMayLookStopped() {
    let played = playing(0..<180)
    #expect(turn(played + [stopped, stopped], duration: 180, isHandedOver: true).turn == .wait)
    #expect(turn(played + [stopped, stopped, stopped], duration: 180, isHandedOver: true) == (183, .next))
    #expect(turn(played + [stopped, stopped], isHandedOver: true).turn == .wait)
    #expect(turn(played + [stopped, stopped, stopped], isHandedOver: true) == (183, .unknown))
    let next = Look(state: .playing, isNext: true)
    #expect(turn(played + [stopped, next], duration: 180, isHandedOver: true) == (182, .wentOn))
  }
}
