/// Writes the table of keys as a manual page, vireo.toml(5).
enum SettingsManual {
  /// The page in mdoc(7): a fixed part, then a list for each section.
  static func page() -> String {
    var text = """
      .\\" Written by `make docs` from the table of keys.
      .Dd November 21, 2026
      .Dt VIREO.TOML 5
      .Os
      .Sh NAME
      .Nm vireo.toml
      .Nd configuration of the media renderer vireod
      .Sh DESCRIPTION
      .Pa /etc/vireo/vireo.toml
      is read by
      .Xr vireod 8
      at its start.
      It is written in TOML; every key is optional.
      Durations are written
      .Li \\(dq2s\\(dq ,
      .Li \\(dq500ms\\(dq ,
      .Li \\(dq5min\\(dq ,
      or as a number of seconds.
      .Pp
      .Dl $ vireod --check-config
      .Pp
      checks the file and prints the effective settings.
      A reload
      .Pq Dv SIGHUP
      applies the keys marked so, the others need a restart.

      """
    for section in SettingsSchema.sections {
      text += ".Sh [\(section.name)]\n\(escaped(section.summary))\n.Bl -tag -width Ds\n"
      for key in SettingsSchema.keys where key.section == section.name {
        text += ".It Ic \(key.name)\n\(escaped(key.summary))\n.br\n"
        let value = key.fallback ?? key.toml(in: Settings())
        text += "Allowed: \(escaped(key.allowed)).\n"
        text += "Default: \(escaped(value)).\n"
        if key.isReloadable { text += "Applied by a reload.\n" }
      }
      text += ".El\n"
    }
    return text + ".Sh SEE ALSO\n.Xr vireod 8\n"
  }

  /// Escapes `text` for roff(7), so that backslashes and straight quotes are literal and no line begins with a control
  /// character.
  private static func escaped(_ text: String) -> String {
    var result = text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" : ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      case "\"": result += "\\(dq"
      case "-": result += "\\-"
      default: result.append(character)
      }
    }
    return result
  }
}
