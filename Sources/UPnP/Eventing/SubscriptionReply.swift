import HTTP
import Text

/// What a device grants in its answer to a SUBSCRIBE.
public struct SubscriptionReply: Sendable, Hashable {
  /// The longest subscription identifier that is read, in bytes.
  public static let maximumSIDLength = 256

  /// The subscription's identifier as written; nil when the answer names none, as some do to a renewal.
  public var sid: String?
  /// The seconds until the subscription ends unless it is renewed; nil for no end, and when the answer doesn't say.
  public var seconds: Int?

  public init(sid: String?, seconds: Int?) {
    self.sid = sid
    self.seconds = seconds
  }

  /// Reads the header fields of an answer with status 200.
  public init(fields: HeaderFields) {
    sid = fields.first("sid").flatMap(Self.sid)
    seconds = fields.first("timeout").flatMap(Self.seconds)
  }

  /// The header fields of this answer.
  public var fields: [HTTPField] {
    (sid.map { [HTTPField("SID", $0)] } ?? [])
      + [HTTPField("TIMEOUT", "Second-\(seconds.map(String.init) ?? "infinite")")]
  }

  /// Returns the identifier in a SID field; nil for what can't be sent back in one.
  static func sid(_ text: String) -> String? {
    let sid = text.trimmingASCIISpace
    let isPlain = sid.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    return isPlain && (1...maximumSIDLength).contains(sid.utf8.count) ? sid : nil
  }

  /// Returns 300 for `Second-300`; some devices leave out `Second-`.
  private static func seconds(_ text: String) -> Int? {
    let text = text.trimmingASCIISpace.lowercased()
    let digits = text.hasPrefix("second-") ? text.dropFirst(7) : text[...]
    guard (1...9).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return Int(digits)
  }
}
