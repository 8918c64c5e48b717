import ArgumentParser

/// The options of every command, before or after its name.
struct GlobalOptions: ParsableArguments {
  @Option(
    name: [.customShort("r"), .long],
    help: "Which renderer: name, UDN, address, URL, or the beginning of a name.")
  var renderer: String?

  @Flag(help: "Print one JSON document; with --watch, one object a line.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print nothing but problems.")
  var quiet = false

  @Option(help: "Seconds to look for devices, 0.1 to 60.")
  var timeout = 3.0

  @Option(
    name: .customLong("interface"),
    help: "Look for devices on this interface only (eth0, or a pattern like eth*); may be repeated.")
  var interfaces: [String] = []

  @Flag(name: .shortAndLong, help: "Say on stderr what is done.")
  var verbose = false

  func validate() throws {
    guard timeout >= 0.1, timeout <= 60 else { throw ValidationError("--timeout must be 0.1 to 60 seconds") }
  }
}
