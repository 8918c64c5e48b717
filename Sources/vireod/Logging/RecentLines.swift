import NIOCore
import Synchronization

/// The last warnings and errors of the log, for the page.
final class RecentLines: Sendable {
  static let most = 50
  private static let longest = 600

  struct Line: Sendable {
    var time: NIODeadline
    var isError: Bool
    var text: String
  }

  private let lines = Mutex<[Line]>([])

  /// The latest first.
  var all: [Line] { lines.withLock { $0.reversed() } }

  func take(_ line: LogGate.Line) {
    guard line.level >= .warning else { return }
    let pairs = line.metadata.map { " \($0.key)=\($0.value)" }.joined()
    let text = String((line.message + pairs).unicodeScalars.prefix(Self.longest))
    lines.withLock { lines in
      if lines.count == Self.most { lines.removeFirst() }
      lines.append(Line(time: .now(), isError: line.level >= .error, text: text))
    }
  }
}
