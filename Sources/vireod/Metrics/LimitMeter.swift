/// What `[limits]` allows, beside what is used of it.
struct LimitMeter: Sendable {
  let settings: Settings

  func write(to text: inout MetricsText) {
    text.metric(
      "vireo_limit", .gauge,
      "What the section [limits] of the configuration allows, by key; times in seconds.")
    for key in SettingsSchema.keys where key.section == "limits" {
      switch key.kind {
      case .integer(let field, _, _): text.sample(["key": key.name], settings[keyPath: field])
      case .duration(let field, _): text.sample(["key": key.name], settings[keyPath: field] / .seconds(1))
      default: continue
      }
    }
  }
}
