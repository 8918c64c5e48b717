import Player

/// What changes by itself and is asked at the moment of a decision. Only questions: asking changes nothing.
protocol EngineWorld: AnyObject {
  /// Nil while no device is open.
  var openDevice: (any DeviceView)? { get }
  /// How much has gone to the device.
  var fill: DeviceFill { get }
  /// Parts for a track that isn't known yet exist.
  var hasSpare: Bool { get }
  /// What the samples of those parts are converted to; nil for their own format.
  var spareFormat: StreamFormat? { get }
  /// Other rooms listen to what is played.
  var isSending: Bool { get }
  /// Nil if no such track exists.
  func view(_ serial: Int) -> (any TrackView)?
}

/// What the open device can be asked.
protocol DeviceView {
  /// Running time of what is heard now, in nanoseconds.
  var runningTime: UInt { get }
  var isPlaying: Bool { get }
  /// Running time at which the sound has faded out; nil until all of that is in the device.
  var silence: UInt? { get }
  /// The format that the sink has been given; nil before the first samples.
  var delivered: StreamFormat? { get }
  /// Whether it is a sound server's dummy, which nobody hears.
  var isDummy: Bool { get }
  var target: SoundPath.Target { get }
  var sinkName: String { get }
}

/// What a track can be asked.
protocol TrackView {
  /// Bytes that the source has put out so far.
  var progress: Int { get }
  /// The source has put out everything.
  var isSourceComplete: Bool { get }
  /// A seek is under way.
  var isFlushing: Bool { get }
  /// Where the samples that have come end, in nanoseconds; nil while there are none.
  var reached: UInt? { get }
  /// ReplayGain changes the samples.
  var changesLoudness: Bool { get }
  var decodedFormat: StreamFormat? { get }
  /// Its address leads to a list of parts (HLS, DASH).
  var isList: Bool { get }
  /// Variants of the list at its address, as written there.
  var listedVariants: [String] { get }
  /// A part of it has been requested, and no answer has come.
  var awaitsAnswer: Bool { get }
  /// The end of its file has been requested: what seeking needs comes soon.
  var awaitsEnd: Bool { get }
  var length: StreamLength { get }
  /// Whether the stream says that it can be sought.
  var isStreamSeekable: Bool { get }
  /// Bytes of the file; nil unless it contains the sound and nothing else.
  var fileLength: Int? { get }
  /// Whether it comes to `position` (nanoseconds) only when it is read anew.
  func mustBeginAnew(for position: UInt) -> Bool
}

/// How long a stream says it is.
enum StreamLength {
  /// It doesn't say: what it said before holds.
  case unanswered
  /// In nanoseconds; nil: it can't be known.
  case known(UInt?)
}
