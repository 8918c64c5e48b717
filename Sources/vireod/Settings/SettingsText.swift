/// The configuration as text: for `--check-config`, for the file that is installed, for the README.
enum SettingsText {
  /// What holds, as TOML; each line says where its value comes from.
  static func effective(_ loaded: SettingsLoader.Loaded) -> String {
    var text = "# Effective configuration of vireod \(Version.number)\n"
    text += "# File: \(loaded.file ?? "none (\(SettingsLoader.defaultPath) does not exist)")\n"
    for section in SettingsSchema.sections {
      text += "\n[\(section.name)]\n"
      for key in SettingsSchema.keys where key.section == section.name {
        let value = key.toml(in: loaded.settings)
        let origin = loaded.origins[key.path] ?? "default"
        // An empty text stands for "not set" and may not be written as a choice.
        if value == "\"\"", let fallback = key.fallback {
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
      # Every key is optional; what stands here behind # is what holds without it.
      # Durations: "2s", "500ms", "5min", or a plain number of seconds.
      # `vireod --check-config` says whether the file is right and what holds;
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

  /// The README's table, in Markdown.
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
