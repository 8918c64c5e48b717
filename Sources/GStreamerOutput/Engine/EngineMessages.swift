import CGStreamer
import Player

/// GStreamer's messages on the bus.
extension Engine {
  /// The messages that are read from a track's pipeline.
  static let messagesOfTracks = MessageBus.Choice(
    ofElements: [GST_MESSAGE_ERROR, GST_MESSAGE_ELEMENT, GST_MESSAGE_TAG, GST_MESSAGE_DURATION_CHANGED],
    refusals: true)
  /// The messages that are read from the device's pipeline.
  static let messagesOfDevice = MessageBus.Choice(
    ofElements: [GST_MESSAGE_ERROR, GST_MESSAGE_CLOCK_LOST],
    ofPipeline: [GST_MESSAGE_EOS, GST_MESSAGE_STATE_CHANGED, GST_MESSAGE_ASYNC_DONE])
}

extension EngineParts {
  /// What `message` says, in plain values; nil if that is nothing of interest, or about something that is gone.
  func event(of message: UnsafeMutablePointer<GstMessage>) -> EngineEvent? {
    guard let source = message.pointee.src else { return nil }
    if let device, device.owns(source) { return DeviceMessage(message).map { .device($0) } }
    guard let track = tracks.values.first(where: { $0.owns(source) }) else { return nil }
    return TrackMessage(message, pictures: track.pictures).map { .track(track.serial, $0) }
  }
}

extension DeviceMessage {
  /// Nil for any other message.
  init?(_ message: UnsafeMutablePointer<GstMessage>) {
    switch message.pointee.type {
    case GST_MESSAGE_ERROR:
      let report = ErrorReport(message)
      let words = report.text.withoutPeriod
      self = .failed(
        reason: report.isFormat ? "it doesn't take the format (\(words))" : words, report.deviceFault)
    case GST_MESSAGE_EOS: self = .ended
    case GST_MESSAGE_STATE_CHANGED: self = .stateChanged
    case GST_MESSAGE_ASYNC_DONE: self = .settled
    case GST_MESSAGE_CLOCK_LOST: self = .clockLost
    default: return nil
    }
  }
}

extension TrackMessage {
  /// Nil for any other message.
  ///
  /// - Parameter pictures: what reads pictures in tags; nil for none.
  init?(_ message: UnsafeMutablePointer<GstMessage>, pictures: PictureTag?) {
    switch message.pointee.type {
    case GST_MESSAGE_ERROR: self = .failed(ErrorReport(message))
    case GST_MESSAGE_NEED_CONTEXT:
      guard let address = RefusedAddress.address(in: message) else { return nil }
      self = .refused(address: address)
    case GST_MESSAGE_ELEMENT:
      guard let structure = gst_message_get_structure(message),
        let name = gst_structure_get_name(structure).map({ String(cString: $0) })
      else { return nil }
      switch name {
      case "missing-plugin": self = .missing(MissingPlugin(structure))
      case "http-headers": self = .answered(ServerAnswer(structure))
      default: return nil
      }
    case GST_MESSAGE_TAG:
      var list: UnsafeMutablePointer<GstTagList>?
      gst_message_parse_tag(message, &list)
      guard let list else { return nil }
      defer { gst_tag_list_unref(list) }
      self = .tags(TagUpdate(list, pictures: pictures))
    case GST_MESSAGE_DURATION_CHANGED: self = .durationChanged
    default: return nil
    }
  }
}
