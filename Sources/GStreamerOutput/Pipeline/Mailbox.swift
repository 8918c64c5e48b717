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

  /// Far above what a working control thread leaves lying about. Beyond it, information is thrown away, oldest first.
  ///
  /// What makes the player go on never is: a stop or an end that is lost comes no second time. Of that there are only a few
  /// at any time: of each kind of request and of notices that repeat themselves the latest, of the other notices one for
  /// each thing that the control thread has let a track do, of the device's messages what follows from requests, one sign
  /// of life that the watchdog waits for.
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
      if case .notice(let notice) = item {
        items.removeAll { if case .notice(let earlier) = $0 { notice.replaces(earlier) } else { false } }
      }
      guard items.count < Self.capacity || makeRoom() || !item.isError else { return }
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

  /// With the lock. False when nothing can be left out; then a file has broken hundreds of elements at once, and the errors
  /// that came first have said what is wrong.
  private func makeRoom() -> Bool {
    guard let index = items.firstIndex(where: \.isInformation) else { return false }
    items.remove(at: index)
    return true
  }

  private var taken: [Item] {
    guard !items.isEmpty else { return [] }
    defer { items.removeAll(keepingCapacity: true) }
    return items
  }
}

extension Mailbox.Item {
  /// What is only told: that it is missing nobody notices but who reads it.
  fileprivate var isInformation: Bool {
    guard case .message(let message) = self else { return false }
    return [GST_MESSAGE_TAG, GST_MESSAGE_ELEMENT, GST_MESSAGE_DURATION_CHANGED].contains(message.type)
  }

  fileprivate var isError: Bool {
    if case .message(let message) = self { message.type == GST_MESSAGE_ERROR } else { false }
  }

  /// A later request that undoes or replaces this one, so that the queue can't grow with a busy control point.
  fileprivate func isMadeObsolete(by later: OutputRequest) -> Bool {
    guard case .request(let earlier) = self else { return false }
    switch (earlier, later) {
    case (.setGain, .setGain): return true
    case (.setGain, _): return false
    case (_, .start), (_, .stop): return earlier != .release
    case (.seek(let id, _), .seek(let other, _)): return id == other
    case (.setNext, .setNext), (.prepare, .prepare), (.release, .release): return true
    case (.pause(let id), .pause(let other)), (.pause(let id), .resume(let other)),
      (.resume(let id), .pause(let other)), (.resume(let id), .resume(let other)):
      return id == other
    default: return false
    }
  }
}
