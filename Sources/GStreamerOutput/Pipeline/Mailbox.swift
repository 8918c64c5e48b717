import CGStreamer
import Player
import Threads

/// What waits for the control thread, in the order in which it came: requests, what the streaming threads tell, and
/// what GStreamer reports.
// Safe to share: the items are guarded by `monitor`.
final class Mailbox: @unchecked Sendable {
  enum Item: Sendable {
    case request(OutputRequest)
    case notice(Notice)
    case message(BusMessage)
    case ping(@Sendable () -> Void)
    case quit
  }

  /// Far above what a working control thread leaves lying about.
  static let capacity = 512

  private let monitor = Monitor()
  private var items: [Item] = []
  private var isClosed = false

  func post(_ item: Item) {
    monitor.locked {
      guard !isClosed else { return }
      if case .request(let request) = item {
        items.removeAll { $0.isMadeObsolete(by: request) }
      }
      if case .notice(let notice) = item, notice.isLevel {
        items.removeAll { if case .notice(let earlier) = $0 { earlier.isLevel } else { false } }
      }
      if items.count >= Self.capacity { items.removeFirst() }
      items.append(item)
      if case .quit = item { isClosed = true }
      monitor.signalAll()
    }
  }

  /// Takes all there is.
  func drain() -> [Item] {
    monitor.locked { taken }
  }

  /// Sleeps until something is here, and takes it all; nothing when `deadline` passes before.
  func wait(until deadline: MonotonicTime? = nil) -> [Item] {
    monitor.locked {
      while items.isEmpty {
        if let deadline {
          guard monitor.wait(until: deadline) else { break }
        } else {
          monitor.wait()
        }
      }
      return taken
    }
  }

  /// Sleeps until a message that `matches` is here, and takes it out of the order, but not beyond `deadline`.
  func wait(until deadline: MonotonicTime, forMessage matches: (BusMessage) -> Bool) {
    monitor.locked {
      while true {
        let found = items.firstIndex {
          if case .message(let message) = $0 { matches(message) } else { false }
        }
        if let found {
          items.remove(at: found)
          return
        }
        guard monitor.wait(until: deadline) else { return }
      }
    }
  }

  private var taken: [Item] {
    guard !items.isEmpty else { return [] }
    defer { items.removeAll(keepingCapacity: true) }
    return items
  }
}

extension Mailbox.Item {
  /// A later request that undoes or replaces this one, so that the queue can't grow with a busy control point.
  fileprivate func isMadeObsolete(by later: OutputRequest) -> Bool {
    guard case .request(let earlier) = self else { return false }
    switch (earlier, later) {
    case (.setGain, .setGain): return true
    case (.setGain, _): return false
    case (_, .start), (_, .stop): return earlier != .release
    case (.seek(let id, _), .seek(let other, _)): return id == other
    case (.setNext, .setNext), (.prepare, .prepare): return true
    default: return false
    }
  }
}
