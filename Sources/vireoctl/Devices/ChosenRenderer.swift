/// The renderer that `vireoctl use` has set: `renderer` in the user's configuration.
enum ChosenRenderer {
  static func read() -> String? {
    SmallFile(.configuration, "renderer").read()?.split(separator: "\n").first.map(String.init)
  }

  /// - Parameter udn: nil to forget it.
  static func write(_ udn: String?) -> Bool {
    SmallFile(.configuration, "renderer").write(udn.map { "\($0)\n" } ?? "")
  }
}
