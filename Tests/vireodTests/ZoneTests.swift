import NIOCore
import Network
import Services
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

  @Test(arguments: [
    (
      uid: "RINCON_0123456789AB01400", location: "http://192.0.2.9:1400/xml/device_description.xml",
      isAsked: true
    ),
    ("RINCON_0123456789AB01400", "http://192.0.2.8:1400/xml/device_description.xml", false),
    ("RINCON_0123456789AB01400", "http://192.0.2.9:80/xml/device_description.xml", false),
    ("RINCON_0123456789AB01400", "http://192.0.2.9:1400/restart", false),
    ("RINCON_0123456789AB01400", "http://localhost:1400/xml/device_description.xml", false),
    ("RINCON_0123456789ab01400", "http://192.0.2.9:1400/xml/device_description.xml", false),
    ("RINCON_1", "http://192.0.2.9:1400/xml/device_description.xml", false),
  ])
  func nobodyIsAskedElsewhere(uid: String, location: String, isAsked: Bool) throws {
    let text = """
      HTTP/1.1 200 OK\r\nLOCATION: \(location)\r\nUSN: uuid:\(uid)::urn:x\r\nX-RINCON-HOUSEHOLD: other\r\n\r\n
      """
    func read(isServed: Bool) -> ZoneNotice? {
      ZoneNotice(datagram: Array(text.utf8), from: .v4(0xc000_0209)) { _ in isServed }
    }
    let notice = try #require(read(isServed: true))
    #expect(notice.kind == .alive(household: "other", bootSequence: 0))
    #expect((notice.location != nil) == isAsked)
    #expect(read(isServed: false)?.location == nil)
    #expect(
      ZoneNotice(datagram: Array("HTTP/1.1 200 OK\r\nUSN: uuid:x\r\n\r\n".utf8), from: .v4(1)) { _ in true }
        == nil)
  }
}

