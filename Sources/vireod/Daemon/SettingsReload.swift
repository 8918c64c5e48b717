/// The changes that a reload of the configuration makes.
///
/// Keys that need a restart keep their old value, so that all parts of the daemon agree.
struct SettingsReload: Sendable {
  /// The effective settings from now on.
  let settings: Settings
  let applied: [String]
  /// Keys that have changed in the file and need a restart.
  let postponed: [String]

  init(from old: Settings, to new: Settings) {
    var settings = old
    var applied: [String] = []
    var postponed: [String] = []
    for key in SettingsSchema.keys where key.toml(in: old) != key.toml(in: new) {
      if key.isReloadable {
        key.copy(from: new, to: &settings)
        applied.append(key.path)
      } else {
        postponed.append(key.path)
      }
    }
    self.settings = settings
    self.applied = applied
    self.postponed = postponed
  }
}

extension SettingKey {
  fileprivate func copy(from source: Settings, to target: inout Settings) {
    switch kind {
    case .text(let field, _): target[keyPath: field] = source[keyPath: field]
    case .texts(let field, _), .command(let field): target[keyPath: field] = source[keyPath: field]
    case .integers(let field, _, _): target[keyPath: field] = source[keyPath: field]
    case .boolean(let field): target[keyPath: field] = source[keyPath: field]
    case .integer(let field, _, _): target[keyPath: field] = source[keyPath: field]
    case .size(let field, _): target[keyPath: field] = source[keyPath: field]
    case .integerOr(_, let field, _): target[keyPath: field] = source[keyPath: field]
    case .presets(let field): target[keyPath: field] = source[keyPath: field]
    case .attributes(let field): target[keyPath: field] = source[keyPath: field]
    case .duration(let field, _): target[keyPath: field] = source[keyPath: field]
    case .choice(_, let get, let set): set(&target, get(source))
    }
  }
}
