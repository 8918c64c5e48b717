/// How well sound is converted to another sample rate.
public enum ResamplerQuality: String, Sendable, Hashable, CaseIterable {
  /// For the weakest processors.
  case low
  /// Its losses are inaudible.
  case good
  /// The best that GStreamer has to offer, at twice the cost.
  case best

  /// GStreamer's number for it, 0 to 10.
  var grade: Int32 {
    switch self {
    case .low: 4
    case .good: 8
    case .best: 10
    }
  }
}
