import CGStreamer
import Threads

/// A message of GStreamer that waits for the control thread; freed when nobody needs it any more.
// Safe to share: a posted message is only read, and its reference count is atomic.
final class BusMessage: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<GstMessage>

  /// Takes over the reference to `pointer`.
  init(_ pointer: UnsafeMutablePointer<GstMessage>) { self.pointer = pointer }

  deinit { gst_message_unref(pointer) }

  var type: GstMessageType { pointer.pointee.type }
  /// A pipeline as a whole says it, not one of its elements. By its type: decodebin's elements come and go meanwhile, and
  /// who has no parent for a moment is no pipeline.
  var isOfPipeline: Bool { pointer.pointee.src.map { vireo_is_pipeline($0) != 0 } ?? false }
}

/// A bus that keeps nothing itself: what is worth reading goes into the mailbox at once, among what the streaming
/// threads tell, so that an error and the end that follows from it are read in the order in which they came. The rest
/// (most of it) wakes nobody.
final class MessageBus {
  /// What is worth reading.
  struct Choice: Sendable {
    /// From any element.
    var ofElements: [GstMessageType]
    /// From the pipeline as a whole only.
    var ofPipeline: [GstMessageType] = []

    fileprivate func includes(_ message: BusMessage) -> Bool {
      ofElements.contains(message.type) || message.isOfPipeline && ofPipeline.contains(message.type)
    }
  }

  /// What those who post need.
  private final class Relay: Sendable {
    let choice: Choice
    let mailbox: Mailbox
    let threads: DeviceThreads?

    init(choice: Choice, mailbox: Mailbox, threads: DeviceThreads?) {
      self.choice = choice
      self.mailbox = mailbox
      self.threads = threads
    }
  }

  let pointer: UnsafeMutablePointer<GstBus>

  /// - Parameter threads: told of the threads that begin and end behind this bus, each by itself.
  init?(_ choice: Choice, mailbox: Mailbox, threads: DeviceThreads? = nil) {
    guard let bus = vireo_bus_new() else { return nil }
    pointer = bus
    gst_bus_set_sync_handler(
      bus,
      { _, message, context in
        guard let message, let context else { return GST_BUS_DROP }
        let relay = HandOver.borrow(context, as: Relay.self)
        // Whoever answers that it is dropped has got the reference.
        let kept = BusMessage(message)
        if relay.choice.includes(kept) { relay.mailbox.post(.message(kept)) }
        if kept.type == GST_MESSAGE_STREAM_STATUS { relay.threads?.read(kept) }
        return GST_BUS_DROP
      },
      HandOver.give(Relay(choice: choice, mailbox: mailbox, threads: threads)),
      { HandOver.end($0) })
  }

  deinit { gst_object_unref(pointer) }
}
