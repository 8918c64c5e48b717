import Glibc

/// The firewalls of this host, as far as everybody may see.
package enum HostFirewalls {
  /// Those that are switched on: `ufw`, `firewalld`.
  package static var active: [String] {
    var found: [String] = []
    if let text = read("/etc/ufw/ufw.conf"), isUFWOn(text) { found.append("ufw") }
    if access("/run/firewalld", F_OK) == 0 || access("/var/run/firewalld.pid", F_OK) == 0 {
      found.append("firewalld")
    }
    return found
  }

  package static func isUFWOn(_ configuration: String) -> Bool {
    configuration.split(separator: "\n").contains { $0.lowercased().filter { $0 != " " } == "enabled=yes" }
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
