import Player

/// One key of a station (`[[radio.preset]]`).
struct PresetKey: Sendable {
  typealias Preset = Settings.Radio.Preset

  var name: String
  var field: WritableKeyPath<Preset, String> & Sendable
  /// One line for people.
  var summary: String
  var isRequired = false
  var check: SettingKey.TextCheck

  static let all: [PresetKey] = [
    PresetKey(
      name: "name", field: \.name, summary: "what is shown; without it, the end of the address",
      check: SettingsChecks.friendlyName),
    PresetKey(
      name: "url", field: \.url, summary: "the stream, or a list that names it", isRequired: true,
      check: SettingsChecks.stationURL),
    PresetKey(
      name: "image", field: \.image, summary: "the address of a logo; none without it",
      check: SettingsChecks.webURL),
  ]

  static func named(_ name: String) -> PresetKey? { all.first { $0.name == name } }

  static var allowed: String {
    "sections of their own, \(Radio.channelsMax) at most, each with "
      + all.map { "\($0.name) (\($0.isRequired ? "required: " : "")\($0.summary))" }.joined(separator: ", ")
  }

  /// The station as a TOML inline table: `{ name = "…", url = "…" }`.
  static func toml(_ preset: Preset) -> String {
    let pairs = all.filter { $0.isRequired || !preset[keyPath: $0.field].isEmpty }
      .map { "\($0.name) = \(TOMLText.quoted(preset[keyPath: $0.field]))" }
    return "{ " + pairs.joined(separator: ", ") + " }"
  }
}
