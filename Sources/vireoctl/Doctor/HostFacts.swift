import Glibc

/// What the files of this machine tell.
enum HostFacts {
  /// The bridges among these interfaces.
  static func bridges(_ names: [String]) -> [DoctorFacts.Bridge] {
    names.compactMap { name in
      let folder = "/sys/class/net/\(name)/bridge"
      guard !name.contains("/"), let snooping = read("\(folder)/multicast_snooping") else { return nil }
      return DoctorFacts.Bridge(
        name: name, isSnooping: snooping.hasPrefix("1"),
        isQuerier: read("\(folder)/multicast_querier")?.hasPrefix("1") == true)
    }
  }

  /// False if systemd should set the clock by a time server, and hasn't done it yet.
  static var isClockSet: Bool {
    let folder = "/run/systemd/timesync"
    return access(folder, F_OK) != 0 || access("\(folder)/synchronized", F_OK) == 0
  }

  private static func read(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
    return count >= 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }
}
