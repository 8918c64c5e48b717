/// A program to run, as the owner of this host configured it. No shell is involved.
struct ProgramRun: Sendable, Equatable {
  /// The program's absolute path, and its arguments.
  var command: [String]
  /// `NAME` to value, on top of ``inherited``.
  var environment: [String: String] = [:]

  /// What programs get of the daemon's own environment: nothing that tells them they are a service.
  static let inherited = [
    "PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
  ]

  /// Longest value, in bytes: what comes from the network must not make the environment too large to start anything.
  static let longestValue = 4096

  /// `NAME=VALUE` of everything, in the order of the names.
  func variables(inherited: (String) -> String?) -> [String] {
    var all: [String: String] = [:]
    for name in Self.inherited { all[name] = inherited(name) }
    if all["PATH"] == nil { all["PATH"] = "/usr/local/bin:/usr/bin:/bin" }
    for (name, value) in environment { all[name] = Self.harmless(value) }
    return all.map { "\($0)=\($1)" }.sorted()
  }

  /// Without the byte that ends it, and not too long.
  private static func harmless(_ value: String) -> String {
    String(decoding: value.utf8.prefix { $0 != 0 }.prefix(longestValue), as: UTF8.self)
  }
}
