/// The receiver source: plays what another room sends (OpenHome Receiver:1, Songcast). Doesn't know the transport.
public struct Receiver: Sendable, Equatable {
  /// What SetSender was given, as it was given; nil for none.
  public internal(set) var sender: Media?
  /// What the sender says that it plays; nil until it says so.
  public private(set) var streamTrack: Media?
  /// What the sender's live stream says that it plays, as DIDL-Lite; empty for nothing.
  public private(set) var streamText = ""
  /// Number of tracks that the sender has named.
  private var streamTracks: UInt32 = 0
  /// It listened when the state was saved, and the daemon hasn't asked for its resumption yet.
  var awaitsResumption = false

  /// The saved sender.
  init(sender: Media? = nil, listened: Bool = false) {
    self.sender = sender
    awaitsResumption = listened && sender != nil
  }

  /// Sets the sender and returns true when its address is new.
  mutating func choose(_ media: Media) -> Bool {
    let isOther = media.uri != sender?.uri ?? ""
    sender = media.uri.isEmpty ? nil : media
    if isOther { forgetStream() }
    return isOther
  }

  /// Nothing is known of what the sender plays.
  mutating func forgetStream() {
    streamTrack = nil
    streamText = ""
  }
}

extension Receiver: PlayerSource {
  var track: Media? { streamTrack ?? sender }
  var trackID: UInt32 { streamTracks }
  var cue: Cue { sender.map { .track($0) } ?? .nothing }
  var isAlwaysLive: Bool { true }

  /// The address was checked when it was set, and leads to no server.
  func allows(_ media: Media, by policy: URIPolicy) -> Bool { true }

  func save(in saved: inout SavedPlayer) { saved.sender = sender }

  mutating func streamTrackChanged(_ media: Media) {
    streamTrack = media
    streamText = ""
    streamTracks &+= 1
  }

  mutating func streamTextChanged(_ text: String) { streamText = text }

  static func left(_ transition: inout Transition) { transition.receiverLeft() }

  static func play(_ transition: inout Transition) throws(PlayerError) {
    transition.perform(ReceiverCommand.play)
  }

  static func stop(_ transition: inout Transition) { transition.stopReceiver() }
}
