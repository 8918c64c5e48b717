import Foundation
import Logging
import Synchronization
import Testing

@testable import vireod

/// Both ends of a pipe or socket pair, closed with the test.
private final class Ends {
  let reading: Int32
  let writing: Int32

  init(_ pair: [Int32]) { (reading, writing) = (pair[0], pair[1]) }

  static func pipe() -> Ends {
    var pair: [Int32] = [0, 0]
    _ = Glibc.pipe(&pair)
    return Ends(pair)
  }

  static func sockets() -> Ends {
    var pair: [Int32] = [0, 0]
    socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair)
    return Ends(pair)
  }

  /// What is there to read now.
  func read() -> String {
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    var text: [UInt8] = []
    _ = fcntl(reading, F_SETFL, O_NONBLOCK)
    while case let count = Glibc.read(reading, &bytes, bytes.count), count > 0 { text += bytes[..<count] }
    return String(decoding: text, as: UTF8.self)
  }

  deinit {
    close(reading)
    close(writing)
  }
}

@Suite struct LogLineTests {
  private func line(
    _ style: LogLine.Style, _ message: String, _ metadata: [(key: String, value: String)] = []
  ) -> String {
    String(
      decoding: LogLine.format(
        style, time: "T", level: .warning, part: "http", message: message, metadata: metadata), as: UTF8.self)
  }

  @Test func people() {
    #expect(line(.terminal, "hello", [("a", "b c")]) == "T warning  http: hello a=b c\n")
  }

  @Test func theJournal() {
    #expect(line(.journal, "hello") == "<4>http: hello\n")
  }

  @Test(arguments: [
    (Logger.Level.trace, 7), (.debug, 7), (.info, 6), (.notice, 5), (.warning, 4), (.error, 3),
    (.critical, 2),
  ])
  func priorities(level: Logger.Level, number: Int) {
    #expect(LogLine.priority(level) == number)
  }

  @Test func nobodyForgesALine() {
    #expect(
      line(.journal, "a\n<0>b\u{1b}[2J\u{7f}", [("k\n", "v\r")])
        == "<4>http: a\\x0a<0>b\\x1b[2J\\x7f k\\x0a=v\\x0d\n")
  }

  @Test func aLineFitsIntoAPipe() {
    let bytes = LogLine.format(
      .journal, time: "", level: .info, part: "http", message: String(repeating: "\n", count: 100_000))
    #expect(bytes.count == LogLine.maximumLength)
    #expect(bytes.suffix(4) == Array("...\n".utf8)[...])
  }
}

@Suite struct LogSinkTests {
  @Test(arguments: [true, false])
  func aSlowReaderCostsLinesButNoTime(isSocket: Bool) {
    let ends = isSocket ? Ends.sockets() : Ends.pipe()
    let sink = LogSink(descriptor: ends.writing, style: .journal)
    let line = Array(String(repeating: "x", count: 999).utf8) + [0x0a]
    for _ in 0..<3000 { sink.write(line) }
    let first = ends.read()
    let kept = first.split(separator: "\n").count
    #expect(kept > 10 && kept < 3000)
    #expect(first.count == kept * 1000, "only whole lines")
    sink.write(Array("<6>next\n".utf8))
    #expect(
      ends.read()
        == "<4>daemon: \(3000 - kept) log lines were lost because nobody read them fast enough\n<6>next\n")
  }

  @Test func theJournalIsRecognisedByItsSocket() {
    let ends = Ends.sockets()
    var status = stat()
    fstat(ends.writing, &status)
    #expect(LogSink.isJournal("\(status.st_dev):\(status.st_ino)", descriptor: ends.writing))
    #expect(!LogSink.isJournal("\(status.st_dev):\(status.st_ino + 1)", descriptor: ends.writing))
    #expect(!LogSink.isJournal(nil, descriptor: ends.writing))
    #expect(!LogSink.isJournal("", descriptor: -1))
  }
}

