/// A program to run, as configured. It is run without a shell.
struct ProgramRun: Sendable, Equatable {
  /// The program's absolute path, and its arguments.
  var command: [String]
  /// Additional environment variables, on top of ``inherited``.
  var environment: [String: String] = [:]

  /// The variables that programs inherit from the daemon: none that would tell them that they run as a systemd service.
  static let inherited = [
    "PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
  ]

  /// The longest value in bytes. Values from the network must not make the environment too large to start a program.
  static let longestValue = 4096

  /// The environment as `NAME=VALUE`, sorted by name.
  func variables(inherited: (String) -> String?) -> [String] {
    var all: [String: String] = [:]
    for name in Self.inherited { all[name] = inherited(name) }
    if all["PATH"] == nil { all["PATH"] = "/usr/local/bin:/usr/bin:/bin" }
    for (name, value) in environment { all[name] = Self.harmless(value) }
    return all.map { "\($0)=\($1)" }.sorted()
  }

  /// Cuts `value` at the first NUL and at ``longestValue``.
  private static func harmless(_ value: String) -> String {
    String(decoding: value.utf8.prefix { $0 != 0 }.prefix(longestValue), as: UTF8.self)
  }
}
