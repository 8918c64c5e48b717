import CGStreamer
import Player
import Threads

/// What waits for the control thread, which sleeps on the bus.
// Safe to share: the items are guarded by `monitor`; GstBus may be used from any thread.
final class Mailbox: @unchecked Sendable {
  enum Item: Sendable {
    case request(OutputRequest)
    case notice(Notice)
    case ping(@Sendable () -> Void)
    case quit
  }

  /// Far above what a working control thread leaves lying about.
  static let capacity = 512

  private let monitor = Monitor()
  private var items: [Item] = []
  private var bus: UnsafeMutablePointer<GstBus>?
  private var isClosed = false

  /// The control thread has its bus now.
  func attach(_ bus: UnsafeMutablePointer<GstBus>?) {
    monitor.locked {
      self.bus = bus
      monitor.signalAll()
    }
  }

  func post(_ item: Item) {
    monitor.locked {
      guard !isClosed else { return }
      let wasEmpty = items.isEmpty
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
      if wasEmpty, let bus { vireo_bus_wake(bus) }
    }
  }

  func drain() -> [Item] {
    monitor.locked {
      guard !items.isEmpty else { return [] }
      defer { items.removeAll(keepingCapacity: true) }
      return items
    }
  }

  /// Sleeps until something is here; only for a control thread that has no bus yet.
  func waitForFirst() {
    monitor.locked {
      while items.isEmpty { monitor.wait() }
    }
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
    case (.setNext, .setNext): return true
    default: return false
    }
  }
}
