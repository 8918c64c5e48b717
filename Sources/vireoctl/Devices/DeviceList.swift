import Renderers

/// How devices are shown.
enum DeviceList {
  struct Entry: Sendable, Hashable {
    var device: DeviceFacts
    /// Since it was last heard of.
    var secondsAgo: Int

    init(_ device: DeviceFacts, secondsAgo: Int) {
      self.device = device
      self.secondsAgo = secondsAgo
    }

    var kind: String { device.isOpenHome ? "\(device.kind.rawValue) (OpenHome)" : device.kind.rawValue }

    fileprivate func json(event: String? = nil) -> JSON {
      .members([
        "event": .string(event), "name": .string(device.name), "kind": .string(device.kind.rawValue),
        "openHome": .bool(device.isOpenHome), "model": .string(device.model),
        "address": .string("\(device.address)"),
        "port": .number(device.port), "udn": .string(device.udn), "url": .string(device.url),
        "lastSeen": .number(secondsAgo), "page": .string(device.page),
      ])
    }
  }

  static func report(_ entries: [Entry]) -> Report {
    let entries = entries.sorted {
      ($0.device.name.lowercased(), $0.device.udn) < ($1.device.name.lowercased(), $1.device.udn)
    }
    return Report(
      json: .array(entries.map { $0.json() }), body: .table(table(entries, hasPages: true)),
      whenEmpty: "no device answered; \"vireoctl doctor\" looks for the reason")
  }

  private static func table(_ entries: [Entry], hasPages: Bool) -> Table {
    var table = Table(["NAME", "KIND", "MODEL", "ADDRESS", "LAST SEEN", "UDN"] + (hasPages ? ["PAGE"] : []))
    table.fixedWidths = [24, 19, 20, 15, 9, 36]
    for entry in entries {
      let (device, seen) = (entry.device, ago(entry.secondsAgo))
      table.add(
        [device.name, entry.kind, device.model, "\(device.address)", seen, device.udn]
          + (hasPages ? [device.page] : []))
    }
    return table
  }

  /// Some lines of the list, in columns that are the same for all of them.
  static func lines(_ entries: [Entry], _ style: OutputStyle, hasHeadings: Bool) -> [String] {
    guard case .terminal(let width, let isStyled) = style else {
      return table(entries, hasPages: true).plain
    }
    let rows = table(entries, hasPages: false).lines(width: width, isStyled: isStyled)
    // On a line of its own, so that it isn't cut.
    let pages = entries.map { entry in
      entry.device.kind == .renderer ? entry.device.page.map { ["  " + TerminalText.shown($0)] } ?? [] : []
    }
    return Array(rows.prefix(hasHeadings ? 1 : 0)) + zip(rows.dropFirst(), pages).flatMap { [$0] + $1 }
  }

  static func change(_ entry: Entry, _ word: String) -> Report {
    var table = Table([])
    table.add([word, entry.device.name, entry.kind, "\(entry.device.address)", entry.device.udn])
    let line = "\(word): \(entry.device.name), \(entry.kind), \(entry.device.address), \(entry.device.udn)"
    return Report(json: entry.json(event: word), body: .lines([line], plain: table.plain.map { $0 }))
  }

  static func ago(_ seconds: Int) -> String {
    switch seconds {
    case ..<1: "now"
    case ..<120: "\(seconds) s ago"
    default: "\(seconds / 60) min ago"
    }
  }
}
