import NIOCore

/// Moderates single variables of one service: a change is sent at once, and further ones together at the end of a window.
///
/// Within its window a variable isn't read. So a burst of a thousand changes to a long list becomes a few events, and the
/// list is encoded once for each.
struct VariableWindows: Sendable {
  private struct Window: Sendable {
    var value: String
    var end: NIODeadline
  }

  private let lengths: [String: TimeAmount]
  private var windows: [String: Window] = [:]
  /// When to read the variables again that may have changed within their windows; nil when there are none.
  private(set) var wake: NIODeadline?

  init(_ lengths: [String: TimeAmount]) { self.lengths = lengths }

  /// The variables whose windows haven't ended at `now`, with their values.
  func held(now: NIODeadline) -> HeldValues {
    // Mostly none: a dictionary is made only where one is needed.
    guard windows.values.contains(where: { now < $0.end }) else { return .none }
    return HeldValues(windows.compactMapValues { now < $0.end ? $0.value : nil })
  }

  /// Notes what was read at `now`, with the variables left out that ``held(now:)`` returns.
  mutating func note(_ values: [EventedValue], now: NIODeadline) {
    guard !lengths.isEmpty else { return }
    wake = nil
    for value in values {
      guard let length = lengths[value.name] else { continue }
      if let window = windows[value.name], now < window.end {
        wake = min(wake ?? .distantFuture, window.end)
      } else if windows[value.name]?.value != value.value {
        windows[value.name] = Window(value: value.value, end: now + length)
      }
    }
  }

  /// Called when the variables will be read for another reason, or not at all: all values wait, or there are no subscribers.
  mutating func cancelWake() { wake = nil }
}
