/// When the control thread has something to do. No alarm is set while nothing plays or all is well.
struct EngineDeadlines {
  /// The next track starts to be heard.
  var joint: MonotonicTime?
  /// The sound has faded out.
  var silence: MonotonicTime?
  /// The next track is opened.
  var opening: MonotonicTime?
  /// The sound device is released.
  var release: MonotonicTime?
  /// The prepared track is dropped.
  var preparation: MonotonicTime?
  /// The spare parts for the next track are made.
  var spare: MonotonicTime?
  /// The sound device is retried.
  var retry: MonotonicTime?
  /// The wait for the sound device ends.
  var patience: MonotonicTime?
  /// The device refused and hasn't said why.
  var refusal: MonotonicTime?
  /// The device has had no samples for a moment.
  var starvation: MonotonicTime?
  /// The server is checked: does it still send?
  var watch: MonotonicTime?

  var earliest: MonotonicTime? {
    let all = [
      joint, silence, opening, release, preparation, spare, retry, patience, refusal, starvation, watch,
    ]
    return all.compactMap(\.self).min()
  }

  /// Clears the alarm at `path` and returns true if it is due.
  mutating func take(_ path: WritableKeyPath<EngineDeadlines, MonotonicTime?>, at now: MonotonicTime) -> Bool
  {
    guard let time = self[keyPath: path], time <= now else { return false }
    self[keyPath: path] = nil
    return true
  }
}
