/// What only controllers of the Sonos class know of the player: how they named what plays, and settings that no other protocol
/// has.
public struct Zone: Sendable, Equatable {
  /// How a controller named the single track or station that it chose.
  struct Name: Sendable, Hashable {
    /// The address and the metadata as it sent them.
    var sent: Media
    /// What is played for it.
    var played: Media
  }

  /// Settings that are stored, and read back as they were set.
  public internal(set) var settings: ZoneSettings
  /// What filled the queue, as a controller named it; nil when nobody named anything, and when none of it is left.
  public internal(set) var filler: Media?
  var name: Name?
  var nextName: Name?
  /// Stops what plays after a time that a controller has set.
  public internal(set) var sleep = SleepTimer()
  var ramp: VolumeRamp?

  init(settings: ZoneSettings = ZoneSettings()) { self.settings = settings }
}

/// Settings of a zone that have no effect on the sound.
public struct ZoneSettings: Sendable, Hashable {
  /// Steps of bass and treble.
  public static let toneRange = -10...10

  /// -10...10
  public var bass = 0
  /// -10...10
  public var treble = 0
  /// Whether loudness is switched on.
  public var hasLoudness = true
  /// Whether tracks are to fade into each other.
  public var crossfades = false
  /// The numbers of favourites by the ids of their pins, where these differ: a pin with other texts has another id, but a
  /// favourite keeps its number.
  public var favourites: [UInt32: UInt32] = [:]

  public init() {}
}

extension PlayerState {
  /// The track or station that plays, or would play, as the controller named it: nil for the queue, and for what nobody named.
  public var zoneMedia: Media? {
    guard let media = zoneChosen else { return nil }
    return zone.name?.played.uri == media.uri ? zone.name?.sent : nil
  }

  /// The track or station that was chosen instead of the queue: a cast, a station, or what another room sends.
  public var zoneChosen: Media? {
    switch activeSource {
    case .playlist: nil
    case .upnpAV: av.media
    case .radio: radio.channel
    case .receiver: currentTrack
    }
  }

  /// What follows a single track, as the controller named it.
  public var zoneNext: Media? {
    guard activeSource == .upnpAV, let media = av.nextMedia else { return nil }
    return zone.nextName?.played.uri == media.uri ? zone.nextName?.sent : media
  }

  /// Place of the current track in the queue, from 1; 0 for an empty queue.
  public var zoneTrackNumber: Int {
    guard activeSource == .playlist else { return zoneChosen == nil ? 0 : 1 }
    return playlist.tracks.index(of: playlist.currentID).map { $0 + 1 } ?? 0
  }

  /// The number by which controllers know a pin.
  public func favouriteNumber(of pin: UInt32) -> UInt32 { zone.settings.favourites[pin] ?? pin }

  /// How long the sleep timer still runs; nil when it is off.
  public func sleepRemaining(at now: PlayerInstant) -> Duration? {
    zone.sleep.end.map { max(.zero, $0.duration(since: now)) }
  }
}