@Suite struct HouseholdWatchTests {
  private func time(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

  private func uid(_ number: Int) -> String { "RINCON_\(String(100_000_000_000 + number))01400" }
  private func location(_ number: Int) -> String {
    "http://192.0.2.\(number):1400/xml/device_description.xml"
  }

  private func notice(_ number: Int, _ household: String, boot: Int = 1, at place: Int? = nil) -> ZoneNotice {
    ZoneNotice(
      uid: uid(number), kind: .alive(household: household, bootSequence: boot),
      location: location(place ?? number),
      source: .v4(0xc000_0200 + UInt32(place ?? number)))
  }

  private func goodbye(_ number: Int, from source: Int? = nil) -> ZoneNotice {
    ZoneNotice(
      uid: uid(number), kind: .goodbye, location: nil, source: .v4(0xc000_0200 + UInt32(source ?? number)))
  }

  private func makeWatch() -> HouseholdWatch { HouseholdWatch(uid: uid(0), household: "mine", now: time(0)) }

  /// What it does when it is woken whenever it wants to be, until `end`.
  private func run(_ watch: inout HouseholdWatch, until end: NIODeadline) -> [HouseholdWatch.Action] {
    var actions: [HouseholdWatch.Action] = []
    var steps = 0
    while let wake = watch.wake, wake <= end, steps < 200 {
      actions += watch.woken(now: wake)
      steps += 1
    }
    #expect(steps < 200, "it never stands still")
    return actions
  }

  @Test func aloneItAsksAndShowsItself() {
    var watch = makeWatch()
    #expect(run(&watch, until: time(10)) == [.search, .search, .search, .show])
    #expect(watch.wake == nil, "nothing runs while it is shown")
    #expect(watch.heard(notice(0, "mine"), now: time(20)) == [], "itself")
    #expect(watch.phase == .shown)
  }

  /// Home Assistant doesn't listen for ten seconds to a zone that has said goodbye.
  @Test func afterAGoodbyeItRests() {
    var watch = HouseholdWatch(uid: uid(0), household: "mine", rest: .seconds(9), now: time(0))
    #expect(run(&watch, until: time(8)) == [.search, .search, .search])
    #expect(run(&watch, until: time(9)) == [.show])
    let goodbye = ZoneGoodbye(boot: "a", seconds: 100)
    #expect(goodbye.rest(ZoneGoodbye(boot: "a", seconds: 102)) == 9)
    #expect(goodbye.rest(ZoneGoodbye(boot: "a", seconds: 111)) == 0)
    #expect(goodbye.rest(ZoneGoodbye(boot: "b", seconds: 102)) == 0, "the machine was started anew")
    #expect(goodbye.rest(ZoneGoodbye(boot: "a", seconds: 99)) == 0)
    #expect(ZoneGoodbye(boot: "a", seconds: .min).rest(ZoneGoodbye(boot: "a", seconds: .max)) == 0)
  }

  @Test func besideOthersItHides() {
    var watch = makeWatch()
    #expect(watch.woken(now: time(0)) == [.search])
    #expect(watch.heard(notice(1, "other"), now: time(1)) == [.ask(uid(1), location: location(1))])
    #expect(watch.answered(uid(1), .other, now: time(2)) == [.hide(household: "other")])
    #expect(watch.heard(notice(1, "other"), now: time(600)) == [], "told once, and not asked again")
    #expect(run(&watch, until: time(4000)).isEmpty)
    // They have gone: it asks again before it shows itself.
    #expect(run(&watch, until: time(6000)) == [.search, .search, .search, .show])
  }

  @Test func whoComesLaterHidesItToo() {
    var watch = makeWatch()
    _ = run(&watch, until: time(10))
    #expect(watch.heard(notice(1, "other"), now: time(100)) == [.ask(uid(1), location: location(1))])
    #expect(watch.answered(uid(1), .other, now: time(101)) == [.hide(household: "other")])
    #expect(watch.networkChanged(now: time(200)) == [])
    #expect(run(&watch, until: time(300)) == [.search, .search, .search, .show], "another network")
  }

  @Test func nobodyMakesItComeAndGoAllTheTime() {
    var watch = makeWatch()
    _ = run(&watch, until: time(10))
    var odd = notice(1, "other")
    odd.location = nil
    var turns = 0
    for second in Int64(20)..<320 {
      for household in ["other", "mine"] {
        odd.kind = .alive(household: household, bootSequence: 1)
        turns += watch.heard(odd, now: time(second)).count
      }
      turns += run(&watch, until: time(second)).count { $0 == .show }
    }
    #expect((10...20).contains(turns), "\(turns)")
    // Then it is left alone.
    #expect(run(&watch, until: time(400)).last == .show && watch.phase == .shown && watch.wake == nil)
  }

  @Test func whoseDescriptionIsElsewhereIsAStranger() {
    var watch = makeWatch()
    var odd = notice(1, "other")
    odd.location = nil
    #expect(watch.heard(odd, now: time(1)) == [.hide(household: "other")])
  }

  @Test func zonesOfThisProgramAreFollowed() {
    var watch = makeWatch()
    _ = run(&watch, until: time(10))
    #expect(watch.heard(notice(1, "another"), now: time(20)) == [.ask(uid(1), location: location(1))])
    #expect(watch.heard(notice(1, "another"), now: time(20)) == [], "three announcements, one question")
    #expect(watch.answered(uid(1), .zone, now: time(21)) == [.follow(uid(1))])
    #expect(watch.phase == .shown && watch.peerHouseholds == ["another"])
    #expect(watch.heard(notice(1, "another"), now: time(22)) == [])
    #expect(watch.wake == nil)
    #expect(watch.heard(notice(1, "another", boot: 2), now: time(23)) == [.restarted(uid(1))])
    // Its household isn't a foreign one, whoever else has it.
    _ = watch.heard(notice(2, "another"), now: time(24))
    #expect(watch.answered(uid(2), .other, now: time(25)) == [])
    #expect(watch.phase == .shown)
  }

  @Test func whoSaysGoodbyeIsForgotten() {
    var watch = makeWatch()
    _ = run(&watch, until: time(10))
    _ = watch.heard(notice(1, "mine"), now: time(20))
    _ = watch.answered(uid(1), .zone, now: time(20))
    #expect(watch.heard(goodbye(1, from: 7), now: time(30)) == [], "somebody else says so")
    #expect(watch.wake == nil)
    // One that announces itself anew was never away.
    #expect(watch.heard(goodbye(1), now: time(31)) == [])
    #expect(run(&watch, until: time(33)) == [])
    #expect(watch.heard(notice(1, "mine"), now: time(33)) == [])
    #expect(watch.wake == nil)
    #expect(watch.heard(goodbye(1), now: time(40)) == [])
    #expect(run(&watch, until: time(50)) == [.forget(uid(1), isSilent: false)])
    #expect(watch.wake == nil)
  }

  @Test func whoIsSilentIsAskedAndForgotten() {
    var watch = makeWatch()
    _ = run(&watch, until: time(10))
    _ = watch.heard(notice(1, "mine"), now: time(20))
    _ = watch.answered(uid(1), .zone, now: time(20))
    #expect(watch.doubted(uid(1), now: time(22)) == [], "asked a moment ago")
    #expect(watch.doubted(uid(1), now: time(30)) == [.ask(uid(1), location: location(1))])
    #expect(watch.doubted(uid(1), now: time(30)) == [])
    #expect(watch.answered(uid(1), .zone, now: time(31)) == [.follow(uid(1))], "it was there")
    #expect(watch.doubted(uid(1), now: time(40)) == [.ask(uid(1), location: location(1))])
    #expect(watch.answered(uid(1), .silent, now: time(45)) == [])
    #expect(run(&watch, until: time(50)) == [.ask(uid(1), location: location(1))])
    #expect(
      watch.answered(uid(1), .silent, now: time(55)) == [.forget(uid(1), isSilent: true), .search],
      "it may have moved meanwhile")
    #expect(watch.doubted(uid(1), now: time(90)) == [])
    #expect(watch.wake == nil)
  }

