/// The pages of a listing, fetched as they are read, so that a long one never is in memory as a whole.
public struct ListingPages: AsyncSequence, Sendable {
  public typealias Element = [MediaObject]
  public typealias Failure = ActionFailure
  typealias Fetch = @Sendable (Listing.Request) async throws(ActionFailure) -> BrowseAnswer

  let listing: Listing
  let base: String?
  let time: Duration
  var clock: Clock
  let fetch: Fetch

  init(
    listing: Listing, base: String?, time: Duration, clock: Clock = Clock(), fetch: @escaping Fetch
  ) {
    self.listing = listing
    self.base = base
    self.time = time
    self.clock = clock
    self.fetch = fetch
  }

  /// How time passes.
  struct Clock: Sendable {
    var now: @Sendable () -> ContinuousClock.Instant = { .now }
    /// Returns after a time, or when the task is cancelled.
    var wait: @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
  }

  public func makeAsyncIterator() -> Iterator {
    Iterator(listing: listing, base: base, left: time, fetch: fetch, clock: clock)
  }

  public struct Iterator: AsyncIteratorProtocol {
    /// How far the listing has come, and how it ended.
    public private(set) var listing: Listing
    let base: String?
    /// The time for the pages that are left; what the reader takes for itself doesn't count.
    var left: Duration
    let fetch: Fetch
    let clock: Clock

    public mutating func next() async throws(ActionFailure) -> [MediaObject]? {
      try await next(isolation: nil)
    }

    public mutating func next(
      isolation: isolated (any Actor)?
    ) async throws(ActionFailure) -> [MediaObject]? {
      while true {
        switch listing.next {
        case .end: return nil
        case .failed(let failure): throw failure
        case .ask(let request):
          guard left > .zero else {
            listing.stop()
            return nil
          }
          let start = clock.now()
          let answer = await Self.result(of: fetch, request, within: left, clock)
          left -= clock.now() - start
          switch answer {
          case .success(let answer):
            let new = listing.answered(BrowsePage(answer, base: base))
            if !new.isEmpty { return new }
          case .failure(.timeout) where left <= .zero && listing.count > 0: listing.stop()
          case .failure(let failure): listing.failed(failure)
          }
        }
      }
    }

    /// A timeout if it takes longer than `time`.
    static func result(
      of fetch: @escaping Fetch, _ request: Listing.Request, within time: Duration, _ clock: Clock
    ) async -> Result<BrowseAnswer, ActionFailure> {
      let first = await withTaskGroup(of: Result<BrowseAnswer, ActionFailure>?.self) { group in
        group.addTask {
          do throws(ActionFailure) { return .success(try await fetch(request)) } catch {
            return .failure(error)
          }
        }
        group.addTask {
          await clock.wait(time)
          return nil
        }
        defer { group.cancelAll() }
        return await group.next() ?? nil
      }
      return first ?? .failure(Task.isCancelled ? .cancelled : .timeout)
    }
  }
}
