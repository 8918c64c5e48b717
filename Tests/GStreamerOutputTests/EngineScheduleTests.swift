import Foundation
import Player
import Testing

@testable import GStreamerOutput

/// Requests in any order, at any time: what the player is told of each attempt stays consistent.
@Suite(.serialized) struct EngineScheduleTests {
  private let told = EngineEvents()

  /// What the player knows of one attempt.
  private struct Attempt {
    var hasStarted = false
    var hasEnded = false
    var position = Duration.zero
  }

  private var uris: [String] {
    let frames = [2205, 11_025, 44_100]
    for count in frames { Fixtures.write(Fixtures.sound(frames: count), "schedule-\(count).wav") }
    return frames.map { Fixtures.uri("schedule-\($0).wav") } + [Fixtures.uri("schedule-missing.wav")]
  }

  @Test(arguments: 0..<16)
  func anySchedule(_ seed: UInt64) throws {
    var random = seed &* 6_364_136_223_846_793_005 &+ 1
    func roll(_ sides: Int) -> Int {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(random >> 33) % sides
    }
    let engine = try told.engine()
    let uris = uris
    var (ids, read) = (UInt64(0), 0)
    // The attempts of which the player may be told now.
    var attempts: [PlayID: Attempt] = [:]
    var current: PlayID?
    for _ in 0..<20 {
      let media = Media(uri: uris[roll(uris.count)])
      switch roll(10) {
      case 0, 1, 2:
        ids += 1
        current = PlayID(ids)
        attempts = [PlayID(ids): Attempt()]
        engine.perform(
          .start(PlayID(ids), media, position: .milliseconds(roll(3) * 20), paused: roll(4) == 0))
      case 3, 4:
        ids += 1
        // The one before may have come too far to be withdrawn.
        if current != nil { attempts[PlayID(ids)] = Attempt() }
        engine.perform(.setNext(NextTrack(id: PlayID(ids), media: media)))
      case 5:
        attempts = [:]
        current = nil
        engine.perform(.stop)
      case 6: if let current { engine.perform(.pause(current)) }
      case 7: if let current { engine.perform(.resume(current)) }
      case 8:
        guard let current else { continue }
        attempts[current]?.position = .zero
        engine.perform(.seek(current, .milliseconds(roll(600))))
      default: engine.perform(.prepare(media))
      }
      told.drive(engine, Double(roll(120)) / 1000) { false }
      for event in told.events[read...] {
        guard let id = event.playID else { continue }
        let attempt = try #require(attempts[id], "nobody plays it: \(event)")
        #expect(!attempt.hasEnded, "it is over: \(event)")
        switch event {
        case .started:
          #expect(!attempt.hasStarted)
          attempts[id]?.hasStarted = true
          if id != current { attempts = attempts.filter { $0.key >= id } }
          current = id
        case .playing(_, let position):
          #expect(attempt.hasStarted)
          #expect(position >= attempt.position)
          attempts[id]?.position = position
        case .ended, .failed: attempts[id]?.hasEnded = true
        default: break
        }
      }
      read = told.events.count
    }
    engine.perform(.stop)
    engine.perform(.release)
    #expect(told.drive(engine, 3) { engine.parts.device == nil })
    #expect(engine.machine.tracks.isEmpty)
    #expect(engine.parts.tracks.isEmpty)
    #expect(engine.earliest == nil, "it has nothing to do any more")
    #expect(told.events.count - read <= 1, "only the device is closed")
  }
}
