import CGStreamer
import Testing

@testable import GStreamerOutput

/// What GStreamer posts, and what is read of it.
@Suite struct MessageBusTests {
  private let mailbox = Mailbox()

  private func pipeline(_ choice: MessageBus.Choice) throws -> (MessageBus, UnsafeMutablePointer<GstElement>)
  {
    GStreamerLibrary.prepare()
    let bus = try #require(MessageBus(choice, mailbox: mailbox))
    let pipeline = try #require(gst_pipeline_new(nil))
    gst_element_set_bus(pipeline, bus.pointer)
    return (bus, pipeline)
  }

  private func end(_ pipeline: UnsafeMutablePointer<GstElement>) {
    gst_element_set_state(pipeline, GST_STATE_NULL)
    gst_element_set_bus(pipeline, nil)
    gst_object_unref(pipeline)
  }

  /// What waits, in words.
  private var waiting: [String] {
    mailbox.wait(until: .now).map { item in
      switch item {
      case .message(let message): String(cString: gst_message_type_get_name(message.type))
      case .notice(.finished): "finished"
      case .notice(.joined): "joined"
      default: "other"
      }
    }
  }

  @Test func anErrorAndTheEndThatFollowsKeepTheirOrder() throws {
    let (bus, pipeline) = try pipeline(Engine.messagesOfTracks)
    defer { end(pipeline) }
    let source = UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstObject.self)
    mailbox.post(.notice(.joined(1, epoch: 0, running: 0, media: 0)))
    for type in [GST_MESSAGE_LATENCY, GST_MESSAGE_ERROR, GST_MESSAGE_STREAM_START] {
      gst_bus_post(bus.pointer, gst_message_new_custom(type, source, nil))
    }
    mailbox.post(.notice(.finished(1, epoch: 0)))
    #expect(waiting == ["joined", "error", "finished"])
  }

  @Test func mostOfWhatIsPostedWakesNobody() throws {
    let (bus, pipeline) = try pipeline(Engine.messagesOfDevice)
    defer { end(pipeline) }
    let bin = UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstBin.self)
    for name in ["fakesrc", "fakesink"] { gst_bin_add(bin, gst_element_factory_make(name, nil)) }
    gst_element_set_state(pipeline, GST_STATE_READY)
    // Three elements have changed their state; only the whole is of interest.
    #expect(waiting == ["state-changed"])
    _ = bus
  }

  /// A file may have thousands of tags, and more errors than one needs.
  @Test func aFullMailboxKeepsWhatMustBeDone() throws {
    let (bus, pipeline) = try pipeline(Engine.messagesOfTracks)
    defer { end(pipeline) }
    let source = UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstObject.self)
    func post(_ count: Int, _ type: GstMessageType) {
      for _ in 0..<count { gst_bus_post(bus.pointer, gst_message_new_custom(type, source, nil)) }
    }
    for type in [GST_MESSAGE_TAG, GST_MESSAGE_DURATION_CHANGED, GST_MESSAGE_ERROR] {
      post(1, GST_MESSAGE_ERROR)
      mailbox.post(.notice(.joined(1, epoch: 0, running: 0, media: 0)))
      post(2 * Mailbox.capacity, type)
      mailbox.post(.notice(.finished(1, epoch: 0)))
      let waiting = waiting
      #expect(waiting.count <= Mailbox.capacity + 1)
      #expect(waiting.prefix(2) == ["error", "joined"])
      #expect(waiting.last == "finished")
    }
  }

  @Test func aMessageCanBeWaitedFor() throws {
    let (bus, pipeline) = try pipeline(Engine.messagesOfDevice)
    defer { end(pipeline) }
    let source = UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstObject.self)
    mailbox.post(.ping {})
    gst_bus_post(bus.pointer, gst_message_new_eos(source))
    mailbox.wait(until: .now + .seconds(10)) { $0.type == GST_MESSAGE_EOS }
    #expect(waiting == ["other"])
    // Nothing of the kind comes: it ends in time.
    mailbox.wait(until: .now + .milliseconds(20)) { $0.type == GST_MESSAGE_EOS }
    #expect(mailbox.wait(until: .now).isEmpty)
  }
}
