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

  /// The children of `container`, page by page.
  public func pages(
    of container: String, sort: String = "", limits: ListingLimits = ListingLimits()
  ) -> ListingPages {
    let source = source
    return ListingPages(listing: Listing(sort: sort, limits: limits), base: base, time: limits.time) {
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
    return ListingPages(listing: Listing(sort: sort, limits: limits), base: base, time: limits.time) {
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

  /// The object called `id`.
  ///
  /// - Throws: 701 also for a server that answers with another object, as Gerbera does.
  public func object(_ id: String) async throws(ActionFailure) -> MediaObject {
    let page = BrowsePage(try await source.browse(metadata: id), base: base)
    guard let object = page.objects.first(where: { $0.id == id }) else {
      throw .fault(UPnPError(code: 701, description: "No such object"))
    }
    return object
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
        if !isRefused || !listed.objects.isEmpty { return listed }
      } catch {
        guard error.isAnswer else { throw error }
        isRefused = true
      }
    }
    return nil
  }

  /// The tracks of all that is below `container`, in the order of albums.
  ///
  /// - Throws: only for a container that can't be listed itself, and when the server isn't reached.
  public func tracks(
    below container: MediaObject,
    _ capabilities: ContentCapabilities = ContentCapabilities(search: "", sort: ""),
    limits: WalkLimits = WalkLimits()
  ) async throws(ActionFailure) -> Collected {
    var walk = ContainerWalk(container, capabilities: capabilities, limits: limits)
    let deadline = ContinuousClock.now + limits.time
    while true {
      switch walk.next {
      case .end(let end): return Collected(tracks: walk.tracks, end: end, refused: walk.refused)
      case .failed(let failure): throw failure
      case .browse(let container, let request):
        guard .now < deadline else {
          walk.stop()
          continue
        }
        do throws(ActionFailure) {
          walk.answered(BrowsePage(try await source.browse(children: container, request), base: base))
        } catch {
          walk.failed(error)
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
