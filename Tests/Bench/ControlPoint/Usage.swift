import Foundation

/// What this process has used so far.
struct Usage {
  /// In milliseconds, of all threads.
  var cpu: Double
  var dirtyKiB: Int

  static func now() -> Usage {
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    func milliseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1e3 + Double(time.tv_usec) / 1e3 }
    let rollup = (try? String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8)) ?? ""
    let line = rollup.split(separator: "\n").first { $0.hasPrefix("Private_Dirty:") }
    return Usage(
      cpu: milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime),
      dirtyKiB: line.flatMap { $0.split(separator: " ").dropFirst().first.flatMap { Int($0) } } ?? 0)
  }
}

extension Duration {
  var milliseconds: Double { Double(components.attoseconds) / 1e15 + Double(components.seconds) * 1e3 }
}
