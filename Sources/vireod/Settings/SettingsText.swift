/// Writes the configuration as text: for `--check-config`, for the installed file and for `Config/README.md`.
enum SettingsText {
  /// The effective configuration as TOML; each line names the origin of its value.
  static func effective(_ loaded: SettingsLoader.Loaded) -> String {
    var text = "# Effective configuration of vireod \(Version.number)\n"
    text += "# File: \(loaded.file ?? "none (\(SettingsLoader.defaultPath) does not exist)")\n"
    for section in SettingsSchema.sections {
      text += "\n[\(section.name)]\n"
      for key in SettingsSchema.keys where key.section == section.name {
        let value = key.toml(in: loaded.settings)
        let origin = loaded.origins[key.path] ?? "default"
        // An empty string or list means "not set".
        if ["\"\"", "[]", "{}"].contains(value), let fallback = key.fallback {
          text += "# \(key.name): not set (\(fallback))  # \(origin)\n"
        } else {
          text += "\(key.name) = \(value)  # \(origin)\n"
        }
      }
    }
    return text
  }

  /// `Config/vireo.toml`: every key with its default, commented out.
  static func template() -> String {
    var text = """
      # Configuration of vireod, the Vireo media renderer.
      #
      # Every key is optional. The commented lines show the defaults; where a comment says
      # "Without it: …", that applies, and the line only shows how the key is written.
      # Durations: "500ms", "2s", "5min", "1h", or a plain number of seconds.
      # `vireod --check-config` checks the file and prints the effective settings;
      # `systemctl reload vireo` applies the keys marked (reload), the others need a restart.

      """
    for section in SettingsSchema.sections {
      text += "\n# \(section.summary)\n[\(section.name)]\n"
      for key in SettingsSchema.keys where key.section == section.name {
        text += "\n# \(key.summary)\n# \(capitalised(key.allowed))."
        if let fallback = key.fallback { text += " Without it: \(fallback)." }
        text += key.isReloadable ? " (reload)\n" : "\n"
        if case .presets = key.kind {
          text += "#[[\(key.path)]]\n" + PresetKey.all.map { "#\($0.name) = \"\"\n" }.joined()
          continue
        }
        text += "#\(key.name) = \(key.toml(in: Settings()))\n"
      }
    }
    return text
  }

  /// The table of `Config/README.md`, in Markdown.
  static func markdownTable() -> String {
    var text = "| Key | Default | Allowed | What it is | Reload |\n|---|---|---|---|---|\n"
    for section in SettingsSchema.sections {
      text += "| **[\(section.name)]** | | | \(section.summary) | |\n"
      for key in SettingsSchema.keys where key.section == section.name {
        let value = key.toml(in: Settings())
        let standard = key.fallback ?? "`\(value)`"
        text +=
          "| `\(key.name)` | \(standard) | \(key.allowed) | \(key.summary) | \(key.isReloadable ? "yes" : "") |\n"
      }
    }
    return text
  }

  private static func capitalised(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst()
  }
}
