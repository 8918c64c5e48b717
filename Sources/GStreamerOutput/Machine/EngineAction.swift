import Player

/// What the engine does. The shell carries it out in order.
enum EngineAction {
  /// Make a track. ``ActionResult/made(_:)`` or ``ActionResult/notMade(_:_:)`` follows.
  case make(NewTrack)
  case track(Int, TrackAction)
  case device(DeviceAction)
  case timeline(TimelineAction)
  /// Make the parts of a track that isn't known yet, whose samples are converted to this format.
  case makeSpare(StreamFormat?)
  case dropSpare
  /// Watch for devices, or look again for the servers that can be watched. ``ActionResult/watching(isComplete:)`` follows.
  case watch
  case endWatch
  /// Look for a device in place of the stand-in. ``ActionResult/deviceFound(_:)`` follows.
  case findDevice
  /// Measure how much of this track is buffered; nil: nothing plays.
  case measure(Int?)
  case trimMemory
  case emit(OutputEvent)
  case log(EngineLogLine)
}

/// What is done with a track.
enum TrackAction {
  case run
  /// Do what needs no reading.
  case prepare
  /// It was prepared for nobody, and belongs to this attempt to play now.
  case claim(PlayID)
  /// Keep the pipeline running after an error.
  case carryOn
  /// Give up the samples on their way.
  case cancel
  /// Stop everything. Nothing is heard of the track any more.
  case dispose
  /// Read ahead as much as is configured, at this bit rate.
  case readOn(bitRate: Int)
  /// Seek to this position in nanoseconds. ``ActionResult/sought(_:epoch:isAccepted:)`` follows.
  case seek(to: UInt)
  /// Drop everything before this position.
  case skip(to: UInt)
  /// Hand on what has been collected.
  case flush
  /// The device has gone with the samples in it.
  case loseDevice
  case convert(StreamFormat)
  /// It is Ogg or FLAC of this length in bytes.
  case beginReading(FileLayout, length: Int?)
  case endReading(OggTail.Finding)
  /// Continue reading at this byte, for this seek.
  case goOnReading(at: Int, epoch: Int)
  /// ``ActionResult/serverFaults(_:_:)`` follows.
  case takeServerFaults
}

/// What is done with the device.
enum DeviceAction {
  /// ``ActionResult/opened(_:keepsFormat:)`` or ``ActionResult/notOpened(_:_:)`` follows.
  case open(DeviceKind)
  case close
  /// Play, or wait silently. ``ActionResult/deviceRefused`` follows if it refuses and that is to be reported.
  case run(paused: Bool, reportsRefusal: Bool)
  /// Pause where the sound has faded out.
  case hold
  /// Silence and empty it at once.
  case halt
  /// Drop what hasn't been heard.
  case flush
  /// No samples follow.
  case end
  /// It has reported the end.
  case ended
  /// Fade out and take no more samples.
  case closeEntry
  case openEntry
  case setGain(left: Double, right: Double)
  case restartClock
}

/// What is done with the timeline.
enum TimelineAction {
  /// Only this track may push samples; nil: none may.
  case grant(Int?)
  /// Begin a session of the device at zero.
  case begin(forgetFormat: Bool)
  /// There is no device any more.
  case detach
  case refill
  case endRefilling
  /// The device goes on: let it play silence first, while other rooms listen. ``ActionResult/ledIn(at:_:)`` follows.
  case leadIn
}

/// How to make a track.
struct NewTrack {
  /// What it is made for.
  enum Purpose {
    case start(position: Duration)
    case next
    case preparation
    /// It takes the place of the track with this number, which is another way to the same sound.
    case replacement(of: Int)
  }

  var serial: Int
  var id: PlayID
  var media: Media
  /// The address to read.
  var uri: String
  var rawPCM: RawPCM?
  /// What the samples are converted to; nil for their own format.
  var format: StreamFormat?
  /// What else to try if `uri`, a variant from a track's list, fails; nil if it isn't a variant.
  var variants: [String]?
  var purpose: Purpose
}

/// Which device is opened.
enum DeviceKind {
  case configured
  /// A silent one, since no other is there.
  case standIn(because: String)
}

/// A line of the log.
struct EngineLogLine {
  enum Level { case debug, info, notice, warning }

  var level: Level
  var text: String
  /// The attempt to play that it is about.
  var play: PlayID?
  /// The place in the code: lines are counted by it.
  var file: String
  var line: UInt
}
