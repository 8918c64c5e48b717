import Listening
import Testing

@Suite struct ReportPauseTests {
  private let today: Int64 = 1_800_000_000_000

  private func known(_ seconds: Int64, boot: String = "this", isSet: Bool = true) -> (
    ClockReading, ListenDating
  ) {
    var dating = ListenDating(boot: boot, build: 0, known: 0)
    let reading = ClockReading(
      date: isSet ? today + seconds * 1000 : 0, sinceBoot: .seconds(seconds), isSaidToBeSet: isSet)
    _ = dating.take(reading)
    return (reading, dating)
  }

  @Test func anHourIsAnHour() {
    let (reading, dating) = known(100)
    let pause = ReportPause(for: .seconds(3600), from: reading, dating)
    for (seconds, isOver): (Int64, Bool) in [(101, false), (3699, false), (3700, true)] {
      let (reading, dating) = known(seconds)
      #expect(pause.isOver(.silence, reading, dating) == isOver)
    }
  }

  @Test func itOutlivesARestartOfTheMachine() {
    let (reading, dating) = known(100)
    let pause = ReportPause(for: .seconds(3600), from: reading, dating)
    // Its clock isn't set yet.
    var (later, other) = known(5, boot: "other", isSet: false)
    #expect(!pause.isOver(.silence, later, other))
    (later, other) = known(3699, boot: "other")
    #expect(!pause.isOver(.silence, later, other))
    (later, other) = known(3700, boot: "other")
    #expect(pause.isOver(.silence, later, other))
  }

  @Test func withoutADateItEndsWithTheMachine() {
    let (reading, dating) = known(100, isSet: false)
    let pause = ReportPause(for: .seconds(3600), from: reading, dating)
    var (later, other) = known(200, isSet: false)
    #expect(!pause.isOver(.silence, later, other))
    (later, other) = known(0, boot: "other")
    #expect(pause.isOver(.silence, later, other))
  }

  @Test func anAlbumIsPausedUntilAnotherOnePlays() {
    let pause = ReportPause(.album("Album"))
    let (reading, dating) = known(0)
    func isOver(_ phase: ListeningMoment.Phase, _ album: String?, at position: Duration = .zero) -> Bool {
      pause.isOver(
        ListeningMoment(
          phase: phase, track: ReportedTrack(title: "T", album: album), position: position), reading, dating)
    }
    #expect(!isOver(.playing, "Album") && !isOver(.paused, "Album"))
    #expect(!isOver(.stopped, "Other"), "it may go on")
    #expect(isOver(.playing, "Other"))
    #expect(!isOver(.playing, nil) && isOver(.playing, nil, at: .seconds(5)), "its tags come late")
  }

  @Test(arguments: [
    ReportPause(.album("An album of many words")), ReportPause(.album(" ")),
    ReportPause(.until(ReportPlace(boot: "a b", at: 5, date: nil))),
    ReportPause(.until(ReportPlace(boot: "4bb1fe52", at: 5, date: 1_800_000_000_000))),
  ]) func itIsReadAsItWasWritten(pause: ReportPause) {
    #expect(ReportPause(pause.text) == pause)
  }

  @Test(arguments: ["", "album ", "until", "until 1 2", "until x 2 a", "until 1 x a", "for ever"])
  func somethingElseIsNoPause(text: String) { #expect(ReportPause(text) == nil) }
}
