/// A question for the room time: 64 bytes by UDP, to port 51973 of the host. The answer has the same length, so that nobody
/// gets more sent to another than he sends himself.
public struct RoomTimeRequest: Equatable, Sendable {
  /// The port on the host's address.
  public static let port: UInt16 = 51973

  /// Chosen at random; the answer repeats it.
  public var nonce: UInt64
  /// How the one who asks is doing.
  public var report: RoomReport

  public init(nonce: UInt64, report: RoomReport = RoomReport()) {
    (self.nonce, self.report) = (nonce, report)
  }

  /// Nil for anything else than such a message.
  public init?(_ datagram: ArraySlice<UInt8>) {
    guard var reader = RoomTimeHead.read(datagram, type: RoomTimeHead.request), let nonce = reader.uint64(),
      let state = reader.uint8().flatMap(RoomReport.State.init), reader.uint8() != nil,
      let loss = reader.uint16(), let error = reader.uint32(), let p95 = reader.uint32(),
      let correction = reader.uint32(), let halfWidth = reader.uint32(), let lost = reader.uint32(),
      let repaired = reader.uint32(), let buffered = reader.uint32()
    else { return nil }
    self.nonce = nonce
    report = RoomReport(
      state: state, loss: loss, error: Int32(bitPattern: error), p95: Int32(bitPattern: p95),
      rateCorrection: Int32(bitPattern: correction), halfWidth: halfWidth, lost: lost, repaired: repaired,
      buffered: buffered)
  }

  public var bytes: [UInt8] {
    var bytes = RoomTimeHead.bytes(type: RoomTimeHead.request, nonce: nonce)
    bytes += [report.state.rawValue, 0]
    bytes.append(number: report.loss)
    bytes.append(number: report.error)
    bytes.append(number: report.p95)
    bytes.append(number: report.rateCorrection)
    bytes.append(number: report.halfWidth)
    bytes.append(number: report.lost)
    bytes.append(number: report.repaired)
    bytes.append(number: report.buffered)
    return RoomTimeHead.filled(bytes)
  }
}

/// The host's answer to a ``RoomTimeRequest``.
public struct RoomTimeReply: Equatable, Sendable {
  private static let measured: UInt16 = 1
  private static let paused: UInt16 = 2

  /// That of the question.
  public var nonce: UInt64
  /// When the question came, in nanoseconds of the room time, not negative.
  public var t2: Int64
  /// When the answer went, in nanoseconds of the room time, not negative.
  public var t3: Int64
  public var anchor: RoomAnchor

  public init(nonce: UInt64, t2: Int64, t3: Int64, anchor: RoomAnchor) {
    (self.nonce, self.t2, self.t3, self.anchor) = (nonce, t2, t3, anchor)
  }

  /// Nil for anything else than such a message.
  public init?(_ datagram: ArraySlice<UInt8>) {
    guard var reader = RoomTimeHead.read(datagram, type: RoomTimeHead.reply), let nonce = reader.uint64(),
      let t2 = reader.uint64().flatMap(Int64.init(exactly:)),
      let t3 = reader.uint64().flatMap(Int64.init(exactly:)),
      let epoch = reader.uint32(), let frame = reader.uint32(),
      let heard = reader.uint64().flatMap(Int64.init(exactly:)), let rate = reader.uint32(),
      let httpPort = reader.uint16(), let flags = reader.uint16()
    else { return nil }
    (self.nonce, self.t2, self.t3) = (nonce, t2, t3)
    anchor = RoomAnchor(
      epoch: epoch, frame: frame, heard: heard == 0 ? nil : heard, rate: Int32(bitPattern: rate),
      isMeasured: flags & Self.measured != 0, isPaused: flags & Self.paused != 0, httpPort: httpPort)
  }

  public var bytes: [UInt8] {
    var bytes = RoomTimeHead.bytes(type: RoomTimeHead.reply, nonce: nonce)
    bytes.append(number: t2)
    bytes.append(number: t3)
    bytes.append(number: anchor.epoch)
    bytes.append(number: anchor.frame)
    bytes.append(number: anchor.heard ?? 0)
    bytes.append(number: anchor.rate)
    bytes.append(number: anchor.httpPort)
    bytes.append(number: (anchor.isMeasured ? Self.measured : 0) | (anchor.isPaused ? Self.paused : 0))
    return RoomTimeHead.filled(bytes)
  }
}

/// What both messages begin with: a name, a version, a type and the length.
private enum RoomTimeHead {
  static let request: UInt8 = 1
  static let reply: UInt8 = 2
  private static let length = 64
  private static let tag = Array("VRm1".utf8)
  private static let version: UInt8 = 1

  /// Reads the head; nil if it is another, or the datagram isn't 64 bytes long. What the rest of it holds beyond the
  /// fields isn't looked at.
  static func read(_ datagram: ArraySlice<UInt8>, type: UInt8) -> ByteReader? {
    var reader = ByteReader(datagram)
    guard datagram.count == length, let start = reader.take(4), start.elementsEqual(tag),
      reader.uint8() == version, reader.uint8() == type, reader.uint16() == UInt16(length)
    else { return nil }
    return reader
  }

  static func bytes(type: UInt8, nonce: UInt64) -> [UInt8] {
    var bytes = tag + [version, type]
    bytes.reserveCapacity(length)
    bytes.append(number: UInt16(length))
    bytes.append(number: nonce)
    return bytes
  }

  /// Zeroes up to the full length.
  static func filled(_ bytes: [UInt8]) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: max(0, length - bytes.count))
  }
}
