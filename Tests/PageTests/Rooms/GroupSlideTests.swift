import NIOCore
import Renderers
import Testing

@testable import Page

/// The volume of a group while a slider moves it.
@Suite struct GroupSlideTests {
  private var slide: GroupSlide?
  /// What the rooms have become.
  private var volumes = ["a": 40, "b": 90, "c": 10]
  private var now = NIODeadline.uptimeNanoseconds(1_000_000_000)

  private var rooms: [Room] {
    ["a", "b", "c"].map { udn in
      var room = Room(udn: udn, name: udn, address: .v4(0))
      room.volume = volumes[udn]
      return room
    }
  }

  /// Moves the slider, a tenth of a second later; returns who is told something.
  private mutating func move(
    _ change: GroupVolume.Change, host: String = "a", after time: TimeAmount = .milliseconds(100)
  )
    -> [String]
  {
    now = now + time
    let levels = GroupSlide.plan(change, of: rooms, host: host, after: &slide, now: now)
    for level in levels { volumes[level.udn] = level.volume }
    return levels.map(\.udn)
  }

  @Test mutating func differencesStay() {
    #expect(move(.to(45)) == ["a", "b", "c"])
    #expect(volumes == ["a": 45, "b": 95, "c": 15])
    #expect(move(.to(45)) == [])
  }

  @Test mutating func differencesComeBackFromTheEndOfTheScale() {
    for volume in stride(from: 45, through: 0, by: -5) { _ = move(.to(volume)) }
    #expect(volumes == ["a": 0, "b": 50, "c": 0])
    // What stays where it is isn't told again.
    _ = move(.to(5))
    #expect(move(.to(10)) == ["a", "b"])
    for volume in stride(from: 15, through: 40, by: 5) { _ = move(.to(volume)) }
    #expect(volumes == ["a": 40, "b": 90, "c": 10])
  }

  @Test mutating func aSliderThatWasLetGoBeginsAnew() {
    _ = move(.to(0))
    #expect(volumes == ["a": 0, "b": 50, "c": 0])
    _ = move(.to(40), after: .seconds(4))
    #expect(volumes == ["a": 40, "b": 90, "c": 40])
  }

  @Test mutating func stepsAreOfWhatIsThen() {
    _ = move(.to(0))
    #expect(move(.by(5)) == ["a", "b", "c"])
    #expect(volumes == ["a": 5, "b": 55, "c": 5])
    _ = move(.to(10))
    #expect(volumes == ["a": 10, "b": 60, "c": 10])
  }

  @Test mutating func anotherGroupIsAnotherSlider() {
    _ = move(.to(0))
    _ = move(.to(60), host: "b")
    #expect(volumes == ["a": 10, "b": 60, "c": 10])
  }
}
