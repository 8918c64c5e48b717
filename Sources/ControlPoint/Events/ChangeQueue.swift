/// What one reader hasn't taken yet. It doesn't grow: of several values of a variable, only the latest stays.
struct ChangeQueue: Sendable {
  private var values = ValueTable()
  private var isWhole = false
  private var isInterrupted = false
  private var ending: ChangesEnd?

  mutating func put(_ change: ServiceChange) {
    guard ending == nil else { return }
    switch change {
    case .all(let all):
      values = ValueTable(all)
      isWhole = true
      isInterrupted = false
    case .changed(let changed): values.set(changed)
    case .interrupted: isInterrupted = true
    }
  }

  /// What waits can still be taken before the end.
  mutating func end(_ reason: ChangesEnd) { ending = ending ?? reason }

  /// Takes what is next; nil when nothing waits.
  mutating func take() -> Result<ServiceChange, ChangesEnd>? {
    if isWhole || !values.isEmpty {
      let change = isWhole ? ServiceChange.all(values.values) : .changed(values.values)
      values = ValueTable()
      isWhole = false
      return .success(change)
    }
    if isInterrupted {
      isInterrupted = false
      return .success(.interrupted)
    }
    return ending.map { .failure($0) }
  }
}
