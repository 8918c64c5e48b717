import CGStreamer
import Text
import Threads

/// A GStreamer message that waits for the control thread; unreferenced when nothing needs it any more.
final class BusMessage: Sendable {
  private let message: GstPointer<GstMessage>

  /// Takes over the reference to `pointer`.
  init(_ pointer: UnsafeMutablePointer<GstMessage>) { message = GstPointer(pointer) }

  deinit { gst_message_unref(pointer) }

  var pointer: UnsafeMutablePointer<GstMessage> { message.object }
  var type: GstMessageType { pointer.pointee.type }
  /// Whether a pipeline posted it, not one of its elements. Checked by type, not by parent: decodebin's elements come
  /// and go, and one without a parent for a moment isn't a pipeline.
  var isOfPipeline: Bool { pointer.pointee.src.map { vireo_is_pipeline($0) != 0 } ?? false }
}

/// A bus without a queue: messages worth reading go straight into the mailbox.
///
/// There they keep their order among the notices of the streaming threads, such as an error and the end that follows
/// from it. The rest (most of them) wake nothing.
final class MessageBus {
  /// Which messages are worth reading.
  struct Choice: Sendable {
    /// From any element.
    var ofElements: [GstMessageType]
    /// From the pipeline as a whole only.
    var ofPipeline: [GstMessageType] = []
    /// Addresses that an element tried to open and that were refused.
    var refusals = false

    fileprivate func includes(_ message: BusMessage) -> Bool {
      ofElements.contains(message.type) || message.isOfPipeline && ofPipeline.contains(message.type)
        || refusals && RefusedAddress.address(in: message.pointer) != nil
    }
  }

  /// What the posting threads need.
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

  /// - Parameter threads: notified, on the thread itself, when a thread of its pipeline starts or ends.
  init?(_ choice: Choice, mailbox: Mailbox, threads: DeviceThreads? = nil) {
    guard let bus = vireo_bus_new() else { return nil }
    pointer = bus
    gst_bus_set_sync_handler(
      bus,
      { _, message, context in
        guard let message, let context else { return GST_BUS_DROP }
        let relay = CallbackContext.object(context, as: Relay.self)
        // A handler that returns DROP owns the reference.
        let kept = BusMessage(message)
        if relay.choice.includes(kept) { relay.mailbox.post(.message(kept)) }
        if kept.type == GST_MESSAGE_STREAM_STATUS { relay.threads?.read(kept) }
        return GST_BUS_DROP
      },
      CallbackContext.retain(Relay(choice: choice, mailbox: mailbox, threads: threads)),
      { CallbackContext.release($0) })
  }

  deinit { gst_object_unref(pointer) }
}