@Suite struct LogLevelTests {
  @Test func partsFollowTheLevelUnlessTheyHaveTheirOwn() {
    let levels = LogLevels(Settings.Log(level: .warning, http: .trace))
    #expect(levels[.http] == .trace)
    for part in LogPart.allCases where part != .http { #expect(levels[part] == .warning) }
  }

  @Test func everyPartHasItsOwnKey() throws {
    for part in LogPart.allCases {
      let text = "[log]\nlevel = \"error\"\n\(part.rawValue) = \"debug\"\n"
      let levels = LogLevels(try SettingsReader.read(Array(text.utf8), file: "v").settings.log)
      for other in LogPart.allCases { #expect(levels[other] == (other == part ? .debug : .error)) }
    }
  }

  @Test func aChangeReachesLoggersThatAreThere() {
    let ends = Ends.pipe()
    let loggers = Loggers(settings: .init(), sink: LogSink(descriptor: ends.writing, style: .journal))
    let logger = loggers[.player]
    logger.debug("one")
    loggers.levels.set(.init(level: .debug))
    logger.debug("two", metadata: ["uri": "x"])
    loggers.levels.set(.init(level: .error))
    logger.warning("three")
    #expect(ends.read() == "<7>player: two uri=x\n")
  }
}

@Suite struct LogFloodTests {
  private final class Flood {
    private var flood = LogRateLimiter<Int>()

    var nextDue: Duration? { flood.nextDue }

    /// How many of so many lines are written.
    func write(_ count: Int, kind: UInt = 1, subject: String = "", at second: Int) -> Int {
      (0..<count).count {
        flood.mayWrite($0, of: .init(file: "a", line: kind, subject: subject), now: .seconds(second))
      }
    }

    func due(at second: Int, all: Bool = false) -> [LogRateLimiter<Int>.Summary] {
      flood.due(now: .seconds(second), all: all)
    }
  }

  @Test func aFloodIsCountedAndToldOnceAMinute() {
    let flood = Flood()
    #expect(flood.nextDue == nil)
    #expect(flood.write(20_000, at: 5) == 20)
    #expect(flood.nextDue == .seconds(65))
    #expect(flood.due(at: 64).isEmpty)
    let told = flood.due(at: 65)
    #expect(told.map(\.count) == [19_980])
    #expect(told.map(\.last) == [19_999])
    #expect(told.map(\.time) == [.seconds(60)])
    #expect(flood.nextDue == nil, "nothing is owed any more")
    // It goes on: one line a minute.
    #expect(flood.write(300, at: 66) == 0)
    #expect(flood.due(at: 125).map(\.count) == [300])
    #expect(flood.write(300, at: 130) == 0)
    #expect(flood.due(at: 185).map(\.count) == [300])
    // Somebody who does it now and then is back to normal when a minute is over.
    #expect(flood.write(10, at: 190) == 0)
    #expect(flood.due(at: 245).map(\.count) == [10])
    #expect(flood.write(10, at: 250) == 10)
    #expect(flood.nextDue == nil)
  }

  @Test func aNormalEveningIsWrittenLineByLine() {
    let flood = Flood()
    for second in stride(from: 0, to: 3600 * 4, by: 6) { #expect(flood.write(1, at: second) == 1) }
    #expect(flood.nextDue == nil)
  }

  @Test func aFloodThatEndsIsForgotten() {
    let flood = Flood()
    _ = flood.write(100, at: 0)
    #expect(flood.due(at: 60).count == 1)
    #expect(flood.due(at: 500).isEmpty)
    #expect(flood.write(20, at: 500) == 20)
  }

  @Test func oneKindDoesNotHideAnother() {
    let flood = Flood()
    _ = flood.write(1000, kind: 1, at: 0)
    #expect(flood.write(3, kind: 2, at: 1) == 3)
    #expect(flood.write(1, kind: 1, subject: "mixer", at: 2) == 1)
    _ = flood.write(1000, kind: 3, at: 10)
    #expect(flood.due(at: 60).map(\.count) == [980])
    #expect(flood.nextDue == .seconds(70))
    #expect(flood.due(at: 61, all: true).map(\.count) == [980], "at the end")
  }

  @Test func memoryIsBounded() {
    let flood = Flood()
    var written = 0
    for kind in 0..<10_000 { written += flood.write(1, kind: UInt(kind), at: 0) }
    #expect(written == LogRateLimiter<Int>.mostKinds + LogRateLimiter<Int>.most)
    #expect(flood.due(at: 60).map(\.count) == [10_000 - written])
  }
}

@Suite struct LogGateTests {
  /// A clock that stands still, and a timer that is run by hand.
  private final class Hands: Sendable {
    let time = Mutex(Duration.zero)
    let calls = Mutex<[(Duration, @Sendable () -> Void)]>([])
  }

  private func loggers(_ ends: Ends, _ hands: Hands, level: LogLevel = .info) -> Loggers {
    let gate = LogGate(sink: LogSink(descriptor: ends.writing, style: .journal)) {
      hands.time.withLock { $0 }
    }
    gate.set { time, call in hands.calls.withLock { $0.append((time, call)) } }
    return Loggers(settings: .init(level: level), gate: gate)
  }

  @Test func everyPlaceInTheCodeIsCountedByItself() {
    let (ends, hands) = (Ends.pipe(), Hands())
    let logger = loggers(ends, hands)[.http]
    for number in 0..<1000 {
      logger.info("asked \(number)")
      if number % 100 == 0 { logger.warning("refused \(number)", metadata: ["by": "us"]) }
    }
    let lines = ends.read().split(separator: "\n")
    #expect(lines.count == 30)
    #expect(lines.count { $0.contains("refused") } == 10)
    #expect(hands.calls.withLock { $0.map(\.0) } == [.seconds(60)], "one timer")
    hands.time.withLock { $0 = .seconds(60) }
    hands.calls.withLock { $0 }.first?.1()
    #expect(
      ends.read()
        == "<6>http: 980 more of these in 60 s ([log] http = \"debug\" shows each); the last: asked 999\n")
    #expect(hands.calls.withLock { $0.count } == 1, "and none while nothing is owed")
  }

  @Test func whatIsOwedIsToldAtTheEnd() {
    let (ends, hands) = (Ends.pipe(), Hands())
    let loggers = loggers(ends, hands)
    for _ in 0..<21 { loggers[.player].info("again") }
    _ = ends.read()
    loggers.gate.flush()
    #expect(ends.read().contains("1 more of these in 0 s"))
    loggers.gate.flush()
    #expect(ends.read() == "")
  }

  @Test func whoWantsToSeeEverythingDoes() {
    let (ends, hands) = (Ends.pipe(), Hands())
    let logger = loggers(ends, hands, level: .debug)[.http]
    for _ in 0..<100 { logger.info("asked") }
    #expect(ends.read().split(separator: "\n").count == 100)
  }

  @Test(arguments: [false, true]) func subjectsAreCountedApartAndNotShown(byCall: Bool) {
    let (ends, hands) = (Ends.pipe(), Hands())
    let all = loggers(ends, hands)
    for subject in ["a", "b"] {
      let metadata: Logger.Metadata = [VireoLogHandler.subjectKey: "\(subject)"]
      var logger = all[.daemon]
      if !byCall { logger[metadataKey: VireoLogHandler.subjectKey] = metadata[VireoLogHandler.subjectKey] }
      for _ in 0..<100 { logger.info("told", metadata: byCall ? metadata : nil) }
    }
    let lines = ends.read().split(separator: "\n")
    #expect(lines.count == 40)
    #expect(Set(lines) == ["<6>daemon: told"])
  }

  @Test func noAddressShowsWhatIsSecret() {
    let (ends, hands) = (Ends.pipe(), Hands())
    let logger = loggers(ends, hands)[.daemon]
    logger.info("hook says: http://me:hush@host/a?token=hush", metadata: ["uri": "http://host/a;sid=hush"])
    #expect(ends.read() == "<6>daemon: hook says: http://host/a?… uri=http://host/a;…\n")
  }
}
