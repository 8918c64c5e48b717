/// When the samples of a run are heard in the sender's room, by the time that the sender tells. Pure.
public struct RoomTiming: Sendable {
  /// A sample by its place, and when it is heard there (room time).
  private let place: Int64
  private let heard: Int64
  /// Samples per second of room time.
  private let rate: Double
  private let nominal: Double
  private let clock: RoomClock

  /// - Parameters:
  ///   - place: of the first sample of the anchor's frame.
  ///   - heard: when that is heard in the sender's room (room time).
  ///   - rate: samples per second as the stream says.
  ///   - deviation: of the sender's device from room time, in billionths.
  init(place: Int64, heard: Int64, rate: Int, deviation: Int32, clock: RoomClock) {
    self.place = place
    self.heard = heard
    nominal = Double(rate)
    self.rate = Double(rate) * (1 + Double(max(-1_000_000, min(deviation, 1_000_000))) / 1e9)
    self.clock = clock
  }

  /// How much faster the samples pass than `rate` of the stream says, by this host's clock; 1: as fast.
  var pace: Double { rate / nominal * (1 + clock.rate) }

  /// `value`, limited to three years in nanoseconds: strangers say where a sample is, and when it is heard.
  static func whole(_ value: Double) -> Int64 {
    value.isFinite ? Int64(min(max(value, -1e17), 1e17)) : 0
  }

  /// When the sample at `place` is heard there, by this host's monotonic clock.
  func due(_ place: Int64) -> Int64 {
    clock.local(room: heard &+ Self.whole(Double(place &- self.place) / rate * 1e9))
  }

  /// The sample that is heard there at `time`, with its fraction.
  func place(dueAt time: Int64) -> Double {
    Double(place) + Double(clock.room(local: time) &- heard) * rate / 1e9
  }
}
