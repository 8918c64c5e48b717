/// What the two loudspeakers of a room play of another room's sound.
public enum RoomChannels: Sendable, CaseIterable {
  /// Each plays its own side.
  case stereo
  /// Both play the mean of both sides.
  case mono
  /// Both play the left side.
  case left
  /// Both play the right side.
  case right
  /// Each plays the other side.
  case swapped

  /// Changes a block of two channels; others stay as they are.
  func apply(to block: inout RoomFeed.Block) {
    guard self != .stereo, block.channels == 2 else { return }
    for at in stride(from: 0, to: block.values.count - 1, by: 2) {
      let (left, right) = (block.values[at], block.values[at + 1])
      switch self {
      case .stereo: break
      case .mono: (block.values[at], block.values[at + 1]) = ((left + right) / 2, (left + right) / 2)
      case .left: block.values[at + 1] = left
      case .right: block.values[at] = right
      case .swapped: (block.values[at], block.values[at + 1]) = (right, left)
      }
    }
  }
}
