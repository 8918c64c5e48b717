/// What the control thread has to look at later. Nothing is set while nothing plays or all is well.
struct Alarms {
  /// The next track begins to be heard.
  var joint: MonotonicTime?
  /// The sound device is let go.
  var release: MonotonicTime?
  /// What was prepared is given up.
  var preparation: MonotonicTime?
  /// The sound device is tried again.
  var retry: MonotonicTime?
  /// The device refused and said nothing.
  var refusal: MonotonicTime?
  /// The device has had nothing for a moment.
  var starvation: MonotonicTime?
  /// Looks whether a server still sends.
  var watch: MonotonicTime?

  var earliest: MonotonicTime? {
    [joint, release, preparation, retry, refusal, starvation, watch].compactMap(\.self).min()
  }

  /// Clears the alarm at `path` and answers true when it is due.
  mutating func take(_ path: WritableKeyPath<Alarms, MonotonicTime?>, at now: MonotonicTime) -> Bool {
    guard let time = self[keyPath: path], time <= now else { return false }
    self[keyPath: path] = nil
    return true
  }
}
