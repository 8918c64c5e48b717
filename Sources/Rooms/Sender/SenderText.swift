/// What a sender says that it plays, in sizes that every receiver takes.
struct SenderText: Sendable {
  /// A message with more doesn't fit into one frame of Ethernet.
  static let mostTrackBytes = 1400 - 20
  static let mostURIBytes = 1000
  static let mostMetatextBytes = 1000

  private var trackSequence: UInt32
  private var uri = ""
  private var metadata = ""
  private var textSequence: UInt32 = 0
  private(set) var text = ""

  /// - Parameter sequence: of the track that isn't there yet.
  init(sequence: UInt32) { trackSequence = sequence }

  /// Part of a document is worse than none, so what is too long is left out; rather the address than the metadata.
  mutating func setTrack(uri: String, metadata: String) {
    let fits = metadata.utf8.count <= Self.mostTrackBytes
    self.metadata = fits ? metadata : ""
    let room = min(Self.mostURIBytes, Self.mostTrackBytes - self.metadata.utf8.count)
    self.uri = uri.utf8.count <= room ? uri : ""
    trackSequence &+= 1
    (textSequence, text) = (0, "")
  }

  /// Returns whether it is another text. A text that is too long counts as none.
  mutating func setText(_ text: String) -> Bool {
    let text = text.utf8.count <= Self.mostMetatextBytes ? text : ""
    guard text != self.text else { return false }
    self.text = text
    textSequence &+= 1
    return true
  }

  var trackDatagram: [UInt8] {
    OHMMessage.trackDatagram(sequence: trackSequence, uri: uri, metadata: metadata)
  }

  var textDatagram: [UInt8] { OHMMessage.metatextDatagram(sequence: textSequence, text) }
}
