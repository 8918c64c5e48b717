import CGStreamer

/// What the streaming threads tell the control thread.
///
/// A notice that depends on the position in a track carries the number of its seeks (`epoch`). Without it, a notice
/// from before a seek that is read after it would be taken to be about the new samples.
enum PipelineEvent: Sendable {
  /// The first samples of a track (or the first after a seek) are decoded and wait for their turn.
  case ready(Int, epoch: Int, StreamFormat)
  /// A track's first samples since its start or last seek went into the device: they are heard at `running` time, and
  /// their position in the track is `media` (nanoseconds).
  case joined(Int, epoch: Int, running: guint64, media: guint64)
  /// All samples of a track went into the device.
  case finished(Int, epoch: Int)
  /// The source has read all of a track.
  case sourceEnded(Int)
  /// A track's file has been demuxed, and there is no audio in it.
  case soundless(Int)
  /// A track's file is a list of addresses, which a local file may not be.
  case list(Int)
  /// What the decoder is given.
  case encoded(Int, CodecDetails)
  /// It is Ogg or FLAC, with this layout.
  case layout(Int, FileLayout)
  /// A seek in such a file must continue reading at this byte offset.
  case readOn(Int, epoch: Int, at: Int)
  /// What the end of an Ogg file tells.
  case oggEnd(Int, OggTail.Finding)
  /// What a track that another room sends has found out.
  case room(Int, RoomNotice)
  /// The device has taken all samples.
  case starved
  /// The first samples after ``starved``.
  case fed
  /// The sound has faded out: the last samples are in the device, but not heard yet.
  case silenced
  /// The file of the `file:` output can't be written.
  case writeFailed(String)
  /// A sound device or its server may have appeared.
  case deviceMayHaveAppeared

  /// Whether this later notice makes `earlier` obsolete.
  func replaces(_ earlier: PipelineEvent) -> Bool {
    switch (earlier, self) {
    case (.starved, .starved), (.starved, .fed), (.fed, .starved), (.fed, .fed),
      (.deviceMayHaveAppeared, .deviceMayHaveAppeared),
      (.silenced, .silenced):
      true
    // Files can cause these as often as they like.
    case (.encoded(let serial, _), .encoded(let other, _)), (.soundless(let serial), .soundless(let other)),
      (.list(let serial), .list(let other)), (.sourceEnded(let serial), .sourceEnded(let other)):
      serial == other
    default: false
    }
  }
}
