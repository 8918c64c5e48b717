import Glibc

/// Notifies systemd of the service's state (sd_notify(3)) with datagrams to the socket that `NOTIFY_SOCKET` names.
///
/// The protocol is so small that libsystemd isn't linked for it. Without systemd there is no notifier.
struct SystemdNotifier: Sendable {
  /// The socket's path; a leading `@` means the abstract namespace.
  let path: String

  /// Creates a notifier; nil when `path` names no socket.
  init?(path: String?) {
    guard let path, path.hasPrefix("/") || path.hasPrefix("@"), path.utf8.count < 108 else { return nil }
    self.path = path
  }

  /// Sends `state`, lines such as `READY=1`; false when it could not be delivered.
  @discardableResult
  func send(_ state: String) -> Bool {
    let descriptor = socket(
      AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var name = Array(path.utf8)
    if name[0] == 0x40 { name[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    // An abstract name ends at the end of the address, so the length must be exact.
    let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
    let bytes = Array(state.utf8)
    let sent = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, length)
      }
    }
    return sent == bytes.count
  }

  func ready(status: String) { send("READY=1\nSTATUS=\(oneLine(status))") }
  func stopping() { send("STOPPING=1") }
  func alive() { send("WATCHDOG=1") }

  /// Reports a reload. `Type=notify-reload` requires the time at which it began, to tell it from an older one.
  func reloading() {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    send("RELOADING=1\nMONOTONIC_USEC=\(time.tv_sec * 1_000_000 + time.tv_nsec / 1000)")
  }

  private func oneLine(_ text: String) -> String {
    String(text.prefix(200).map { $0.isNewline ? " " : $0 })
  }
}
