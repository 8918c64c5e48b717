import DIDLLite
import Testing

@Suite struct ClockTimeTests {
  @Test(arguments: [
    ("0:00:00", Duration.zero), ("0:04:12", .seconds(252)), ("00:04:12.000", .seconds(252)),
    ("123:00:01", .seconds(442_801)), ("0:00:01.5", .milliseconds(1500)), ("0:00:00.1/4", .milliseconds(250)),
    (" 1:02:03 ", .seconds(3723)), ("+0:00:01", .seconds(1)), ("++0:00:01", nil), ("-0:00:01", nil),
    ("0:60:00", nil), ("0:00:60", nil),
    // Plain to read, if not as written down.
    ("4:12", .seconds(252)), ("00:10", .seconds(10)), ("90:00", .seconds(5400)), ("25", .seconds(25)),
    ("300", .seconds(300)), ("25.5", .milliseconds(25_500)),
    ("4:60", nil), ("1:2:3:4", nil), (":10", nil), ("10:", nil), (":", nil), ("-25", nil), ("360000001", nil),
    ("", nil), ("0:00:01.", nil), ("0:00:01.5/4", nil), ("0:00:01.4/0", nil), ("a:00:00", nil),
    ("99999999999999999999:00:00", nil), ("NOT_IMPLEMENTED", nil),
  ])
  func reads(_ text: String, _ duration: Duration?) {
    #expect(ClockTime.duration(text) == duration)
  }

  @Test(arguments: [
    (Duration.zero, "0:00:00"), (.seconds(252), "0:04:12"), (.milliseconds(59_999), "0:00:59"),
    (.seconds(36_000), "10:00:00"), (.seconds(-1), "0:00:00"),
  ])
  func writes(_ duration: Duration, _ text: String) {
    #expect(ClockTime.text(duration) == text)
  }
}
