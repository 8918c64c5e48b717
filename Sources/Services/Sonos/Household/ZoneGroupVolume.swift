/// The volume of a group: the average of its zones' volumes. Values all of it.
struct ZoneGroupVolume: Sendable, Hashable {
  /// Volumes by the UIDs of the zones, 0...100.
  typealias Levels = [String: Int]

  /// What the ratios were when somebody began to move the group's volume.
  private var base: Levels = [:]
  /// What was set by it.
  private var last: Levels = [:]

  static func level(of levels: some Collection<Int>) -> Int {
    levels.isEmpty ? 0 : (levels.reduce(0, +) * 2 + levels.count) / (levels.count * 2)
  }

  /// The ratios are now these.
  mutating func snapshot(_ levels: Levels) { (base, last) = (levels, levels) }

  /// What the volumes become so that their average is `target`: in the ratios of the last snapshot, as long as nobody has
  /// changed one of them by itself since.
  mutating func move(_ levels: Levels, to target: Int) -> Levels {
    if levels != last { snapshot(levels) }
    last = Self.scaled(base, to: target)
    return last
  }

  /// Keeps the ratios as far as none goes above 100.
  static func scaled(_ base: Levels, to target: Int) -> Levels {
    let zones = base.sorted { $0.key < $1.key }
    var exact = [Double](repeating: 0, count: zones.count)
    var free = Array(zones.indices)
    var left = Double(min(max(target, 0), 100) * zones.count)
    while !free.isEmpty {
      let sum = free.reduce(0) { $0 + zones[$1].value }
      for index in free {
        exact[index] = sum > 0 ? Double(zones[index].value) * left / Double(sum) : left / Double(free.count)
      }
      let full = free.filter { exact[$0] > 100 }
      guard !full.isEmpty else { break }
      for index in full { exact[index] = 100 }
      left -= Double(100 * full.count)
      free.removeAll(where: full.contains)
    }
    // Rounded so that the sum is right: a number that is set is read back.
    var (levels, sum, rounded): (Levels, Double, Int) = ([:], 0, 0)
    for (zone, value) in zip(zones, exact) {
      sum += value
      let level = min(max(Int(sum.rounded()) - rounded, 0), 100)
      rounded += level
      levels[zone.key] = level
    }
    return levels
  }
}
