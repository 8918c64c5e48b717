/// A message of a stream between a sender and its receivers (Songcast, OHM and OHU). One datagram holds one.
public enum OHMMessage: Hashable, Sendable {
  case join
  case listen
  case leave
  case audio(AudioMessage)
  /// Another track; `metadata` is DIDL-Lite.
  case track(sequence: UInt32, uri: String, metadata: String)
  /// What a live stream plays, in DIDL-Lite; may be empty.
  case metatext(sequence: UInt32, String)
  /// To whom the receiver passes everything on.
  case slaves([IPv4Endpoint])
  /// Frames that are missing, ascending.
  case resend([UInt32])

  static let tag: [UInt8] = Array("Ohm ".utf8)
  /// Longer metadata is cut off; ohPipeline sends less.
  private static let longestText = 5120

  /// Nil for what isn't such a message.
  public init?(_ datagram: ArraySlice<UInt8>) {
    guard let (type, body) = Self.head(datagram, tag: Self.tag) else { return nil }
    var reader = ByteReader(body)
    switch type {
    case 0: self = .join
    case 1: self = .listen
    case 2: self = .leave
    case 3:
      guard let audio = AudioMessage(body) else { return nil }
      self = .audio(audio)
    case 4:
      guard let sequence = reader.uint32(), let uriBytes = reader.uint32(), let bytes = reader.uint32(),
        let uri = reader.take(Int(uriBytes)), let metadata = reader.take(Int(bytes))
      else { return nil }
      self = .track(sequence: sequence, uri: Self.text(uri), metadata: Self.text(metadata))
    case 5:
      guard let sequence = reader.uint32(), let bytes = reader.uint32(), let text = reader.take(Int(bytes))
      else { return nil }
      self = .metatext(sequence: sequence, Self.text(text))
    case 6:
      guard let count = reader.uint32(), Int(count) * 6 <= reader.left else { return nil }
      self = .slaves(
        (0..<count).compactMap { _ in
          guard let address = reader.uint32(), let port = reader.uint16() else { return nil }
          return IPv4Endpoint(address: address, port: port)
        })
    case 7:
      guard let count = reader.uint32(), Int(count) * 4 <= reader.left else { return nil }
      self = .resend((0..<count).compactMap { _ in reader.uint32() })
    default: return nil
    }
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes.prefix(longestText), as: UTF8.self)
  }

  /// Type and body of a message of the family `tag`: version 1, with a length that fits the datagram.
  static func head(_ datagram: ArraySlice<UInt8>, tag: [UInt8]) -> (type: UInt8, body: ArraySlice<UInt8>)? {
    var reader = ByteReader(datagram)
    guard let start = reader.take(4), start.elementsEqual(tag), reader.uint8() == 1,
      let type = reader.uint8(),
      let length = reader.uint16(), length >= 8, let body = reader.take(Int(length) - 8)
    else { return nil }
    return (type, body)
  }

  static func datagram(tag: [UInt8], type: UInt8, _ body: [UInt8] = []) -> [UInt8] {
    var bytes = tag + [1, type]
    bytes.append(number: UInt16(clamping: body.count + 8))
    return bytes + body
  }

  // MARK: What a receiver sends

  public static let joinDatagram = datagram(tag: tag, type: 0)
  public static let listenDatagram = datagram(tag: tag, type: 1)
  public static let leaveDatagram = datagram(tag: tag, type: 2)

  /// Asks for `frames` again.
  public static func resendDatagram(_ frames: [UInt32]) -> [UInt8] {
    var body: [UInt8] = []
    body.append(number: UInt32(clamping: frames.count))
    for frame in frames { body.append(number: frame) }
    return datagram(tag: tag, type: 7, body)
  }

  // MARK: What a sender sends

  /// Names a track. Receivers take at most 1000 bytes of `uri`, and 5000 of `metadata`.
  static func trackDatagram(sequence: UInt32, uri: String, metadata: String) -> [UInt8] {
    var body: [UInt8] = []
    body.append(number: sequence)
    body.append(number: UInt32(clamping: uri.utf8.count))
    body.append(number: UInt32(clamping: metadata.utf8.count))
    body += uri.utf8
    body += metadata.utf8
    return datagram(tag: tag, type: 4, body)
  }

  /// Says what a live stream plays. Receivers take at most 1000 bytes.
  static func metatextDatagram(sequence: UInt32, _ text: String) -> [UInt8] {
    var body: [UInt8] = []
    body.append(number: sequence)
    body.append(number: UInt32(clamping: text.utf8.count))
    body += text.utf8
    return datagram(tag: tag, type: 5, body)
  }
}
