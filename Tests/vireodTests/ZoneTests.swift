import NIOCore
import Testing

@testable import vireod

@Suite struct ZoneTests {
  private func read(_ text: String) throws -> Settings.Sonos {
    try SettingsReader.read(Array(text.utf8), file: "v.toml").settings.sonos
  }

  @Test func itIsOffByDefault() throws {
    #expect(try !read("").enabled && !read("").besideOthers)
    #expect(try read("[sonos]\nenabled = true").enabled)
    let household = "Sonos_abcdefghijklmnopqrstuvwxYZ"
    #expect(try read("[sonos]\nhousehold = \"\(household)\"").household == household)
  }

  @Test(arguments: ["Sonos_", "abcdefghijklmnopqrstuvwxyzabcdef", "Sonos_abcdefghijklmnopqrstuvwx:z"])
  func householdsAreChecked(_ name: String) {
    #expect(throws: SettingsProblems.self) { try read("[sonos]\nhousehold = \"\(name)\"") }
  }

  private func time(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

  /// What it does when it is woken whenever it wants to be, until `end`.
  private func run(_ watch: inout HouseholdWatch, until end: NIODeadline) -> [HouseholdWatch.Action] {
    var actions: [HouseholdWatch.Action] = []
    var steps = 0
    while let wake = watch.wake, wake <= end, steps < 100 {
      if let action = watch.woken(now: wake) { actions.append(action) }
      steps += 1
    }
    #expect(steps < 100, "it never stands still")
    return actions
  }

  @Test func aloneItAsksAndShowsItself() {
    var watch = HouseholdWatch(own: "mine", now: time(0))
    #expect(run(&watch, until: time(10)) == [.search, .search, .search, .show])
    #expect(watch.wake == nil, "nothing runs while it is shown")
    #expect(watch.heard("mine", now: time(20)) == nil && watch.phase == .shown)
  }

  @Test func besideOthersItHides() {
    var watch = HouseholdWatch(own: "mine", now: time(0))
    #expect(watch.woken(now: time(0)) == .search)
    #expect(watch.heard("other", now: time(1)) == .hide(household: "other"))
    #expect(watch.heard("other", now: time(600)) == nil, "told once")
    #expect(run(&watch, until: time(4000)).isEmpty)
    // They have gone: it asks again before it shows itself.
    #expect(run(&watch, until: time(6000)) == [.search, .search, .search, .show])
  }

  @Test func whoComesLaterHidesItToo() {
    var watch = HouseholdWatch(own: "mine", now: time(0))
    _ = run(&watch, until: time(10))
    #expect(watch.heard("other", now: time(100)) == .hide(household: "other"))
    watch.networkChanged(now: time(200))
    #expect(run(&watch, until: time(300)) == [.search, .search, .search, .show], "another network")
  }
}
