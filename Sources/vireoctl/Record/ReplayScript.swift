/// What a recorded device answers: for each request the answers in the order of the recording, the last one again and again.
struct ReplayScript: Sendable {
  struct Event: Sendable, Hashable {
    /// Milliseconds after the one before.
    var pause: Int
    var body: [UInt8]
  }

  private struct Request: Hashable {
    var method: String
    var target: String
    /// The SOAPACTION, without its quotation marks; empty for none.
    var action: String
  }

  /// The longest pause between two events, in milliseconds.
  static let longestPause = 5000

  private var answers: [Request: [Recording.Outcome]] = [:]
  private var events: [String: [Event]] = [:]
  private var methods: [String: Set<String>] = [:]
  /// The TIMEOUT that was granted last.
  private var granted: [String: String] = [:]
  /// The target of the first description.
  let start: String?

  /// - Parameter base: where the device will be, `http://127.0.0.1:49152`; it replaces the places in the recording.
  init(_ recording: Recording, base: String) {
    let origins = Set(recording.entries.compactMap { Self.origin($0.url) })
    let rewritten: ([UInt8]) -> [UInt8] = { body in
      origins.reduce(body) { Self.replacing(Array($1.utf8), by: Array(base.utf8), in: $0) }
    }
    var last: [String: Int] = [:]
    start = recording.entries.first { $0.method == "GET" }.map { Self.target($0.url) }
    for entry in recording.entries {
      let target = Self.target(entry.url)
      guard entry.method != "NOTIFY" else {
        let pause = min(max(entry.time - (last[target] ?? entry.time), 0), Self.longestPause)
        last[target] = entry.time
        events[target, default: []].append(Event(pause: pause, body: rewritten(entry.request.body)))
        methods[Self.path(target), default: []].formUnion(["SUBSCRIBE", "UNSUBSCRIBE"])
        continue
      }
      methods[Self.path(target), default: []].insert(entry.method)
      if entry.method == "SUBSCRIBE", case .answered(200, let message) = entry.outcome {
        granted[target] = message.first("timeout")
      }
      let action = Self.unquoted(entry.request.first("soapaction") ?? "")
      var outcome = entry.outcome
      if case .answered(let status, var message) = outcome {
        message.body = rewritten(message.body)
        outcome = .answered(status: status, message)
      }
      answers[Request(method: entry.method, target: target, action: action), default: []].append(outcome)
    }
  }

  /// The methods that were used at a path.
  func methods(at path: String) -> Set<String> { methods[path] ?? [] }

  private static func path(_ target: String) -> String { String(target.prefix { $0 != "?" }) }

  /// The next answer; nil when nothing of the kind was recorded.
  mutating func answer(_ method: String, _ target: String, action: String = "") -> Recording.Outcome? {
    let request = Request(method: method, target: target, action: Self.unquoted(action))
    guard let outcomes = answers[request], let first = outcomes.first else { return nil }
    if outcomes.count > 1 { answers[request] = Array(outcomes.dropFirst()) }
    return first
  }

  /// For how long the device grants subscriptions at `target`.
  func timeout(at target: String) -> String { granted[target] ?? "Second-1800" }

  /// The events of the service whose events are subscribed to at `target`.
  func events(at target: String) -> [Event] { events[target] ?? [] }

  /// `http://192.0.2.1:80` of `http://192.0.2.1:80/a`.
  static func origin(_ url: String) -> String? {
    guard url.hasPrefix("http://") else { return nil }
    return String(url.prefix(7)) + url.dropFirst(7).prefix { $0 != "/" }
  }

  static func target(_ url: String) -> String {
    guard let origin = origin(url) else { return url }
    let target = url.dropFirst(origin.count)
    return target.isEmpty ? "/" : String(target)
  }

  private static func unquoted(_ text: String) -> String { text.filter { $0 != "\"" } }

  private static func replacing(_ old: [UInt8], by new: [UInt8], in bytes: [UInt8]) -> [UInt8] {
    guard let first = old.first, old != new else { return bytes }
    var result: [UInt8] = []
    var rest = bytes[...]
    while let place = rest.firstIndex(of: first) {
      result += rest[..<place]
      let isMatch = rest[place...].starts(with: old)
      // `http://192.0.2.1:80` isn't the beginning of `http://192.0.2.1:8080`.
      let following = place + old.count < rest.endIndex ? rest[place + old.count] : 0
      if isMatch, !(0x30...0x39).contains(following) {
        result += new
        rest = rest[(place + old.count)...]
      } else {
        result.append(first)
        rest = rest[(place + 1)...]
      }
    }
    return result + rest
  }
}
