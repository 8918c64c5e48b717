import Glibc

/// Values between samples: a windowed sinc, at 256 places between two samples and linear between those.
///
/// Its stop band is below -90 dB from 0.55 of the sampling rate on; music up to 0.87 of half the rate passes unchanged.
enum FractionalDelay {
  /// Samples that one value is made of; half of them come before it.
  static let taps = 48
  private static let phases = 256

  /// Made on first use, 49 kB. The last row is the first one, a sample later.
  private static let table: [Float] = {
    let beta = 9.0
    var table: [Float] = []
    table.reserveCapacity((phases + 1) * taps)
    for phase in 0...phases {
      let shift = Double(phase) / Double(phases)
      let row = (0..<taps).map { tap in
        let x = Double(tap - taps / 2 + 1) - shift
        let sinc = x == 0 ? 1 : sin(.pi * x) / (.pi * x)
        let inside = 2 * x / Double(taps)
        let window = abs(inside) < 1 ? bessel(beta * (1 - inside * inside).squareRoot()) / bessel(beta) : 0
        return sinc * window
      }
      let sum = row.reduce(0, +)
      table.append(contentsOf: row.map { Float($0 / sum) })
    }
    return table
  }()

  /// The modified Bessel function of order zero.
  private static func bessel(_ x: Double) -> Double {
    var (sum, term, index) = (1.0, 1.0, 1.0)
    while term > sum * 1e-12 {
      term *= (x / (2 * index)) * (x / (2 * index))
      sum += term
      index += 1
    }
    return sum
  }

  /// Makes the frame at `fraction` (0..<1) behind the frame `index` of `input`, which must hold ``taps`` / 2 frames before
  /// and behind it.
  static func make(
    _ input: UnsafeMutableBufferPointer<Float>, channels: Int, index: Int, fraction: Double,
    into output: UnsafeMutablePointer<Float>
  ) {
    let place = fraction * Double(phases)
    let phase = Int(place)
    let part = Float(place - Double(phase))
    table.withUnsafeBufferPointer { table in
      let (row, next) = (phase * taps, (phase + 1) * taps)
      for channel in 0..<channels {
        var value: Float = 0
        var source = (index - taps / 2 + 1) * channels + channel
        for tap in 0..<taps {
          let weight = table[row + tap] + part * (table[next + tap] - table[row + tap])
          value += weight * input[source]
          source += channels
        }
        output[channel] = value
      }
    }
  }
}
