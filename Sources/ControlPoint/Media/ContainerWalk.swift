/// The limits of all that is below a container.
public struct WalkLimits: Sendable, Hashable {
  /// Tracks that are taken, or whatever else is looked for.
  public var tracks = 1000
  public var depth = 16
  public var containers = 1000
  public var requests = 2000
  public var time = Duration.seconds(120)
  /// Objects asked for at once.
  public var page = 200

  public init() {}
}

/// Why a walk ended.
public enum WalkEnd: Sendable, Hashable {
  case complete
  /// A limit is reached; more is below.
  case limit
}

/// Collects the tracks below a container, or whatever is looked for: depth first, albums in their order, no container twice,
/// within limits.
///
/// A pure value: ``next`` says what to ask for, and ``answered(_:)`` or ``failed(_:)`` what came of it.
public struct ContainerWalk: Sendable {
  public enum Next: Sendable, Hashable {
    case browse(container: String, Listing.Request)
    case end(WalkEnd)
    case failed(ActionFailure)
  }

  public private(set) var next: Next
  public private(set) var taken: [MediaObject] = []
  /// Containers that the server refused to list.
  public private(set) var refused = 0

  /// Why it ended, once it has.
  public var end: WalkEnd { next == .end(.complete) ? .complete : .limit }
  /// How many containers were asked for.
  public var containers: Int { visited.count }

  private let limits: WalkLimits
  private let isWanted: @Sendable (MediaObject) -> Bool
  private let albumSort: String
  /// What is still to be visited, the next one last.
  private var pending: [(object: MediaObject, depth: Int)] = []
  private var visited: Set<String>
  /// What was taken, by what is the same for it in several places, where servers list albums.
  private var originals: Set<String> = []
  private var current: (container: MediaObject, depth: Int, listing: Listing, found: [MediaObject])
  private var requests = 0
  private var hasLeftOut = false

  /// - Parameters:
  ///   - capabilities: what the server can sort by.
  ///   - isWanted: what to take; containers among it are looked into as well.
  public init(
    _ container: MediaObject, capabilities: ContentCapabilities = ContentCapabilities(search: "", sort: ""),
    limits: WalkLimits = WalkLimits(),
    taking isWanted: @escaping @Sendable (MediaObject) -> Bool = { $0.isPlayable }
  ) {
    self.limits = limits
    self.isWanted = isWanted
    albumSort = capabilities.sorting(by: [.discNumber, .trackNumber, .title])
    visited = [container.id]
    current = (container, 0, Listing(), [])
    next = .end(.complete)
    list(container, depth: 0)
  }

  /// Takes a page of what was asked for.
  public mutating func answered(_ page: BrowsePage) {
    guard case .browse = next else { return }
    requests += 1
    // What nobody wants isn't kept.
    current.found += current.listing.answered(page).filter { $0.isContainer || isWanted($0) }
    // Folders among tracks need room too.
    let room = max(1, limits.tracks - taken.count) + limits.containers
    if current.found.count >= room { current.listing.stop() }
    goOn()
  }

  public mutating func failed(_ failure: ActionFailure) {
    guard case .browse = next else { return }
    requests += 1
    current.listing.failed(failure)
    goOn()
  }

  /// Ends the walk because its time is over.
  public mutating func stop() {
    guard case .browse = next else { return }
    take(current.found.filter { !$0.isContainer })
    next = .end(.limit)
  }

  private mutating func goOn() {
    switch current.listing.next {
    case .ask(let request):
      guard requests < limits.requests else { return stop() }
      next = .browse(container: current.container.id, request)
      return
    case .end(let end):
      if end == .limit { hasLeftOut = true }
    case .failed(let failure):
      guard current.depth > 0, failure.isAnswer else {
        next = .failed(failure)
        return
      }
      refused += 1
    }
    let objects = AlbumOrder.sorted(current.found, in: current.container)
    // Tracks in front of the first container needn't wait.
    let first = objects.prefix { !$0.isContainer }
    take(Array(first))
    pending += objects[first.endIndex...].reversed().map { ($0, current.depth + 1) }
    visit()
  }

  /// Visits what is pending, up to the next container.
  private mutating func visit() {
    while taken.count < limits.tracks, let (object, depth) = pending.popLast() {
      take([object])
      guard object.isContainer else { continue }
      guard !object.id.isEmpty, !visited.contains(object.id) else { continue }
      guard depth <= limits.depth, visited.count < limits.containers, requests < limits.requests else {
        hasLeftOut = true
        continue
      }
      visited.insert(object.id)
      return list(object, depth: depth)
    }
    next = .end(hasLeftOut || !pending.isEmpty ? .limit : .complete)
  }

  private mutating func list(_ container: MediaObject, depth: Int) {
    var listed = ListingLimits()
    listed.page = limits.page
    let sort = container.mediaClass.kind == .album ? albumSort : ""
    current = (container, depth, Listing(sort: sort, limits: listed), [])
    if case .ask(let request) = current.listing.next { next = .browse(container: container.id, request) }
  }

  /// Takes objects of one container; the same track may be in it twice, as in a playlist, but not in two containers.
  private mutating func take(_ objects: [MediaObject]) {
    let new = objects.filter { isWanted($0) && originals.isDisjoint(with: $0.originals) }
    let room = limits.tracks - taken.count
    if new.count > room { hasLeftOut = true }
    taken += new.prefix(room)
    for object in new.prefix(room) { originals.formUnion(object.originals) }
  }
}

extension MediaObject {
  /// What is the same for the same object in several containers: the object that it stands for, the address or, at servers
  /// that tell neither, the file's size with all that names the track; of an album, its name and its artist's.
  fileprivate var originals: [String] {
    var originals = [refID ?? identity]
    if isContainer {
      if let artist { originals.append([title, artist, mediaClass.text].joined(separator: "\u{0}")) }
      return originals
    }
    guard let main = mainResource else { return originals }
    originals.append(main.address)
    if let size = main.size {
      let names = [title, artist ?? "", album ?? "", "\(trackNumber ?? 0)", "\(size)"]
      originals.append(names.joined(separator: "\u{0}"))
    }
    return originals
  }
}
