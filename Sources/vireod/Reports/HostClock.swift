import CLinux
import Glibc
import Listening

/// Reads the clocks of this host.
enum HostClock {
  private static let bootFile = "/proc/sys/kernel/random/boot_id"

  /// Names this run of the machine: the beginning of the kernel's random name for it. Where that can't be read, each run of this
  /// program counts as one of the machine.
  static let boot: String = {
    let file = open(bootFile, O_RDONLY | O_CLOEXEC)
    defer { if file >= 0 { close(file) } }
    var bytes = [UInt8](repeating: 0, count: 13)
    if file >= 0, read(file, &bytes, bytes.count) == bytes.count {
      return String(decoding: bytes, as: UTF8.self)
    }
    var random = SystemRandomNumberGenerator()
    return ReportRecord.makeID(using: &random)
  }()

  static var upTime: UpTime { UpTime(awake: time(CLOCK_MONOTONIC), sinceBoot: time(CLOCK_BOOTTIME)) }

  static var reading: ClockReading {
    ClockReading(
      date: milliseconds(time(CLOCK_REALTIME)), sinceBoot: time(CLOCK_BOOTTIME),
      isSaidToBeSet: clinux_clock_is_set() != 0)
  }

  /// How long it is until midnight here; a whole day if nobody knows.
  static func untilMidnight(_ date: Int64) -> Duration {
    var seconds = time_t(date / 1000)
    var parts = tm()
    guard localtime_r(&seconds, &parts) != nil else { return .seconds(86_400) }
    (parts.tm_hour, parts.tm_min, parts.tm_sec, parts.tm_isdst) = (0, 0, 0, -1)
    parts.tm_mday += 1
    let midnight = mktime(&parts)
    return midnight > seconds ? .seconds(midnight - seconds) : .seconds(86_400)
  }

  /// The time in seconds since 1970, and by how many seconds the local time is ahead of it.
  static var local: (seconds: Int, offset: Int) {
    var seconds = Glibc.time(nil)
    var parts = tm()
    let offset = localtime_r(&seconds, &parts) == nil ? 0 : parts.tm_gmtoff
    return (seconds, offset)
  }

  private static func time(_ clock: clockid_t) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  private static func milliseconds(_ time: Duration) -> Int64 {
    time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000
  }
}
