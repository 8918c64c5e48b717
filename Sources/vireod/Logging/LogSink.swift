import Glibc
import Synchronization

/// Writes log lines to a file descriptor that may be slow, full or dead and must never block the daemon.
///
/// A line is written at once and as a whole, or dropped and counted. The next line that can be written is preceded by
/// the count.
final class LogSink: Sendable {
  let style: LogLine.Style
  private let descriptor: Int32
  private let dropped = Mutex(0)

  init(descriptor: Int32, style: LogLine.Style) {
    self.descriptor = descriptor
    self.style = style
  }

  /// Standard error, in the journal's style when systemd reads it.
  static func standardError() -> LogSink {
    let journal = isJournal(getenv("JOURNAL_STREAM").map { String(cString: $0) }, descriptor: STDERR_FILENO)
    return LogSink(descriptor: STDERR_FILENO, style: journal ? .journal : .terminal)
  }

  /// Whether the journal reads `descriptor`.
  ///
  /// According to systemd.exec(5), `JOURNAL_STREAM` is `DEVICE:INODE` of the journal's socket. A child process whose
  /// standard error was redirected inherits the variable, hence the comparison.
  static func isJournal(_ stream: String?, descriptor: Int32) -> Bool {
    var status = stat()
    guard let stream, fstat(descriptor, &status) == 0 else { return false }
    return stream == "\(status.st_dev):\(status.st_ino)"
  }

  func write(_ line: [UInt8]) {
    dropped.withLock { dropped in
      if dropped > 0 {
        let message = "\(dropped) log lines were lost because nobody read them fast enough"
        let notice = LogLine.format(
          style, time: LogTime.now(), level: .warning, part: LogPart.daemon.rawValue, message: message)
        guard attempt(notice) else {
          dropped += 1
          return
        }
        dropped = 0
      }
      if !attempt(line) { dropped += 1 }
    }
  }

  private func attempt(_ line: [UInt8]) -> Bool {
    // A socket (the journal) reports at once that it is full. Anything else is polled first; a pipe that polls as
    // writable takes PIPE_BUF bytes, more than the longest line.
    while true {
      let sent = send(descriptor, line, line.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
      if sent == line.count { return true }
      if sent < 0, errno == EINTR { continue }
      guard sent < 0, errno == ENOTSOCK else { return false }
      break
    }
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard poll(&request, 1, 0) == 1, request.revents & Int16(POLLOUT) != 0 else { return false }
    while true {
      let count = Glibc.write(descriptor, line, line.count)
      if count < 0, errno == EINTR { continue }
      return count == line.count
    }
  }
}

/// The time of day for log lines.
enum LogTime {
  /// The local time: `2026-11-21 17:02:51.042`.
  static func now() -> String {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    var parts = tm()
    localtime_r(&time.tv_sec, &parts)
    return "\(parts.tm_year + 1900)-\(pad(parts.tm_mon + 1))-\(pad(parts.tm_mday))"
      + " \(pad(parts.tm_hour)):\(pad(parts.tm_min)):\(pad(parts.tm_sec)).\(pad(Int32(time.tv_nsec / 1_000_000), 3))"
  }

  private static func pad(_ number: Int32, _ width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
