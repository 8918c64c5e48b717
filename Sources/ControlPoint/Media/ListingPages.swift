/// The pages of a listing, fetched as they are read, so that a long one never is in memory as a whole.
public struct ListingPages: AsyncSequence, Sendable {
  public typealias Element = [MediaObject]
  public typealias Failure = ActionFailure
  typealias Fetch = @Sendable (Listing.Request) async throws(ActionFailure) -> BrowseAnswer

  let listing: Listing
  let base: String?
  let time: Duration
  let fetch: Fetch

  public func makeAsyncIterator() -> Iterator {
    Iterator(listing: listing, base: base, deadline: .now + time, fetch: fetch)
  }

  public struct Iterator: AsyncIteratorProtocol {
    /// How far the listing has come, and how it ended.
    public private(set) var listing: Listing
    let base: String?
    let deadline: ContinuousClock.Instant
    let fetch: Fetch

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
          guard .now < deadline else {
            listing.stop()
            return nil
          }
          do throws(ActionFailure) {
            let new = listing.answered(BrowsePage(try await fetch(request), base: base))
            if !new.isEmpty { return new }
          } catch {
            listing.failed(error)
          }
        }
      }
    }
  }
}
