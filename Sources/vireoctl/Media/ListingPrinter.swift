import ControlPoint
import Renderers

/// Shows what a server lists, page by page, as one list: a long one is never held in memory.
struct ListingPrinter: Sendable {
  private let style: OutputStyle
  /// True if the objects are several servers', so that each line needs the name of its.
  private let namesServers: Bool
  private(set) var count = 0
  private(set) var last = LastListing()
  /// The widths of the columns, which the first page decides.
  private var widths: [Int] = []
  /// Their least widths, since later pages may have more in them: number, title, artist, album, time, server.
  private static let leastWidths = [5, 24, 14, 14, 7, 10]

  init(_ style: OutputStyle, namesServers: Bool) {
    self.style = style
    self.namesServers = namesServers
  }

  /// What to print for further objects.
  mutating func text(_ objects: [MediaObject], of server: DeviceFacts) -> String {
    var text = ""
    var table = Table(
      ["#", "TITLE", "ARTIST", "ALBUM", "TIME"] + (namesServers ? ["SERVER"] : []), rightAligned: [0, 4])
    for object in objects {
      count += 1
      last.add(object, on: server.udn)
      if style == .json {
        text += (count == 1 ? "[" : ",\n ") + Self.json(object, number: count, server).text
        continue
      }
      let seconds = object.mainResource?.duration.map { Int($0.components.seconds) }
      table.add(
        ["\(count)", object.title + (object.isContainer ? "/" : ""), object.artist, object.album]
          + [seconds.map { PlayTime.text($0) }] + (namesServers ? [server.name] : []))
    }
    switch style {
    case .json: return text
    case .plain: return table.plain.map { $0 + "\n" }.joined()
    case .terminal(let width, let isStyled):
      if widths.isEmpty, !objects.isEmpty { widths = zip(table.widths, Self.leastWidths).map { max($0, $1) } }
      table.fixedWidths = widths
      let lines = table.lines(width: width, isStyled: isStyled)
      return lines.dropFirst(count > objects.count ? 1 : 0).map { $0 + "\n" }.joined()
    }
  }

  /// Prints all pages, as they come.
  ///
  /// - Returns: how the listing ended.
  /// - Throws: ``Failure`` if a page can't be had; then the document is ended, so that it stays one. What `write` throws.
  mutating func print(
    _ pages: ListingPages, of server: DeviceFacts, _ write: (String) throws -> Void
  ) async throws -> ListingEnd? {
    var iterator = pages.makeAsyncIterator()
    while true {
      let page: [MediaObject]?
      do throws(ActionFailure) {
        page = try await iterator.next()
      } catch {
        if count > 0 { try write(end) }
        throw Failure(error, from: server.name)
      }
      guard let page else { break }
      try write(text(page, of: server))
    }
    try write(end)
    if case .end(let end) = iterator.listing.next { return end }
    return nil
  }

  /// What to print at the end.
  var end: String { style == .json ? (count == 0 ? "[]\n" : "]\n") : "" }

  static func json(_ object: MediaObject, number: Int, _ server: DeviceFacts) -> JSON {
    let resource = object.mainResource
    return .members([
      "number": .number(number), "server": .string(server.name), "serverUdn": .string(server.udn),
      "id": .string(object.id), "title": .string(object.title), "container": .bool(object.isContainer),
      "class": .string(object.mediaClass.text), "artist": .string(object.artist),
      "album": .string(object.album),
      "track": .number(object.trackNumber), "date": .string(object.date),
      "duration": .number(resource?.duration.map { Int($0.components.seconds) }),
      "uri": .string(resource?.address),
      "type": .string(resource?.type?.name), "art": .string(object.art.first?.address),
      "children": .number(object.childCount),
    ])
  }
}
