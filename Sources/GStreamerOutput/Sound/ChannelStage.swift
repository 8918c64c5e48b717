/// Applies a ``ChannelMapping``.
struct ChannelStage: SoundStage {
  let mapping: ChannelMapping

  func isTransparent(_ layout: ChannelLayout) -> Bool { mapping == .stereo || layout.pairs.isEmpty }

  func process(_ block: SampleBlock) {
    let values = block.values
    for pair in block.layout.pairs {
      for frame in stride(from: 0, to: values.count, by: block.layout.channels) {
        let (left, right) = (values[frame + pair.left], values[frame + pair.right])
        let mapped =
          switch mapping {
          case .stereo: (left, right)
          case .mono: ((left + right) / 2, (left + right) / 2)
          case .left: (left, left)
          case .right: (right, right)
          case .swapped: (right, left)
          }
        (values[frame + pair.left], values[frame + pair.right]) = mapped
      }
      if mapping == .mono { (block.changes[pair.left], block.changes[pair.right]) = (.computed, .computed) }
    }
  }
}
