/// The changes of a service's evented variables with their types; otherwise like ``ChangeSequence``.
public struct TypedChanges<Values: Sendable>: AsyncSequence, Sendable {
  public typealias Element = EventedChange<Values>
  public typealias Failure = ChangesEnd

  let changes: ChangeSequence
  let read: @Sendable ([ServiceValue]) -> Values

  public func makeAsyncIterator() -> Iterator { Iterator(changes: changes.makeAsyncIterator(), read: read) }

  public struct Iterator: AsyncIteratorProtocol {
    var changes: ChangeSequence.Iterator
    let read: @Sendable ([ServiceValue]) -> Values

    public mutating func next() async throws(ChangesEnd) -> EventedChange<Values>? {
      try await next(isolation: nil)
    }

    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(ChangesEnd) -> EventedChange<Values>? {
      try await changes.next(isolation: actor)?.map(read)
    }
  }
}
