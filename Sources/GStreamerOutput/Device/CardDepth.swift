import CGStreamer

/// Gives a sound card its widest integer format, so that volume and dither act far below what is heard.
///
/// Applies only to direct access to the card (ALSA's `hw:`). ALSA's plugins (`plug`, `dmix`) and sound servers may
/// reduce the bit depth again, without dither, so samples for them keep the track's depth.
struct CardDepth: Sendable {
  private let sink: GstPointer<GstElement>

  /// Nil unless `choice`, which made `sink`, is a sound card.
  init?(_ choice: SinkChoice, sink: UnsafeMutablePointer<GstElement>) {
    guard case .element("alsasink", _, let device?) = choice, device.hasPrefix("hw:") else { return nil }
    self.sink = GstPointer(sink)
  }

  /// The encoding that the card gets instead of `encoding`. Call it with the card open, so that it can be queried.
  func encoding(for encoding: SampleEncoding, rate: Int, channels: Int) -> SampleEncoding {
    guard let pad = gst_element_get_static_pad(sink.object, "sink") else { return encoding }
    defer { gst_object_unref(pad) }
    guard let card = gst_pad_query_caps(pad, nil) else { return encoding }
    defer { gst_caps_unref(card) }
    return Self.widest(for: encoding, rate: rate, channels: channels) { text in
      guard let caps = gst_caps_from_string(text) else { return false }
      defer { gst_caps_unref(caps) }
      return gst_caps_can_intersect(card, caps) != 0
    }
  }

  /// - Parameter takes: whether the card accepts any format within the given caps.
  static func widest(
    for encoding: SampleEncoding, rate: Int, channels: Int, takes: (String) -> Bool
  ) -> SampleEncoding {
    guard let bits = encoding.bits else { return encoding }
    let shape = ",rate=\(rate),channels=\(channels)"
    // If the card doesn't accept this rate and channel count, the samples are converted anyway.
    let limit = takes("audio/x-raw" + shape) ? shape : ""
    let wider: [SampleEncoding] = [.s32, .s24in32, .s24]
    return wider.first {
      $0.bits ?? 0 > bits && takes("audio/x-raw,format=\($0.rawValue)" + limit)
    } ?? encoding
  }
}
