/// What the left and the right loudspeaker play.
public enum ChannelMapping: String, Sendable, Hashable, CaseIterable {
  /// Each plays its own side.
  case stereo
  /// Both play the average of both sides.
  case mono
  /// Both play the left side.
  case left
  /// Both play the right side.
  case right
  /// Each plays the other side.
  case swapped
}

/// Which side each channel of a stream belongs to.
struct ChannelLayout: Sendable, Equatable {
  enum SpeakerSide: Sendable { case left, right, both }

  private(set) var sides: [SpeakerSide]
  /// Channels that mirror each other, left one first.
  private(set) var pairs: [(left: Int, right: Int)]

  /// Bits of the channel mask that are a pair: front, rear, front of centre, side, top front, top rear, top side.
  private static let pairBits = [(0, 1), (4, 5), (6, 7), (10, 11), (12, 13), (16, 17), (18, 19)]

  /// - Parameter mask: GStreamer's channel mask (the loudspeakers of the channels); 0 if the caps have none.
  init(channels: Int, mask: UInt64) {
    sides = Array(repeating: .both, count: channels)
    pairs = []
    if mask == 0 || mask.nonzeroBitCount != channels {
      if channels >= 2 { pairs = [(0, 1)] }
    } else {
      for (left, right) in Self.pairBits where mask >> left & 1 == 1 && mask >> right & 1 == 1 {
        let before = (mask & (1 << left - 1)).nonzeroBitCount
        pairs.append((before, before + 1))
      }
    }
    for pair in pairs { (sides[pair.left], sides[pair.right]) = (.left, .right) }
  }

  var channels: Int { sides.count }

  static func == (one: ChannelLayout, other: ChannelLayout) -> Bool { one.sides == other.sides }
}
