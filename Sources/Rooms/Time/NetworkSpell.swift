/// Both directions of a time over which the network was of one kind. `x` is a time, `y` what was measured, in nanoseconds.
///
/// Of the offset (room − local) a spell says: midway between its two floors. By how much the floors of two spells differ is
/// not known, but it is the same there and back.
struct NetworkSpell {
  let there: Envelope
  let back: Envelope

  /// The offset at `x` = 0 by this spell alone, and half the way there and back.
  func middle(slope: Double) -> (offset: Double, way: Double) {
    let (there, back) = (there.height(slope: slope), back.height(slope: -slope))
    return ((there - back) / 2, (there + back) / 2)
  }

  /// By how much the offset at `x` = 0 may be wrong by this spell.
  func halfWidth(slope: Double, slopeError: Double) -> Double {
    let inexact = (there.spacing + back.spacing) / 2
    return max(middle(slope: slope).way, 0) + inexact + slopeError * max(-there.centre, 0)
  }

  /// The logarithm of the likelihood, but for a constant.
  fileprivate func likelihood(offset: Double, slope: Double) -> Double {
    let (forth, home) = (1 / there.spacing, 1 / back.spacing)
    let way = min(there.height(slope: slope) - offset, back.height(slope: -slope) + offset)
    return forth * (offset + way + slope * there.centre) + home * (way - offset - slope * back.centre)
  }
}

/// The line that several spells have in common.
struct SpellFit {
  let spells: [NetworkSpell]
  let prior: SlopePrior

  /// The likeliest slope.
  func slope(most: Double) -> Double { SlopePrior.slope(most: most, where: pull) }

  /// The likeliest offset for this slope: the median of what the spells say, by how much each weighs.
  func offset(slope: Double) -> Double { best(slope: slope)?.offset ?? 0 }

  /// By how much the slope may be wrong, upwards or downwards: where it is e² times less likely.
  func slopeError(slope: Double) -> Double {
    let least = worth(slope: slope) - 2
    var error = 0.25e-6
    while error < 250e-6, max(worth(slope: slope + error), worth(slope: slope - error)) > least {
      error *= 1.5
    }
    return error
  }

  private func worth(slope: Double) -> Double {
    let offset = offset(slope: slope)
    return spells.reduce(prior.worth(slope: slope)) { $0 + $1.likelihood(offset: offset, slope: slope) }
  }

  /// The spell that the best line goes through, and the share of its weight that lies below the line.
  private func best(slope: Double) -> (index: Int, offset: Double, share: Double)? {
    let offsets = spells.map { $0.middle(slope: slope).offset }
    // How fast the likelihood rises with the offset: below all of them, and then behind each.
    var rise = spells.reduce(0) { $0 + 2 / $1.there.spacing }
    for index in offsets.indices.sorted(by: { offsets[$0] < offsets[$1] }) {
      let weight = 2 / spells[index].there.spacing + 2 / spells[index].back.spacing
      if rise <= weight { return (index, offsets[index], rise / weight) }
      rise -= weight
    }
    return nil
  }

  /// How much all of them speak for a larger slope, the best offset given.
  private func pull(slope: Double) -> Double {
    guard let best = best(slope: slope) else { return prior.pull(slope: slope) }
    var sum = prior.pull(slope: slope)
    for (index, spell) in spells.enumerated() {
      let (forth, home) = (1 / spell.there.spacing, 1 / spell.back.spacing)
      let middle = spell.middle(slope: slope).offset
      // Which of its two floors limits the way.
      let share = index == best.index ? best.share : best.offset > middle ? 1 : 0
      let touch = share * -spell.there.touch(slope: slope) + (1 - share) * spell.back.touch(slope: -slope)
      sum += forth * spell.there.centre - home * spell.back.centre + (forth + home) * touch
    }
    return sum
  }
}
