import ControlPoint
import Pins
import Proxies
import Renderers

/// The pins of a renderer, by slot.
struct PinSlots: Sendable, Hashable {
  /// Slots that are looked at.
  static let most = 64

  var items: [PinList.Item]

  static func read(_ renderer: Renderer) async throws -> PinSlots {
    let pins: Pins1.Proxy = try renderer.proxy(.pins)
    let text = try await renderer.attempt { () async throws(ActionFailure) in try await pins.getIdArray() }
    guard let ids = PinList.ids(in: text) else { throw Failure(.malformed, from: renderer.name) }
    // Others answer nothing for empty slots.
    let taken = ids.prefix(most).filter { $0 != 0 }
    guard !taken.isEmpty else { return PinSlots(ids: ids, []) }
    let list = try await renderer.attempt { () async throws(ActionFailure) in
      try await pins.readList(ids: PinList.text(ids: Array(taken)))
    }
    guard let items = PinList.items(in: list) else { throw Failure(.malformed, from: renderer.name) }
    return PinSlots(ids: ids, items)
  }

  init(ids: [UInt32], _ found: [PinList.Item]) {
    let byID = Dictionary(found.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    items = ids.map { byID[$0] ?? PinList.Item(id: 0) }
  }

  /// How a user says which pin is meant.
  enum Name: Sendable, Hashable {
    /// The number of its slot from 1, or its title, or the beginning of it if that is unique.
    case text(String)
    /// The same, but a title has to be whole: for what deletes.
    case wholeText(String)
    case id(UInt32)
  }

  /// The pin that a user names.
  ///
  /// - Throws: ``Failure`` if there is none, or if several may be meant.
  func pin(_ name: Name, of renderer: String) throws -> (number: Int, item: PinList.Item) {
    let taken = items.enumerated().filter { $0.element.id != 0 }.map { (number: $0 + 1, object: $1) }
    let line: NumberedLines<PinList.Item>.Line
    switch name {
    case .text(let text): line = try Self.line(text, isWhole: false, among: taken, of: renderer)
    case .wholeText(let text): line = try Self.line(text, isWhole: true, among: taken, of: renderer)
    case .id(let id):
      guard let found = taken.first(where: { $0.object.id == id }) else {
        throw Failure(.noInput, "\(renderer) has no pin with the id \(id)")
      }
      line = found
    }
    return (line.number, line.object)
  }

  private static func line(
    _ text: String, isWhole: Bool, among lines: [NumberedLines<PinList.Item>.Line], of renderer: String
  ) throws -> NumberedLines<PinList.Item>.Line {
    try NumberedLines(lines: lines, title: \.title)
      .line(text, isWhole: isWhole, orElse: "\(renderer) has no pin \"\(text)\"")
  }

  /// The index of the slot with this number.
  func index(_ number: Int) throws -> UInt32 {
    guard items[number: number] != nil else {
      throw Failure(.noInput, "there are slots 1 to \(items.count)")
    }
    return UInt32(number - 1)
  }

  var report: Report {
    var table = Table(["#", "TITLE", "KIND", "WHAT"], rightAligned: [0])
    var json: [JSON] = []
    for (index, item) in items.enumerated() where item.id != 0 {
      table.add(["\(index + 1)", item.title, item.mode, item.address])
      json.append(
        .members([
          "number": .number(index + 1), "id": .number(Int(item.id)), "title": .string(item.title),
          "mode": .string(item.mode), "type": .string(item.type), "uri": .string(item.uri),
          "description": .string(item.detail), "art": .string(item.picture),
          "shuffle": .bool(item.isShuffled),
        ]))
    }
    return Report(json: .array(json), body: .table(table), whenEmpty: "it has no pins")
  }
}

extension PinList.Item {
  /// The address in it, where it is one that people know.
  fileprivate var address: String {
    if case .stream(let address) = try? PinURI(uri, mode: mode) { address } else { uri }
  }
}
