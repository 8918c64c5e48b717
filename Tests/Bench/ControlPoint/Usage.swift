import Glibc

/// What this process has used so far.
struct Usage {
  /// In milliseconds, of all threads.
  var cpu: Double
  /// Memory of its own.
  var dirtyKiB: Int
  /// The most that was resident at any time, with the pages of the program's file.
  var peakKiB: Int

  static func now() -> Usage {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    func milliseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1e3 + Double(time.tv_usec) / 1e3 }
    return Usage(
      cpu: milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime),
      dirtyKiB: field("Private_Dirty:", of: "/proc/self/smaps_rollup"),
      peakKiB: field("VmHWM:", of: "/proc/self/status"))
  }

  private static func field(_ name: String, of path: String) -> Int {
    guard let file = fopen(path, "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, CInt(line.count), file) != nil {
      let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        .split { $0 == " " || $0 == "\t" }
      if words.count > 1, words[0] == name { return Int(words[1]) ?? 0 }
    }
    return 0
  }
}

extension Duration {
  var milliseconds: Double { Double(components.attoseconds) / 1e15 + Double(components.seconds) * 1e3 }
}
