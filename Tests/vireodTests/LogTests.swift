import Foundation
import Logging
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
