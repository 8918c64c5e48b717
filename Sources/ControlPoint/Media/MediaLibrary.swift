import UPnP

/// What a media server has: lists, searches, and collects what is below a container.
public struct MediaLibrary: Sendable {
  public static let root = "0"

  public let source: any ContentSource
  /// What relative addresses are relative to: the URLBase or the location of the server's description.
  public let base: String?

  public init(_ source: any ContentSource, base: String? = nil) {
    self.source = source
    self.base = base
  }

  private var clock: ListingPages.Clock {
    let source = source
    return ListingPages.Clock(wait: { await source.wait($0) })
  }

  /// A whole listing.
  public struct Listed: Sendable, Hashable {
    public var objects: [MediaObject]
    public var end: ListingEnd
    /// False if the server refused to sort.
    public var isSorted: Bool
    /// True if the server's content changed meanwhile.
    public var hasChanged: Bool
  }

  /// The tracks below a container.
  public struct Collected: Sendable, Hashable {
    public var tracks: [MediaObject]
    public var end: WalkEnd
    /// Containers that the server refused to list.
    public var refused: Int
  }

  /// What was found by looking through containers.
  public struct Found: Sendable, Hashable {
    public var objects: [MediaObject]
    public var end: WalkEnd
    /// How many containers were looked through.
    public var containers: Int
  }

  /// The children of `container`, page by page.
  ///
  /// - Parameter first: the place of the first one to list.
  public func pages(
    of container: String, sort: String = "", from first: Int = 0, limits: ListingLimits = ListingLimits()
  ) -> ListingPages {
    let source = source
    return ListingPages(
      listing: Listing(sort: sort, from: first, limits: limits), base: base, time: limits.time
    ) {
      request throws(ActionFailure) in
      try await source.browse(children: container, request)
    }
  }

  /// What matches `criteria` below `container`, page by page.
  public func pages(
    _ criteria: SearchCriteria, in container: String = root, sort: String = "",
    limits: ListingLimits = ListingLimits()
  ) -> ListingPages {
    let source = source
    return ListingPages(
      listing: Listing(sort: sort, limits: limits), base: base, time: limits.time,
      clock: clock
    ) {
      request throws(ActionFailure) in
      try await source.search(container, criteria, request)
    }
  }

  /// All children of `container`.
  public func children(
    of container: String, sort: String = "", limits: ListingLimits = ListingLimits()
  ) async throws(ActionFailure) -> Listed {
    try await Self.whole(pages(of: container, sort: sort, limits: limits))
  }

  /// The object called `id`. Some servers refuse to tell of one alone: a container is known by its children then, and has no
  /// other name than its id.
  ///
  /// - Returns: nil if the server answers with another object, as Gerbera does for what it doesn't know.
  public func object(_ id: String) async throws(ActionFailure) -> MediaObject? {
    do throws(ActionFailure) {
      return try await single(id)
    } catch {
      guard error.isAnswer, error.code != 701, error.code != 710 else { throw error }
      let first = Listing.Request(start: 0, count: 1, filter: "*", sort: "")
      guard let children = try? await source.browse(children: id, first),
        !BrowsePage(children, base: base).objects.isEmpty
      else { throw error }
      return MediaObject(id: id, isContainer: true, title: id, mediaClass: MediaClass("object.container"))
    }
  }

  /// The object called `id`, which was listed in `parent`: on a server that refuses to tell of one alone, as the parent lists it.
  ///
  /// - Returns: nil if it isn't there any more.
  /// - Throws: what the server said of the object, if the parent can't be listed either.
  public func object(
    _ id: String, in parent: String, limits: ListingLimits = ListingLimits()
  ) async throws(ActionFailure) -> MediaObject? {
    var refusal: ActionFailure?
    do throws(ActionFailure) {
      if let object = try await single(id) { return object }
    } catch {
      guard error.isAnswer, error.code != 701 else { throw error }
      refusal = error
    }
    do throws(ActionFailure) {
      for try await page in pages(of: parent, limits: limits) {
        if let object = page.first(where: { $0.id == id }) { return object }
      }
    } catch {
      throw error.isAnswer ? refusal ?? error : error
    }
    return nil
  }

  private func single(_ id: String) async throws(ActionFailure) -> MediaObject? {
    let page = BrowsePage(try await source.browse(metadata: id), base: base)
    return page.objects.first { $0.id == id }
  }

  /// What the server can search for and sort by; a server that refuses to say can do neither.
  public func capabilities() async throws(ActionFailure) -> ContentCapabilities {
    let search = try await Self.orEmpty { () throws(ActionFailure) in try await source.searchCapabilities() }
    let sort = try await Self.orEmpty { () throws(ActionFailure) in try await source.sortCapabilities() }
    return ContentCapabilities(search: search, sort: sort)
  }

