/// The order in which songs join the queue that were chosen together: the one in which they were chosen, in whatever order
/// they arrive.
///
/// A song waits for those of its batch that are before it and still coming. So the first plays first, and none comes in front
/// of its turn; if one fails, the next don't wait for it any more.
public struct UploadOrder: Sendable {
  /// Batches that are remembered; of more, the oldest with nothing coming is forgotten.
  static let mostBatches = 16
  /// Songs of a batch that are remembered; of more, the first of those in the queue are forgotten.
  static let mostPlaces = 500

  /// A song that may join the queue now.
  public struct Turn: Sendable, Hashable {
    public var key: String
    /// The ids that earlier songs of its batch have in the queue, the nearest last. Empty for the first of its batch.
    public var earlier: [UInt32]
  }

  private enum Place: Sendable {
    case coming(String)
    case ready(String)
    case queued(UInt32)
  }

  private struct Batch: Sendable {
    var places: [Int: Place] = [:]

    /// Forgets the first of those that have joined the queue, when there are too many.
    mutating func forgetFirst() {
      guard places.count >= UploadOrder.mostPlaces else { return }
      let joined = places.filter { if case .queued = $0.value { true } else { false } }
      if let first = joined.keys.min() { places[first] = nil }
    }

    var hasComing: Bool {
      places.values.contains { if case .queued = $0 { false } else { true } }
    }
  }

  private var batches: [String: Batch] = [:]
  /// The names of ``batches``, the oldest first.
  private var names: [String] = []

  public init() {}

  /// A song begins to come.
  public mutating func begin(_ key: String, batch name: String, place: Int) {
    if batches[name] == nil {
      if names.count >= Self.mostBatches, let oldest = names.first(where: { batches[$0]?.hasComing != true })
      {
        names.removeAll { $0 == oldest }
        batches[oldest] = nil
      }
      names.append(name)
    }
    batches[name]?.forgetFirst()
    // Two may name the same place, and the last one that there is.
    var place = Int(Int32(clamping: place))
    while batches[name]?.places[place] != nil { place += 1 }
    batches[name, default: Batch()].places[place] = .coming(key)
  }

  /// A song has come; ``next(in:)`` says whose turn it is.
  public mutating func arrived(_ key: String, batch: String) { replace(key, batch) { .ready(key) } }

  /// A song won't come, or isn't wanted in the queue.
  public mutating func failed(_ key: String, batch: String) { replace(key, batch) { nil } }

  /// A song has joined the queue.
  public mutating func queued(_ key: String, batch: String, as id: UInt32) {
    replace(key, batch) { .queued(id) }
  }

  /// The next song whose turn it is; nil when all that have come have joined, or wait.
  public func next(in batch: String) -> Turn? {
    guard let places = batches[batch]?.places else { return nil }
    var earlier: [UInt32] = []
    for place in places.keys.sorted() {
      switch places[place] {
      case .queued(let id)?: earlier.append(id)
      case .ready(let key)?: return Turn(key: key, earlier: earlier)
      case .coming?, nil: return nil
      }
    }
    return nil
  }

  private mutating func replace(_ key: String, _ batch: String, _ new: () -> Place?) {
    let found = batches[batch]?.places.first { _, place in
      switch place {
      case .coming(let other), .ready(let other): other == key
      case .queued: false
      }
    }
    guard let found else { return }
    batches[batch]?.places[found.key] = new()
  }
}
