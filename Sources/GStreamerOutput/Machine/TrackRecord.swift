import Player
import Rooms

/// What the engine knows of a track. The track itself, with its pipeline, is the shell's.
struct TrackRecord {
  let serial: Int
  /// The attempt's ID; a prepared track gets it when it is started.
  var id: PlayID
  let media: Media
  /// The address that is read: that of ``media``, or where a server redirected us.
  let uri: String
  /// The address is on the network.
  let isNetwork: Bool
  /// It is read as raw samples, because the control point or the server's answer says so.
  let isRaw: Bool
  /// Another room sends it.
  let isRoom: Bool
  /// What another room plays, and since when; nil while that is silent or unknown.
  var room: Room?
  /// Variants of its list that remain to be tried, as written there; nil before one has failed.
  var variants: [String]?
  /// The address of that list, to which the variants are relative.
  var listURI: String
  /// How many redirects were followed.
  var redirects = 0
  /// How far it has come.
  var state = TrackState()
  /// What the player has been told of it.
  var reports = TrackReports()
  var information = TrackInformation()
  /// What ``ServerWatch`` has seen of it.
  var seen = ServerWatch.Seen()
  var isSeekable = false
  /// In nanoseconds.
  var duration: UInt?
  /// In nanoseconds, counted instead of guessed; known once all samples have come.
  var exactDuration: UInt?

  /// Where another room was in its track.
  struct Room {
    var position: Duration
    var since: MonotonicTime
  }

  init(_ new: NewTrack) {
    isRoom = SongcastURI(new.uri) != nil
    serial = new.serial
    id = new.id
    media = new.media
    uri = new.uri
    isNetwork = TrackSource.isNetwork(new.uri)
    isRaw = new.rawPCM != nil
    variants = new.variants
    listURI = new.uri
    if isRaw { information.codec = .pcm }
  }

  /// Whether the server's answer may still say that the samples are raw. Its header comes before them, and nothing may
  /// be heard before it has been read.
  var mayTurnOutRaw: Bool { isNetwork && !isRaw && state.format == nil }

  /// The bit rate as far as it is known, or a usual one.
  var bitRate: Int {
    let known = max(information.readRate, information.averageBitRate)
    return known > 0 ? known : ReadAhead.usualBitRate
  }

  /// Where it begins, before any of it is heard.
  var startPosition: Duration { .nanoseconds(Int64(clamping: state.startPosition)) }

  /// Its address, as it may be shown.
  var name: String { redacted(uri: media.uri) }

  /// The address of the part (HLS, DASH) that was asked for last, or its own, as it may be shown.
  var partName: String { information.part.map { redacted(uri: $0) } ?? name }

  /// Whether the server says how long it is.
  func promisesEnd(_ view: (any TrackView)?) -> Bool {
    information.contentLength != nil && view?.isList != true
  }

  /// Whether it isn't a stream that goes on for ever.
  func hasEnd(_ view: (any TrackView)?) -> Bool {
    media.hasEnd(
      duration: duration.map { .nanoseconds(Int64(clamping: $0)) }, isPromised: promisesEnd(view),
      isStation: information.isStation)
  }

  /// It takes the place of `other`, which was another way to the same sound.
  mutating func replace(_ other: TrackRecord) {
    redirects = other.redirects
    variants = variants ?? other.variants
    if variants != nil { listURI = other.listURI }
    state.replace(other.state)
  }

  /// Asks the stream for duration and seekability.
  mutating func inquire(_ view: any TrackView) {
    if let exactDuration {
      duration = exactDuration
    } else if case .known(let length) = view.length {
      duration = length
    }
    // A length from a tag at the beginning is that of the first file that the station plays.
    if information.isStation { duration = nil }
    inquireAverage(view)
    // GStreamer would notice only when the seek fails.
    let refuses = isNetwork && (state.isRangeRefused || !information.acceptsRanges)
    isSeekable = !refuses && view.isStreamSeekable
  }

  /// Computes the bit rate from the file's length, if the file contains the sound and nothing else.
  private mutating func inquireAverage(_ view: any TrackView) {
    guard information.averageBitRate == 0, let duration, duration > 0, let bytes = view.fileLength else {
      return
    }
    let rate = Double(bytes) * 8 * 1_000_000_000 / Double(duration)
    information.averageBitRate = Int(min(rate, 1_000_000_000))
  }
}
