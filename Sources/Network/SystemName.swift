import Glibc

/// What this system is called.
package enum SystemName {
  /// The machine's name without its domain; empty when it has none.
  package static var machine: String {
    var names = utsname()
    guard uname(&names) == 0 else { return "" }
    return String(text(&names.nodename).prefix { $0 != "." })
  }

  /// The kernel with its version: `Linux/6.1`.
  package static var kernel: String {
    var names = utsname()
    guard uname(&names) == 0 else { return "Linux/0" }
    return "\(text(&names.sysname))/\(text(&names.release).prefix { $0.isNumber || $0 == "." })"
  }

  private static func text<Field>(_ field: inout Field) -> String {
    withUnsafeBytes(of: &field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
