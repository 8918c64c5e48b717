/// What guests of each address have used of what they may, so that nobody gets more by being several guests.
struct AddressTable: Sendable, Hashable {
  struct Use: Sendable, Hashable {
    var songs = AllowanceUse()
    var next = AllowanceUse()
    var votes = AllowanceUse()
    var entries = AllowanceUse()

    /// When all of it is back.
    var isFull: Duration { max(songs.isFull, next.isFull, votes.isFull, entries.isFull) }
  }

  /// The most addresses that are remembered. Beyond, the one is forgotten that has used least.
  static let most = 256

  private(set) var uses: [String: Use] = [:]

  subscript(address: String) -> Use {
    get { uses[address] ?? Use() }
    set {
      if uses[address] == nil, uses.count >= Self.most,
        let least = uses.min(by: { ($0.value.isFull, $0.key) < ($1.value.isFull, $1.key) })
      {
        uses[least.key] = nil
      }
      uses[address] = newValue
    }
  }
}
