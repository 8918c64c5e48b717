import Network

/// Work that waits, grouped by the address that requested it; pure logic.
///
/// The addresses take turns. So an address that requests a hundred things makes each other address wait for only one of
/// them.
struct AddressTurns<Work: Sendable> {
  /// Addresses in the order of their turns.
  private var turns: [IPAddress] = []
  private var waiting: [IPAddress: [Work]] = [:]

  var isEmpty: Bool { turns.isEmpty }

  mutating func add(_ work: Work, for address: IPAddress) {
    if waiting[address] == nil { turns.append(address) }
    waiting[address, default: []].append(work)
  }

  /// The address that has its turn, and its work.
  var next: (address: IPAddress, work: Work)? {
    guard let address = turns.first, let work = waiting[address]?.first else { return nil }
    return (address, work)
  }

  /// Records that work of `address` was done; `isLast` when it is complete.
  mutating func worked(for address: IPAddress, isLast: Bool) {
    guard isLast else { return }
    turns.removeFirst()
    waiting[address]?.removeFirst()
    if waiting[address]?.isEmpty == true {
      waiting[address] = nil
    } else {
      turns.append(address)
    }
  }
}

/// Responses that are built in steps: each call builds the next piece and returns false after the last one.
///
/// Only one response is built at a time, which limits memory.
typealias SteppedResponses = AddressTurns<@Sendable () -> Bool>
