import CGStreamer

/// What the streaming threads tell the control thread.
///
/// What depends on where a track stands names how many seeks it has had (`epoch`): said before a seek and read after it,
/// it would be taken for news of the samples that follow.
enum Notice: Sendable {
  /// The first samples of a track (or the first after a seek) are here and wait for their turn.
  case ready(Int, epoch: Int, StreamFormat)
  /// A track's first samples since its start or last seek went into the device: they are heard at `running` and
  /// stand at `media` in the track (nanoseconds).
  case joined(Int, epoch: Int, running: guint64, media: guint64)
  /// All samples of a track went into the device.
  case finished(Int, epoch: Int)
  /// A track's file has been taken apart, and there is no sound in it.
  case soundless(Int)
  /// What the decoder was given.
  case encoded(Int, CodecDetails)
  /// The device has taken everything there was.
  case starved
  /// The first samples after ``starved``.
  case fed
  /// The file of the `file:` output can't be written.
  case writeFailed(String)

  /// Whether only this one counts of the two, when it came later.
  func replaces(_ earlier: Notice) -> Bool {
    switch (earlier, self) {
    case (.starved, .starved), (.starved, .fed), (.fed, .starved), (.fed, .fed): true
    // Said by files, as often as they like.
    case (.encoded(let serial, _), .encoded(let other, _)), (.soundless(let serial), .soundless(let other)):
      serial == other
    default: false
    }
  }
}
