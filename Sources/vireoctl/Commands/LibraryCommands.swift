import ArgumentParser
import ControlPoint
import Renderers

struct ServersCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "servers", abstract: "Lists the media servers.")
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    try await DeviceFinder(session).list(DeviceFinder.servers)
  }
}

struct BrowseCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "browse", abstract: "Lists what a media server has.",
    discussion: """
      browse NAS, browse NAS/Music/Album, browse NAS:64$1. Folders end in a slash. The numbers are what play takes next. \
      A title with a slash in it goes into an argument of its own: browse NAS/Artists AC/DC.
      """)
  @Argument(help: "The server: name, UDN, address or URL; with /PATH or :ID.") var server: String
  @Argument(help: "Further titles on the path.") var titles: [String] = []
  @Option(help: "List so many at most.") var limit = 20_000
  @OptionGroup var options: GlobalOptions

  func validate() throws {
    guard (1...1_000_000).contains(limit) else { throw ValidationError("--limit must be 1 to 1000000") }
  }

  func perform(_ session: Session) async throws -> Report? {
    var (server, place) = try await DeviceFinder(session).place(server)
    if case .path(let path) = place { place = .path(path + titles) }
    let object = try await server.object(at: place)
    var printer = ListingPrinter(session.output.style, namesServers: false)
    let facts = DeviceFacts(server.device)
    guard object.isContainer else {
      try session.output.write(printer.text([object], of: facts) + printer.end)
      printer.last.write()
      return nil
    }
    var limits = ListingLimits()
    limits.objects = limit
    let pages = server.library.pages(of: object.id, limits: limits)
    // Also after a failure, the numbers on the screen are valid.
    defer { if printer.count > 0 { printer.last.write() } }
    let end = try await printer.print(pages, of: facts) { try session.output.write($0) }
    if printer.count == 0 {
      printer.last.write()
      session.output.note("\"\(object.title)\" is empty")
    }
    if let end, end != .complete { session.output.note("the list isn't complete: \(end.words)") }
    return nil
  }
}

extension ListingEnd {
  /// In words.
  var words: String {
    switch self {
    case .complete: "that is all"
    case .short: "the server said that there are more, and doesn't send them"
    case .repeated: "the server sends the same again and again"
    case .limit: "the limit is reached"
    }
  }
}

struct SearchCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Searches media servers for tracks, albums and artists.",
    discussion: """
      All servers are asked at the same time, for a minute at most, or the one that --server names. What a server can't search for is looked for \
      in all its folders, for half a minute at most; it is said then. The numbers are what play takes next.
      """)

  enum Kind: String, EnumerableFlag {
    case track, album, artist

    var searched: SearchedKind {
      switch self {
      case .track: .track
      case .album: .album
      case .artist: .artist
      }
    }
  }

  /// How many servers are asked at once.
  private static let atOnce = 8
  /// For all servers together.
  private static let time = Duration.seconds(60)

  @Argument(help: "Words that all have to be in the name.") var words: [String]
  @Option(name: .shortAndLong, help: "The server: name, UDN, address or URL.") var server: String?
  @Flag(help: "What to search for; everything if none is given.") var kinds: [Kind] = []
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let (servers, words) = try await servers(session)
    guard !servers.isEmpty else {
      throw Failure(
        .noDevice, "no media server answered", hints: ["\"vireoctl doctor\" looks for the reason"])
    }
    var printer = ListingPrinter(session.output.style, namesServers: servers.count > 1)
    var failures: [Failure] = []
    // Also when it is interrupted: what was printed is valid.
    defer { if printer.count > 0 || !Task.isCancelled { printer.last.write() } }
    let kinds = kinds.map(\.searched)
    try await InParallel.each(servers, atOnce: Self.atOnce, within: Self.time) { server in
      try await ServerSearch(server).result(words, kinds)
    } take: { server, result in
      switch try result.get() ?? .failure(Failure(.timeout, from: server.name)) {
      case .success(let found):
        try session.output.write(printer.text(found.objects, of: DeviceFacts(server.device)))
        for note in found.notes { session.output.note("\(server.name) \(note)") }
      case .failure(let failure):
        failures.append(failure)
        session.output.note(failure.message)
      }
    }
    try session.output.write(printer.end)
    guard printer.count == 0 else { return nil }
    if failures.count == servers.count, let failure = failures.first { throw failure }
    throw Failure(.noInput, "nothing found")
  }

  /// The servers to ask, and the words: the first word may be a server.
  private func servers(_ session: Session) async throws -> ([MediaServer], String) {
    let finder = DeviceFinder(session)
    if let server {
      let device = try await finder.device(server, of: DeviceFinder.servers, noun: "media server")
      return ([try MediaServer(device, session)], words.joined(separator: " "))
    }
    let devices = try await finder.all(DeviceFinder.servers).sorted { $0.friendlyName < $1.friendlyName }
    let query = DeviceQuery(words[0])
    let named = devices.filter { query.fit(DeviceFacts($0)).map { $0 <= .name } ?? false }
    if words.count > 1, named.count == 1 {
      return ([try MediaServer(named[0], session)], words.dropFirst().joined(separator: " "))
    }
    return (devices.compactMap { try? MediaServer($0, session) }, words.joined(separator: " "))
  }
}
