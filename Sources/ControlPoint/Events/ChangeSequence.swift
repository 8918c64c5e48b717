/// The changes of a service's evented variables, as they happen.
///
/// The service is subscribed to with the first reader, and the subscription ends with the last. A reader begins with
/// ``ServiceChange/all(_:)``. One that is slow gets only the latest value of each variable. The sequence ends without an
/// error when its task is cancelled.
public struct ChangeSequence: AsyncSequence, Sendable {
  public typealias Element = ServiceChange
  public typealias Failure = ChangesEnd

  let subscriptions: EventSubscriptions?
  let location: ServiceLocation

  public func makeAsyncIterator() -> Iterator {
    Iterator(subscriptions: subscriptions, location: location)
  }

  public struct Iterator: AsyncIteratorProtocol {
    let subscriptions: EventSubscriptions?
    let location: ServiceLocation
    private var reader: Reader?
    private var hasEnded = false

    init(subscriptions: EventSubscriptions?, location: ServiceLocation) {
      self.subscriptions = subscriptions
      self.location = location
    }

    public mutating func next() async throws(ChangesEnd) -> ServiceChange? {
      try await next(isolation: nil)
    }

    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(ChangesEnd) -> ServiceChange? {
      guard !hasEnded else { return nil }
      let reader: Reader
      if let own = self.reader {
        reader = own
      } else {
        guard let subscriptions else {
          hasEnded = true
          throw .noEvents
        }
        reader = Reader(await subscriptions.join(location), of: subscriptions)
        self.reader = reader
      }
      guard let next = await reader.inbox.next() else {
        end()
        return nil
      }
      switch next {
      case .success(let change): return change
      case .failure(let reason):
        end()
        throw reason
      }
    }

    private mutating func end() {
      hasEnded = true
      reader = nil
    }
  }

  /// Leaves when the iterator is gone.
  private final class Reader: Sendable {
    let inbox: ChangeInbox
    private let subscriptions: EventSubscriptions

    init(_ inbox: ChangeInbox, of subscriptions: EventSubscriptions) {
      self.inbox = inbox
      self.subscriptions = subscriptions
    }

    deinit { subscriptions.leave(inbox) }
  }
}
