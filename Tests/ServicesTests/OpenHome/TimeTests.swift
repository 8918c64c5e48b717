import Player
import Testing

@testable import Services

@Suite struct TimeTests {
  private let speaker = Speaker()

  private var seconds: String? { speaker.evented(speaker.time, "Seconds") }

  private func play() throws {
    try speaker.add("a")
    try speaker.call(speaker.playlist, "Play")
    speaker.hear()
  }

  @Test func ticksOnlyWhilePlaying() throws {
    #expect(speaker.time.nextChange() == nil)
    try speaker.add("a")
    try speaker.call(speaker.playlist, "Play")
    #expect(speaker.time.nextChange() == nil)
    speaker.hear()
    #expect(speaker.time.nextChange() == .seconds(1))
    try speaker.call(speaker.playlist, "Pause")
    speaker.output { .paused($0, position: .milliseconds(2500)) }
    #expect(speaker.time.nextChange() == nil)
    #expect(seconds == "2")
    try speaker.call(speaker.playlist, "Play")
    speaker.output { .playing($0, position: .milliseconds(2500)) }
    #expect(speaker.time.nextChange() == .milliseconds(500))
    try speaker.call(speaker.playlist, "Stop")
    #expect(speaker.time.nextChange() == nil)
    #expect(seconds == "0")
  }

  @Test func theTickIsWhereTheSecondIs() throws {
    try play()
    speaker.output { .playing($0, position: .milliseconds(9_999)) }
    #expect(seconds == "9")
    #expect(speaker.time.nextChange() == .milliseconds(1))
    speaker.clock.advance(seconds: 1)
    #expect(seconds == "10")
    #expect(speaker.time.nextChange() == .milliseconds(1))
  }

  @Test func nothingTicksBehindTheEnd() throws {
    try play()
    speaker.output { .duration($0, .seconds(3)) }
    #expect(speaker.evented(speaker.time, "Duration") == "3")
    speaker.clock.advance(seconds: 5)
    #expect(seconds == "3")
    #expect(speaker.time.nextChange() == nil)
  }

  @Test func countsTracksAsInfoDoes() throws {
    try play()
    #expect(speaker.evented(speaker.time, "TrackCount") == speaker.evented(speaker.info, "TrackCount"))
    #expect(
      try speaker.call(speaker.time, "Time")["TrackCount"]
        == speaker.call(speaker.info, "Counters")["TrackCount"])
  }
}
