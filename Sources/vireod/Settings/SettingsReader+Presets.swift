import Player

/// Reads stations (`[[radio.preset]]`), an array of tables.
extension SettingsReader {
  mutating func presets(_ nodes: [TOMLNode], of key: SettingKey) -> [Settings.Radio.Preset] {
    if nodes.count > Radio.channelsMax {
      problem(
        nodes[Radio.channelsMax].position, key.path,
        "there are \(nodes.count) of them; allowed are \(Radio.channelsMax)")
    }
    return nodes.prefix(Radio.channelsMax).compactMap { node in
      guard case .table(let entries) = node.value else {
        problem(
          node.position, key.path,
          "is \(node.value.kindName); write a section [[\(key.path)]] for each station")
        return nil
      }
      return preset(entries, at: node.position, path: key.path)
    }
  }

  private mutating func preset(
    _ entries: [TOMLEntry], at position: TextPosition, path: String
  ) -> Settings.Radio.Preset {
    var preset = Settings.Radio.Preset()
    for entry in entries {
      let names = PresetKey.all.map(\.name)
      guard let key = PresetKey.named(entry.key) else {
        problem(
          entry.position, "\(path).\(entry.key)",
          "no such key; [[\(path)]] has \(names.joined(separator: ", "))"
            + didYouMean(Suggestion.nearest(to: entry.key, among: names)))
        continue
      }
      guard case .string(let text) = entry.node.value else {
        problem(
          entry.node.position, "\(path).\(entry.key)", "is \(entry.node.value.kindName); allowed is a text")
        continue
      }
      if let wrong = key.check(text) { problem(entry.node.position, "\(path).\(entry.key)", wrong) }
      preset[keyPath: key.field] = text
    }
    for key in PresetKey.all where key.isRequired && !entries.contains(where: { $0.key == key.name }) {
      problem(position, path, "has no \(key.name); each station needs one")
    }
    return preset
  }
}
