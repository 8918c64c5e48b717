import CGStreamer

/// The capsfilter after the device's resampler, which sets the rate to convert to.
struct RateFilter: Sendable {
  private let filter: GstPointer<GstElement>
  private let rates: AllowedRates

  init(element: UnsafeMutablePointer<GstElement>, rates: AllowedRates) {
    filter = GstPointer(element)
    self.rates = rates
  }

  private var element: UnsafeMutablePointer<GstElement> { filter.object }

  /// Prepares for samples of `rate`. Call it with the device open, before the pipeline gets their caps.
  ///
  /// - Returns: the rate that the device gets; `rate` if that isn't known.
  func expect(rate: Int) -> Int {
    let taken = takenRates
    let chosen = taken.isEmpty ? rate : AllowedRates(taken).rate(for: rate)
    // For a device that supports none of them, another rate is better than no sound.
    let text = taken.isEmpty ? "audio/x-raw" : Self.text(chosen)
    guard let caps = gst_caps_from_string(text) else { return rate }
    vireo_set_pointer(element, "caps", caps)
    gst_caps_unref(caps)
    return chosen
  }

  /// The allowed rates that the device supports.
  private var takenRates: [Int] {
    guard let pad = gst_element_get_static_pad(element, "src") else { return rates.rates }
    defer { gst_object_unref(pad) }
    guard let device = gst_pad_peer_query_caps(pad, nil) else { return rates.rates }
    defer { gst_caps_unref(device) }
    return rates.rates.filter { rate in
      guard let caps = gst_caps_from_string(Self.text(rate)) else { return false }
      defer { gst_caps_unref(caps) }
      return gst_caps_can_intersect(device, caps) != 0
    }
  }

  private static func text(_ rate: Int) -> String { "audio/x-raw,rate=\(rate)" }
}
