/// What was said between a control point and a device: a session's traffic, in its order.
struct Recording: Sendable, Hashable {
  /// A request and what came of it. An event message is a request of the device, NOTIFY, to the event URL of its service.
  struct Entry: Sendable, Hashable {
    /// Milliseconds since the recording began.
    var time: Int
    var method: String
    /// The URL, absolute.
    var url: String
    var request = Message()
    var outcome = Outcome.answered(status: 200, Message())
  }

  struct Message: Sendable, Hashable {
    /// Names in lower case.
    var fields: [Field] = []
    var body: [UInt8] = []

    func first(_ name: String) -> String? { fields.first { $0.name == name }?.value }
  }

  struct Field: Sendable, Hashable {
    var name: String
    var value: String
  }

  enum Outcome: Sendable, Hashable {
    case answered(status: Int, Message)
    /// One word: `timeout`, `unreachable`.
    case failed(String)
  }

  /// What a reader should know, one line each.
  var notes: [String] = []
  var entries: [Entry] = []

  static let maximumEntries = 10_000
  /// The longest file that is read, in bytes.
  static let maximumBytes = 32 * 1024 * 1024
}
