/// A station that can be chosen by its id.
public struct RadioPreset: Sendable, Hashable {
  /// At least 1; changes whenever the contents change.
  public let id: UInt32
  public let media: Media

  /// Compares address and metadata, which is all that the store keeps of a station.
  func isSame(as other: Media?) -> Bool { media.uri == other?.uri && media.metadata == other?.metadata }
}
