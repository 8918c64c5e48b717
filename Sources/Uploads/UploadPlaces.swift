/// The uploads under way: so many at once, and so many from one address.
public struct UploadPlaces<ID: Hashable & Sendable, Address: Hashable & Sendable>: Sendable {
  public enum Refusal: Error, Sendable, Hashable {
    case tooManyOfAddress
    case tooMany
  }

  private let most: Int
  private let mostPerAddress: Int
  private var taken: [ID: Address] = [:]

  public init(most: Int, perAddress: Int) {
    self.most = most
    mostPerAddress = perAddress
  }

  public var count: Int { taken.count }

  public mutating func take(_ id: ID, _ address: Address) throws(Refusal) {
    guard taken.values.count(where: { $0 == address }) < mostPerAddress else { throw .tooManyOfAddress }
    guard taken.count < most else { throw .tooMany }
    taken[id] = address
  }

  public mutating func leave(_ id: ID) { taken[id] = nil }
}
