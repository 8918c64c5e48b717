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

  /// Makes the frame at `fraction` (0..<1) behind the frame `index` of `input`.
  ///
  /// - Parameters:
  ///   - input: one channel behind the other. ``taps`` / 2 frames before and behind `index` must be there.
  ///   - output: gets a value of each channel.
  static func make(
    _ input: UnsafeMutableBufferPointer<Float>, channels: Int, index: Int, fraction: Double,
    into output: UnsafeMutablePointer<Float>
  ) {
    let frames = input.count / channels
    let first = index - taps / 2 + 1
    guard first >= 0, first + taps <= frames else { return }
    let place = fraction * Double(phases)
    let phase = min(Int(place), phases - 1)
    let part = Float(place - Double(phase))
    guard let base = input.baseAddress else { return }
    table.withUnsafeBufferPointer { table in
      guard let row = table.baseAddress.map({ $0 + phase * taps }) else { return }
      for channel in 0..<channels {
        let samples = base + (channel * frames + first)
        // Four sums that don't wait for each other: this is most of what a listening room computes.
        var sums: (Float, Float, Float, Float) = (0, 0, 0, 0)
        var tap = 0
        while tap < taps {
          let (now, next) = (row + tap, row + (taps + tap))
          let values = samples + tap
          sums.0 += (now[0] + part * (next[0] - now[0])) * values[0]
          sums.1 += (now[1] + part * (next[1] - now[1])) * values[1]
          sums.2 += (now[2] + part * (next[2] - now[2])) * values[2]
          sums.3 += (now[3] + part * (next[3] - now[3])) * values[3]
          tap += 4
        }
        output[channel] = (sums.0 + sums.2) + (sums.1 + sums.3)
      }
    }
  }
}
