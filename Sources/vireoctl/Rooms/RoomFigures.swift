import Renderers

/// What is known of how well a room keeps time with the one that plays.
struct RoomFigures: Sendable, Hashable {
  /// Whom it listens to.
  var host: String
  var name: String
  /// Nil for a listener that is none of the rooms.
  var udn: String?
  /// Nil if nobody knows: neither it nor the host is a Vireo.
  var figures: RoomReports.Figures?

  /// The members of a group. What the host knows comes first, then what a room says of itself.
  ///
  /// - Parameter reports: what those say that are Vireos, by their UDNs.
  static func of(_ group: RoomGroup, _ rooms: [Room], reports: [String: RoomReports]) -> [RoomFigures] {
    let host = RoomList.name(of: group, rooms)
    let members = group.members.compactMap { udn in rooms.first { $0.udn == udn } }
    var listeners = group.hostRoom.flatMap { reports[$0] }?.listeners ?? []
    let known = members.map { room -> RoomFigures in
      var figures = reports[room.udn]?.listening
      let here = listeners.filter { $0.address?.unmapped == room.address.unmapped }
      // Two rooms at one address aren't told apart by it.
      if here.count == 1, members.filter({ $0.address == room.address }).count == 1 {
        figures = here[0]
        listeners.removeAll { $0 == here[0] }
      } else if figures != nil {
        listeners.removeAll { $0.address?.unmapped == room.address.unmapped }
      }
      return RoomFigures(host: host, name: room.name, udn: room.udn, figures: figures)
    }
    return known
      + listeners.map {
        RoomFigures(host: host, name: $0.address?.description ?? "?", udn: nil, figures: $0)
      }
  }

  /// A sentence for people; for programs, cells with tabs between them.
  func report(_ style: OutputStyle) -> Report {
    guard style == .plain else { return .lines(["\(name): \(words)"], json: json) }
    var table = Table([])
    let values = [
      figures?.offset, figures?.p95, figures?.loss, figures?.buffer, figures?.lost, figures?.repaired,
    ]
    table.add([host, name, figures?.state?.rawValue] + values.map { $0.map(String.init) })
    return Report(json: json, body: .table(table))
  }

  /// In plain words: `0.04 ms early, 95 % within 0.12 ms, nothing lost, 280 ms in store`
  var words: String {
    guard let figures else { return "doesn't say how well it keeps time" }
    switch figures.state {
    case .joining: return "joining"
    case .ready: return "ready to start"
    case .silent: return "hears nothing"
    case .playing, nil: break
    }
    var parts: [String] = []
    if let offset = figures.offset {
      let size = Self.milliseconds(offset.magnitude)
      parts.append(offset == 0 ? "in step" : "\(size) ms \(offset > 0 ? "early" : "late")")
    }
    if let p95 = figures.p95 { parts.append("95 % within \(Self.milliseconds(p95.magnitude)) ms") }
    if let loss = figures.loss {
      parts.append(loss == 0 ? "nothing lost" : "\(Self.tenths(loss)) % lost on the way")
    }
    if let buffer = figures.buffer { parts.append("\(max(0, buffer) / 1000) ms in store") }
    if let lost = figures.lost, lost > 0 { parts.append("\(lost) packets never heard") }
    return parts.isEmpty ? "playing" : parts.joined(separator: ", ")
  }

  /// Microseconds as milliseconds, with two digits that count.
  private static func milliseconds(_ microseconds: UInt) -> String {
    guard microseconds < 10_000 else { return "\((microseconds + 500) / 1000)" }
    let hundredths = (microseconds + 5) / 10
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }

  private static func tenths(_ thousandths: Int) -> String {
    let value = max(0, thousandths)
    return value % 10 == 0 ? "\(value / 10)" : "\(value / 10).\(value % 10)"
  }

  private var json: JSON {
    .members([
      "host": .string(host), "room": .string(name), "udn": .string(udn),
      "address": .string(figures?.address.map { "\($0)" }), "state": .string(figures?.state?.rawValue),
      "offset": .number(figures?.offset), "p95": .number(figures?.p95), "rate": .number(figures?.rate),
      "loss": .number(figures?.loss), "buffer": .number(figures?.buffer), "lost": .number(figures?.lost),
      "repaired": .number(figures?.repaired), "seen": figures?.seen.map { .decimal($0) },
    ])
  }
}
