/// The renderer that `vireoctl use` has set: `renderer` in the user's configuration.
enum ChosenRenderer {
  /// What names the renderer: the option -r, else the variable, else the file; nil if nothing does. Empty is unset.
  static func text(option: String?, variable: String?, file: () -> String?) -> String? {
    [option ?? variable.flatMap { $0.isEmpty ? nil : $0 } ?? file()].compactMap(\.self).first {
      !$0.isEmpty
    }
  }

  static func read() -> String? {
    SmallFile(.configuration, "renderer").read()?.split(separator: "\n").first.map(String.init)
  }

  /// - Parameter udn: nil to forget it.
  static func write(_ udn: String?) -> Bool {
    SmallFile(.configuration, "renderer").write(udn.map { "\($0)\n" } ?? "")
  }
}
