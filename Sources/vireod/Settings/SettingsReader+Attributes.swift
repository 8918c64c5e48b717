/// Reads names and texts of the owner's, a table.
extension SettingsReader {
  mutating func attributes(_ entries: [TOMLEntry], of key: SettingKey) -> [Settings.Attribute] {
    if entries.count > SettingKey.mostAttributes {
      problem(
        entries[SettingKey.mostAttributes].position, key.path,
        "has \(entries.count) names; allowed is \(key.allowed)")
    }
    var attributes: [Settings.Attribute] = []
    for entry in entries.prefix(SettingKey.mostAttributes) {
      guard case .string(let text) = entry.node.value else {
        problem(
          entry.node.position, key.path, "holds \(entry.node.value.kindName); allowed is \(key.allowed)")
        continue
      }
      if entry.key.isEmpty {
        problem(entry.position, key.path, "has a text without a name")
      } else if let wrong = SettingsChecks.reportText(entry.key) ?? SettingsChecks.reportText(text) {
        problem(entry.position, key.path, "\(TOMLText.quoted(entry.key)) \(wrong)")
      } else {
        attributes.append(Settings.Attribute(name: entry.key, value: text))
      }
    }
    return attributes
  }
}
