/// One step of the processing between the sources and the device, such as an equaliser. Pure.
///
/// ``SoundChain`` has a list of them. What it does to a frame must not depend on how the samples are cut into blocks.
protocol SoundStage: Sendable {
  /// Whether samples of this layout leave unchanged.
  func isTransparent(_ layout: ChannelLayout) -> Bool
  /// Processes whole frames in place.
  mutating func process(_ block: SampleBlock)
}

/// Samples in a ``SoundChain``: numbers between -1 and 1, interleaved.
struct SampleBlock {
  /// What happened to the samples of a channel.
  enum Change {
    case none
    /// They have more digits now than the source's encoding holds.
    case computed
    case silenced
  }

  let values: UnsafeMutableBufferPointer<Double>
  let layout: ChannelLayout
  /// Frames per second.
  let rate: Int
  /// One element per channel.
  let changes: UnsafeMutableBufferPointer<Change>
}
