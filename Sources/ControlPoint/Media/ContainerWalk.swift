/// The limits of all that is below a container.
public struct WalkLimits: Sendable, Hashable {
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

/// Collects the tracks below a container: depth first, albums in their order, no container twice, within limits.
///
/// A pure value: ``next`` says what to ask for, and ``answered(_:)`` or ``failed(_:)`` what came of it.
public struct ContainerWalk: Sendable {
  public enum Next: Sendable, Hashable {
    case browse(container: String, Listing.Request)
    case end(WalkEnd)
    case failed(ActionFailure)
  }

  public private(set) var next: Next
  public private(set) var tracks: [MediaObject] = []
  /// Containers that the server refused to list.
  public private(set) var refused = 0

  private let limits: WalkLimits
  private let albumSort: String
  /// What is still to be visited, the next one last.
  private var pending: [(object: MediaObject, depth: Int)] = []
  private var visited: Set<String>
  /// The tracks taken, by what is the same for them in several places, where servers list albums.
  private var taken: Set<String> = []
  private var current: (container: MediaObject, depth: Int, listing: Listing, found: [MediaObject])
  private var requests = 0
  private var hasLeftOut = false

  /// - Parameter capabilities: what the server can sort by.
  public init(
    _ container: MediaObject, capabilities: ContentCapabilities = ContentCapabilities(search: "", sort: ""),
    limits: WalkLimits = WalkLimits()
  ) {
    self.limits = limits
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
    current.found += current.listing.answered(page)
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
    while tracks.count < limits.tracks, let (object, depth) = pending.popLast() {
      guard object.isContainer else {
        take([object])
        continue
      }
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
    // Folders among tracks need room too.
    listed.objects = max(1, limits.tracks - tracks.count) + limits.containers
    let sort = container.mediaClass.kind == .album ? albumSort : ""
    current = (container, depth, Listing(sort: sort, limits: listed), [])
    if case .ask(let request) = current.listing.next { next = .browse(container: container.id, request) }
  }

  /// Takes tracks of one container; the same track may be in it twice, as in a playlist, but not in two containers.
  private mutating func take(_ objects: [MediaObject]) {
    let playable = objects.filter(\.isPlayable)
    let new = playable.filter { taken.isDisjoint(with: $0.originals) }
    let room = limits.tracks - tracks.count
    if new.count > room { hasLeftOut = true }
    tracks += new.prefix(room)
    for object in new.prefix(room) { taken.formUnion(object.originals) }
  }
}

extension MediaObject {
  /// What is the same for the same track in several containers: the object that it stands for, the address or, at servers
  /// that tell neither, the file's size with all that names the track.
  fileprivate var originals: [String] {
    var originals = [refID ?? identity]
    guard let first = resources.first else { return originals }
    originals.append(first.address)
    if let size = first.size {
      let names = [title, artist ?? "", album ?? "", "\(trackNumber ?? 0)", "\(size)"]
      originals.append(names.joined(separator: "\u{0}"))
    }
    return originals
  }
}
