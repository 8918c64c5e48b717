import ControlPoint
import JSON
import Network

/// What a Vireo knows of how well the rooms of its group keep time.
package struct RoomReports: Sendable, Hashable {
  /// What a listener says of itself.
  package struct Figures: Sendable, Hashable {
    package enum State: String, Sendable, Hashable {
      case joining, ready, playing, silent
    }

    /// The listener's; nil for the room itself.
    package var address: IPAddress?
    package var state: State?
    /// How far it is from where it should be, in microseconds: above 0 it is early. As the others, nil if it isn't known.
    package var offset: Int?
    /// 95 of 100 times it is nearer than that, in microseconds.
    package var p95: Int?
    /// How much faster its device is made to play, in billionths.
    package var rate: Int?
    /// How much of what was sent has got lost lately, in thousandths.
    package var loss: Int?
    /// How much sound it has in store, in microseconds.
    package var buffer: Int?
    /// Packets that were never heard, since it joined.
    package var lost: Int?
    /// Packets that came when they were asked for again.
    package var repaired: Int?
    /// How long ago it said so, in seconds.
    package var seen: Double?

    package init() {}
  }

  /// More listeners aren't read.
  private static let most = 64
  static let limits = JSONLimits(bytes: 64 * 1024, depth: 5, values: 4000)

  package var isSending = false
  package var listeners: [Figures] = []
  /// Of the room itself, while it listens to another one.
  package var listening: Figures?

  package init() {}

  /// Reads the answer of `/api/v1/rooms/reports`; nil if it isn't one.
  package init?(reading text: [UInt8]) {
    guard let json = try? JSONValue(reading: text, limits: Self.limits), case .object = json else {
      return nil
    }
    isSending = json["sending"] == .boolean(true)
    if case .array(let values)? = json["listeners"] {
      listeners = values.prefix(Self.most).compactMap { Figures($0) }
    }
    listening = json["listening"].flatMap { Figures($0) }
  }
}

extension RoomReports.Figures {
  fileprivate init?(_ json: JSONValue) {
    guard case .object = json else { return nil }
    func text(_ name: String) -> String? { if case .string(let text)? = json[name] { text } else { nil } }
    func number(_ name: String) -> Int? {
      guard case .number(let value)? = json[name], abs(value) < 1e15 else { return nil }
      return Int(value.rounded())
    }
    address = text("address").flatMap { IPAddress($0) }
    state = text("state").flatMap { State(rawValue: $0) }
    (offset, p95, rate) = (number("offset"), number("p95"), number("rate"))
    (loss, buffer) = (number("loss"), number("buffer"))
    (lost, repaired) = (number("lost"), number("repaired"))
    if case .number(let value)? = json["seen"], value.isFinite, value >= 0 { seen = value }
  }
}

extension RemoteRenderer {
  private static let reportsTime = Duration.seconds(3)

  /// Asks a Vireo how well the rooms of its group keep time.
  ///
  /// - Throws: `status` 404 from anything else, or from a Vireo that is too old.
  package func roomReports() async throws(RendererFailure) -> RoomReports {
    guard let location = location(.product) else { throw .lacks(.product) }
    var address = location.control
    address.target = "/api/v1/rooms/reports"
    return try await attempt { () async throws(ActionFailure) in
      let response = try await controlPoint.exchange.exchange(
        ExchangeRequest("GET"), to: address, deadline: Self.reportsTime, limit: RoomReports.limits.bytes)
      guard response.status == 200 else { throw .status(response.status) }
      guard let reports = RoomReports(reading: Array(response.body.readableBytesView)) else {
        throw .malformed
      }
      return reports
    }
  }
}
