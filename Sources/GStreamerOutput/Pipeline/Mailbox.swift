import CGStreamer
import Player
import Threads

/// The control thread's queue, in order of arrival: requests, notices of the streaming threads, and GStreamer's
/// messages.
final class Mailbox: Sendable {
  enum Item: Sendable {
    case request(OutputRequest)
    case notice(PipelineEvent)
    case message(BusMessage)
    case ping(@Sendable () -> Void)
    case quit
  }

  /// Far more items than a working control thread leaves waiting. Beyond it, information is dropped, oldest first.
  ///
  /// Items that drive playback are never dropped: a lost stop or end doesn't come again. There are only a few at any
  /// time: the latest of each kind of request and of each repeating notice; one of every other notice for each thing
  /// that the control thread has let a track do; the device messages that requests cause; one ping that the watchdog
  /// waits for.
  static let capacity = 512

  private struct Queue: Sendable {
    var items: [Item] = []
    var isClosed = false

    /// Adds `item`, and removes those that it makes obsolete. False if the queue is full or closed.
    mutating func add(_ item: Item) -> Bool {
      guard !isClosed else { return false }
      if case .request(let request) = item {
        items.removeAll { $0.isMadeObsolete(by: request) }
      }
      if case .notice(let notice) = item {
        items.removeAll { if case .notice(let earlier) = $0 { notice.replaces(earlier) } else { false } }
      }
      guard items.count < Mailbox.capacity || makeRoom() || !item.isError else { return false }
      items.append(item)
      if case .quit = item { isClosed = true }
      return true
    }

    /// Drops one piece of information. False if there is none: then a file has broken hundreds of elements at once,
    /// and the first errors have said what is wrong.
    private mutating func makeRoom() -> Bool {
      guard let index = items.firstIndex(where: \.isInformation) else { return false }
      items.remove(at: index)
      return true
    }

    /// Takes all items; nil if there are none.
    mutating func take() -> [Item]? {
      guard !items.isEmpty else { return nil }
      defer { items.removeAll(keepingCapacity: true) }
      return items
    }
  }

  private let queue = SharedState(Queue())

  func post(_ item: Item) {
    queue.withLock { if $0.add(item) { queue.wakeAll() } }
  }

  /// Waits for items and takes them all; empty if `deadline` passes first.
  func wait(until deadline: MonotonicTime? = nil) -> [Item] {
    guard let deadline else { return queue.wait { $0.take() } }
    return queue.wait(until: deadline) { $0.take() } ?? []
  }

  /// Waits until `deadline` for a message that `matches`, and removes it ahead of earlier items.
  func wait(until deadline: MonotonicTime, forMessage matches: (BusMessage) -> Bool) {
    _ = queue.wait(until: deadline) { queue in
      let found = queue.items.firstIndex {
        if case .message(let message) = $0 { matches(message) } else { false }
      }
      return found.map { queue.items.remove(at: $0) }
    }
  }
}

extension Mailbox.Item {
  /// Whether nothing but the information itself is lost if it is dropped.
  fileprivate var isInformation: Bool {
    guard case .message(let message) = self else { return false }
    return [GST_MESSAGE_TAG, GST_MESSAGE_ELEMENT, GST_MESSAGE_DURATION_CHANGED].contains(message.type)
  }

  fileprivate var isError: Bool {
    if case .message(let message) = self {
      message.type == GST_MESSAGE_ERROR || message.type == GST_MESSAGE_NEED_CONTEXT
    } else {
      false
    }
  }

  /// Whether a later request undoes or replaces this one, so that a busy control point can't grow the queue.
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
