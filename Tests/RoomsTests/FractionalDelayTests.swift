import Glibc
import Testing

@testable import Rooms

/// Values between samples.
@Suite struct FractionalDelayTests {
  private static let channels = 2
  private static let frames = 400

  /// The values at the places `from`, `from` + `step` …, of two channels.
  private static func made(
    of sample: (_ place: Double, _ channel: Int) -> Double, from start: Double, step: Double, count: Int
  ) -> [[Float]] {
    var input = (0..<channels).flatMap { channel in
      (0..<frames).map { Float(sample(Double($0), channel)) }
    }
    return input.withUnsafeMutableBufferPointer { input in
      (0..<count).map { number in
        let place = start + Double(number) * step
        var output = [Float](repeating: 0, count: channels)
        FractionalDelay.make(
          input, channels: channels, index: Int(place), fraction: place - place.rounded(.down),
          into: &output)
        return output
      }
    }
  }

  /// The size of the error against the signal, in decibels; each channel has a tone of its own.
  @Test(arguments: [200.0, 1000, 10_000, 17_000]) func tonesStayWhatTheyAre(_ frequency: Double) {
    func tone(_ place: Double, _ channel: Int) -> Double {
      sin(2 * .pi * frequency * place / 44100 + Double(channel))
    }
    var (error, signal) = (0.0, 0.0)
    for (number, values) in Self.made(of: tone, from: 50.3, step: 1.00007, count: 300).enumerated() {
      for channel in 0..<Self.channels {
        let wanted = tone(50.3 + Double(number) * 1.00007, channel)
        error += (Double(values[channel]) - wanted) * (Double(values[channel]) - wanted)
        signal += wanted * wanted
      }
    }
    #expect(10 * log10(error / signal) < -90)
  }

  /// The centre of an impulse, to a hundredth of a frame.
  @Test(arguments: [0.0, 0.1, 0.25, 0.5, 0.777, 0.999]) func anImpulseStaysInPlace(_ fraction: Double) {
    let values = Self.made(
      of: { place, channel in place == 200 && channel == 1 ? 1 : 0 }, from: 150 + fraction, step: 1,
      count: 100)
    let weight = values.reduce(0) { $0 + Double($1[1]) }
    let centre = values.enumerated().reduce(0) { $0 + Double($1.offset) * Double($1.element[1]) } / weight
    #expect(abs(centre + 150 + fraction - 200) < 0.01)
    #expect(values.allSatisfy { $0[0] == 0 }, "the other channel is silent")
  }

  @Test func atWholePlacesTheSamplesAreUnchanged() {
    let values = Self.made(of: { place, _ in place / 1000 }, from: 100, step: 1, count: 100)
    for (number, frame) in values.enumerated() {
      #expect(abs(Double(frame[0]) - Double(100 + number) / 1000) < 1e-6)
    }
  }
}
