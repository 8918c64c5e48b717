import Renderers
import Testing

@testable import vireoctl

@Suite struct ParsingTests {
  @Test func positions() {
    #expect(SeekTarget("1:23") == .absolute(83))
    #expect(SeekTarget("90") == .absolute(90))
    #expect(SeekTarget("1:02:03") == .absolute(3723))
    #expect(SeekTarget("+30") == .relative(30))
    #expect(SeekTarget("-10") == .relative(-10))
    #expect(SeekTarget("\u{2212}1:00") == .relative(-60))
    #expect(SeekTarget("50%") == .percent(50))
    #expect(SeekTarget("12.5%") == .percent(12.5))
    for text in ["", "x", "1:60", "1:2:3:4", "101%", "%", "--1", "+", "1e3", "99999999", "1:", ":1", "٣"] {
      #expect(SeekTarget(text) == nil, "\(text)")
    }
  }

  @Test func whereASeekEnds() {
    #expect(SeekTarget.relative(-10).second(position: 5, duration: 60) == 0)
    #expect(SeekTarget.relative(100).second(position: 5, duration: 60) == 60)
    #expect(SeekTarget.relative(10).second(position: nil, duration: 60) == nil)
    #expect(SeekTarget.percent(50).second(position: nil, duration: 61) == 30)
    #expect(SeekTarget.percent(50).second(position: 5, duration: nil) == nil)
    #expect(SeekTarget.absolute(90).second(position: nil, duration: nil) == 90)
    // Devices say anything.
    for odd in [Int.max, Int.min, -1] {
      for target in [SeekTarget.relative(360_000), .relative(-360_000), .percent(100), .percent(12.5)] {
        #expect((0...Int(Int32.max)).contains(target.second(position: odd, duration: odd) ?? 0))
        #expect((target.second(position: odd, duration: nil) ?? 0) >= 0)
      }
      #expect(VolumeTarget.relative(99_999).volume(now: odd, maximum: nil) >= 0)
      #expect(VolumeTarget.relative(-99_999).volume(now: odd, maximum: odd) >= 0)
    }
  }

  @Test func volumes() {
    #expect(VolumeTarget("30") == .absolute(30))
    #expect(VolumeTarget("+5") == .relative(5))
    #expect(VolumeTarget("\u{2212}5") == .relative(-5))
    for text in ["", "+", "5%", "x", "1000000", "--5", "5.5"] {
      #expect(VolumeTarget(text) == nil, "\(text)")
    }
    #expect(VolumeTarget.relative(10).volume(now: 95, maximum: 100) == 100)
    #expect(VolumeTarget.relative(-10).volume(now: 5, maximum: 100) == 0)
    #expect(VolumeTarget.relative(-1).volume(now: 90, maximum: 60) == 89)
    #expect(VolumeTarget.relative(1).volume(now: 5, maximum: nil) == 6)
  }

  @Test func negativeNumbersAreNoOptions() {
    #expect(
      NegativeNumbers.protected(["seek", "-10", "-r", "x", "--", "-5"]) == [
        "seek", "\u{2212}10", "-r", "x", "--", "-5",
      ]
    )
  }

  @Test func switches() {
    #expect(Switch.toggle.value(now: true) == false)
    #expect(Switch.on.value(now: true))
    #expect(!Switch.off.value(now: true))
  }

  @Test func times() {
    #expect(PlayTime.text(187) == "3:07")
    #expect(PlayTime.text(3723) == "1:02:03")
    #expect(PlayTime.text(-5) == "0:00")
  }

  @Test func whatToPlay() {
    func what(_ text: String) -> What { What(text) { $0 == "song.flac" } }
    #expect(what("file:///a%20b%C3%A4%zz%2") == .file("/a bä%zz%2"))
    #expect(what("file:///a%ff") == .file("/a%ff"))
    #expect(what("http://192.0.2.7/a.mp3") == .address("http://192.0.2.7/a.mp3"))
    #expect(what("12") == .line(12))
    #expect(what("song.flac") == .file("song.flac"))
    #expect(what("./12") == .file("./12"))
    #expect(what("file:///a/b.mp3") == .file("/a/b.mp3"))
    #expect(what("NAS/Music") == .place("NAS/Music"))
    #expect(what("http://192.0.2.7/a b") == .place("http://192.0.2.7/a b"))
    #expect(what("1234567") == .place("1234567"))
  }

  /// -r and the like are taken before the verb and after it.
  @Test func globalOptionsStandAnywhere() throws {
    for arguments in [
      ["-r", "Kitchen", "--json", "volume", "5"], ["volume", "5", "-r", "Kitchen", "--json"],
    ] {
      let command = try #require(try Vireoctl.parseAsRoot(arguments) as? VolumeCommand)
      #expect(command.options.renderer == "Kitchen")
      #expect(command.options.json)
      #expect(command.volume == "5")
    }
    let list = try #require(try Vireoctl.parseAsRoot(["-r", "Kitchen", "queue"]) as? QueueListCommand)
    #expect(list.options.renderer == "Kitchen")
    #expect(throws: (any Error).self) { try Vireoctl.parseAsRoot(["volume", "loud"]) }
  }
}