  @Test func whoDidNotAnswerIsAskedAgain() {
    var watch = makeWatch()
    _ = run(&watch, until: time(10))
    _ = watch.heard(notice(1, "other"), now: time(20))
    #expect(watch.answered(uid(1), .silent, now: time(25)) == [])
    #expect(run(&watch, until: time(30)) == [.ask(uid(1), location: location(1))])
    #expect(watch.answered(uid(1), .silent, now: time(35)) == [.hide(household: "other")])
    #expect(watch.heard(notice(1, "other"), now: time(50)) == [])
    #expect(watch.heard(notice(1, "other"), now: time(70)) == [.ask(uid(1), location: location(1))])
    #expect(watch.answered(uid(1), .zone, now: time(71)) == [.follow(uid(1))])
    #expect(run(&watch, until: time(80)) == [.search, .search, .search, .show])
  }

  @Test func whoMovesIsAskedThere() {
    var watch = makeWatch()
    _ = run(&watch, until: time(10))
    _ = watch.heard(notice(1, "mine"), now: time(20))
    _ = watch.answered(uid(1), .zone, now: time(20))
    #expect(watch.heard(notice(1, "mine", at: 9), now: time(30)) == [.ask(uid(1), location: location(9))])
    #expect(watch.answered(uid(1), .other, now: time(31)) == [], "somebody uses its name")
    #expect(watch.heard(notice(1, "mine", at: 9), now: time(40)) == [.ask(uid(1), location: location(9))])
    #expect(watch.answered(uid(1), .zone, now: time(41)) == [.follow(uid(1))])
    #expect(watch.doubted(uid(1), now: time(50)) == [.ask(uid(1), location: location(9))])
  }

  /// Somebody who went long ago doesn't hide it.
  @Test func strangersAreForgottenWhileItIsShown() {
    var watch = makeWatch()
    _ = run(&watch, until: time(10))
    var odd = notice(1, "mine")
    odd.location = nil
    #expect(watch.heard(odd, now: time(20)) == [])
    watch.household = "other"
    _ = watch.heard(notice(2, "other"), now: time(5000))
    #expect(watch.answered(uid(2), .zone, now: time(5001)) == [.follow(uid(2))])
    #expect(watch.phase == .shown && watch.strangerCount == 0)
  }

  @Test func itShowsItselfOnlyWhenItKnowsWhoTheOthersAre() {
    var watch = makeWatch()
    _ = watch.woken(now: time(0))
    _ = watch.heard(notice(1, "other"), now: time(0))
    #expect(!run(&watch, until: time(5)).contains(.show))
    _ = watch.answered(uid(1), .zone, now: time(5))
    #expect(run(&watch, until: time(8)) == [.show])
    // Whoever never answers doesn't keep it from showing itself.
    watch = makeWatch()
    _ = watch.woken(now: time(0))
    _ = watch.heard(notice(1, "other"), now: time(0))
    #expect(run(&watch, until: time(20)).contains(.show))
  }

  @Test func strangersMakeItDoLittle() {
    var watch = makeWatch()
    _ = run(&watch, until: time(10))
    var asked = 0
    func count(_ actions: [HouseholdWatch.Action]) {
      for case .ask(let uid, _) in actions {
        asked += 1
        count(watch.answered(uid, .zone, now: time(20)))
      }
    }
    for number in 1...5000 { count(watch.heard(notice(number, "other"), now: time(20))) }
    #expect(asked == 16, "one more every other second")
    count(watch.heard(notice(6000, "other"), now: time(26)))
    #expect(asked == 17)
    for second in 1...500 {
      count(watch.heard(notice(6000 + second, "other"), now: time(30 + Int64(second) * 10)))
    }
    #expect(watch.peerHouseholds == ["other"] && watch.phase == .shown)
    // At most two are asked at the same time, and sixteen wait.
    watch = makeWatch()
    _ = run(&watch, until: time(10))
    var under = 0
    for number in 1...5000 { under += watch.heard(notice(number, "other"), now: time(20)).count }
    #expect(under == 2)
  }

  @Test func manyAreNotAllFollowed() {
    var watch = makeWatch()
    _ = run(&watch, until: time(10))
    var followed = 0
    for number in 1...200 {
      let now = time(20 + Int64(number) * 10)
      _ = watch.heard(notice(number, "mine"), now: now)
      followed += watch.answered(uid(number), .zone, now: now).count
    }
    #expect(followed == 31)
    // Strangers make room for each other, so this one is asked again and not kept for ever.
    var odd = notice(1000, "mine")
    odd.location = nil
    for number in 1000..<1200 {
      odd.uid = uid(number)
      _ = watch.heard(odd, now: time(5000))
    }
    #expect(watch.strangerCount == 64)
  }
}
