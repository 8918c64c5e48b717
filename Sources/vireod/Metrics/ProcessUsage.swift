import Glibc

/// The resources that the process uses.
struct ProcessUsage: Sendable {
  /// Resident memory in bytes; nil when the kernel doesn't tell.
  var resident: Int?
  var cpuSeconds = 0.0
  var descriptors: Int?
  var threads: Int?

  /// Reads the current values from getrusage(2) and proc(5).
  static func now() -> ProcessUsage {
    var cost = ProcessUsage()
    var usage = rusage()
    if getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
      cost.cpuSeconds =
        Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }
    for line in status().split(separator: "\n") {
      let words = line.split { $0 == ":" || $0 == "\t" || $0 == " " }
      guard words.count > 1, let number = Int(words[1]) else { continue }
      switch words[0] {
      case "VmRSS": cost.resident = number * 1024
      case "Threads": cost.threads = number
      default: break
      }
    }
    if let directory = opendir("/proc/self/fd") {
      // Without ".", ".." and the descriptor that reads the directory.
      var count = -3
      while readdir(directory) != nil { count += 1 }
      closedir(directory)
      cost.descriptors = count
    }
    return cost
  }

  func write(to text: inout MetricsText) {
    text.add(.processCPU, cpuSeconds)
    if let resident { text.add(.processMemory, resident) }
    if let descriptors { text.add(.processDescriptors, descriptors) }
    if let threads { text.add(.processThreads, threads) }
  }

  private static func status() -> String {
    let descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    // The kernel returns the file in one piece and reports a length of 0.
    var bytes = [UInt8](repeating: 0, count: 8192)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
