/// Replaces what tells who and where somebody is: addresses, UDNs, serial numbers and tokens, each by the same stand-in everywhere.
struct Redaction: Sendable, Hashable {
  private struct Rule: Sendable, Hashable {
    var secret: [UInt8]
    var standIn: [UInt8]
  }

  /// There is no end to what a device may say.
  static let maximumRules = 2000

  /// By the first byte of the secret, in lower case.
  private var rules: [UInt8: [Rule]] = [:]
  private var count = 0
  private var addresses = 0
  private var udns = 0
  private var tokens = 0

  /// Stands for a host by an address of the documentation's network (RFC 5737, RFC 3849).
  mutating func hide(address: String) {
    guard !isHidden(address) else { return }
    addresses += 1
    if address.contains(":") { return add(address, "2001:db8::\(String(addresses, radix: 16))") }
    let networks = ["192.0.2", "198.51.100", "203.0.113"]
    let place = min(addresses - 1, 254 * networks.count - 1)
    add(address, "\(networks[place / 254]).\(place % 254 + 1)")
  }

  mutating func hide(token: String) {
    guard !isHidden(token) else { return }
    tokens += 1
    add(token, "token-\(tokens)")
  }

  mutating func hide(udn: String) {
    guard !isHidden(udn) else { return }
    udns += 1
    let number = String(udns)
    let zeros = String(repeating: "0", count: max(12 - number.count, 0))
    add(udn, "00000000-0000-4000-8000-\(zeros)\(number)")
  }

  mutating func hide(serialNumber: String) { add(serialNumber, "0") }

  /// What is shorter would be found everywhere.
  private mutating func add(_ secret: String, _ standIn: String) {
    guard secret.utf8.count >= 4, !isHidden(secret), count < Self.maximumRules else { return }
    let bytes = Array(secret.lowercased().utf8)
    count += 1
    rules[bytes[0], default: []].append(Rule(secret: bytes, standIn: Array(standIn.utf8)))
    // A secret that contains another one comes first.
    rules[bytes[0]]?.sort { $0.secret.count > $1.secret.count }
  }

  private func isHidden(_ secret: String) -> Bool {
    let secret = Array(secret.lowercased().utf8)
    return secret.first.flatMap { rules[$0] }?.contains { $0.secret == secret } ?? false
  }

  /// Replaces without regard to case, and only where nothing that belongs to a longer word or number is around it.
  func applied(to bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var place = 0
    next: while place < bytes.count {
      if place == 0 || !Self.isPart(bytes[place - 1]) {
        for rule in rules[Self.lowered(bytes[place])] ?? [] where Self.matches(rule.secret, bytes, at: place)
        {
          result += rule.standIn
          place += rule.secret.count
          continue next
        }
      }
      result.append(bytes[place])
      place += 1
    }
    return result
  }

  func applied(to text: String) -> String {
    String(decoding: applied(to: Array(text.utf8)), as: UTF8.self)
  }

  func applied(to recording: Recording) -> Recording {
    var recording = recording
    recording.entries = recording.entries.map { entry in
      var entry = entry
      entry.url = applied(to: entry.url)
      entry.request = applied(to: entry.request)
      if case .answered(let status, let message) = entry.outcome {
        entry.outcome = .answered(status: status, applied(to: message))
      }
      return entry
    }
    return recording
  }

  private func applied(to message: Recording.Message) -> Recording.Message {
    Recording.Message(
      fields: message.fields.map { .init(name: $0.name, value: applied(to: $0.value)) },
      body: applied(to: message.body))
  }

  private static func matches(_ secret: [UInt8], _ bytes: [UInt8], at place: Int) -> Bool {
    guard place + secret.count <= bytes.count else { return false }
    for (offset, byte) in secret.enumerated() where lowered(bytes[place + offset]) != byte { return false }
    let end = place + secret.count
    return end == bytes.count || !isPart(bytes[end])
  }

  private static func isPart(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7a).contains(lowered(byte))
  }

  private static func lowered(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte + 0x20 : byte }
}