  /// The objects of that kind that have all of `words` in their names.
  ///
  /// - Returns: nil if the server can't search for that, or has found nothing after it refused the criteria that are right;
  ///   then what is listed can be filtered (``MediaObject/matches(_:)``).
  public func search(
    _ words: String, for kind: SearchedKind, _ capabilities: ContentCapabilities,
    in container: String = root, limits: ListingLimits = ListingLimits()
  ) async throws(ActionFailure) -> Listed? {
    var isRefused = false
    for criteria in kind.criteria(words, capabilities) {
      do throws(ActionFailure) {
        var listed = try await Self.whole(pages(criteria, in: container, limits: limits))
        listed.objects.removeAll { !kind.contains($0) }
        if !listed.objects.isEmpty { return listed }
        if !isRefused { return try await canFindAny(kind, capabilities, in: container) ? listed : nil }
      } catch {
        guard error.isAnswer else { throw error }
        isRefused = true
      }
    }
    return nil
  }

  /// False for a server that finds nothing of that kind, whatever it is called: Rygel finds no albums, although it says that it
  /// could, and refuses only some of the criteria; BubbleUPnP finds nothing at all for some.
  private func canFindAny(
    _ kind: SearchedKind, _ capabilities: ContentCapabilities, in container: String
  ) async throws(ActionFailure) -> Bool {
    guard capabilities.canSearch(.mediaClass) else { return true }
    var limits = ListingLimits()
    limits.page = 10
    var pages = pages(kind.every, in: container, limits: limits).makeAsyncIterator()
    return try await pages.next()?.contains(where: kind.contains) ?? false
  }

  /// The tracks of all that is below `container`, in the order of albums.
  ///
  /// - Throws: only for a container that can't be listed itself, and when the server isn't reached.
  public func tracks(
    below container: MediaObject,
    _ capabilities: ContentCapabilities = ContentCapabilities(search: "", sort: ""),
    limits: WalkLimits = WalkLimits()
  ) async throws(ActionFailure) -> Collected {
    let walk = try await follow(
      ContainerWalk(container, capabilities: capabilities, limits: limits), for: limits.time)
    return Collected(tracks: walk.taken, end: walk.end, refused: walk.refused)
  }

  /// The objects of those kinds that have all of `words` in their names: looks through all containers below one, for a server
  /// that can't search. They come by kind.
  ///
  /// - Throws: only for a container that can't be listed itself, and when the server isn't reached.
  public func find(
    _ words: String, of kinds: [SearchedKind], below container: String = root,
    limits: WalkLimits = WalkLimits()
  ) async throws(ActionFailure) -> Found {
    let top = MediaObject(
      id: container, isContainer: true, title: "", mediaClass: MediaClass("object.container"))
    let walk = try await follow(
      ContainerWalk(top, limits: limits) { object in kinds.contains { $0.finds(words, in: object) } },
      for: limits.time)
    let objects = kinds.flatMap { kind in walk.taken.filter(kind.contains) }
    return Found(objects: objects, end: walk.end, containers: walk.containers)
  }

  /// Asks for what a walk wants, until it ends.
  private func follow(_ walk: ContainerWalk, for time: Duration) async throws(ActionFailure) -> ContainerWalk
  {
    var walk = walk
    let deadline = ContinuousClock.now + time
    var isAnswered = false
    while true {
      switch walk.next {
      case .end: return walk
      case .failed(let failure): throw failure
      case .browse(let container, let request):
        let left = deadline - .now
        guard left > .zero else {
          walk.stop()
          continue
        }
        let source = source
        let answer = await ListingPages.Iterator.result(
          of: { request throws(ActionFailure) in try await source.browse(children: container, request) },
          request, within: left, clock)
        switch answer {
        case .success(let answer):
          isAnswered = true
          walk.answered(BrowsePage(answer, base: base))
        // What was found until then counts.
        case .failure(.timeout) where .now >= deadline && isAnswered: walk.stop()
        case .failure(let failure): walk.failed(failure)
        }
      }
    }
  }

  private static func whole(_ pages: ListingPages) async throws(ActionFailure) -> Listed {
    var iterator = pages.makeAsyncIterator()
    var objects: [MediaObject] = []
    while let page = try await iterator.next() { objects += page }
    var end = ListingEnd.complete
    if case .end(let known) = iterator.listing.next { end = known }
    return Listed(
      objects: objects, end: end, isSorted: iterator.listing.isSorted,
      hasChanged: iterator.listing.hasChanged)
  }

  private static func orEmpty(
    _ ask: () async throws(ActionFailure) -> String
  ) async throws(ActionFailure) -> String {
    do throws(ActionFailure) {
      return try await ask()
    } catch {
      guard error.isAnswer else { throw error }
      return ""
    }
  }
}
