import Renderers

/// Times of tracks, for people.
extension PlayTime {
  /// `3:07`, `1:02:03`
  static func text(_ seconds: Int) -> String {
    let total = max(0, seconds)
    let (hours, minutes, seconds) = (total / 3600, total / 60 % 60, total % 60)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return hours > 0 ? "\(hours):\(two(minutes)):\(two(seconds))" : "\(minutes):\(two(seconds))"
  }

  /// Reads `90`, `1:30` or `1:02:03`; nil for anything else, and for more than 100 hours.
  static func seconds(_ text: some StringProtocol) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count) else { return nil }
    var seconds = 0
    for (index, part) in parts.enumerated() {
      guard (1...6).contains(part.utf8.count), part.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let number = Int(part), index == 0 || number < 60
      else { return nil }
      seconds = seconds * 60 + number
    }
    return seconds <= 360_000 ? seconds : nil
  }
}

/// Where to seek to: `1:23`, `90`, `+30`, `-10`, `50%`.
enum SeekTarget: Sendable, Hashable {
  case absolute(Int)
  case relative(Int)
  case percent(Double)

  init?(_ text: String) {
    if text.hasSuffix("%") {
      let digits = text.dropLast()
      guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2e }), let value = Double(digits),
        (0...100).contains(value)
      else { return nil }
      self = .percent(value)
    } else if let sign = Sign(text) {
      guard let seconds = PlayTime.seconds(text.dropFirst()) else { return nil }
      self = .relative(sign == .plus ? seconds : -seconds)
    } else {
      guard let seconds = PlayTime.seconds(text) else { return nil }
      self = .absolute(seconds)
    }
  }

  /// The second to seek to; nil if what is needed for it isn't known.
  func second(position: Int?, duration: Int?) -> Int? {
    let position = position.map(PlayTime.bounded)
    let duration = duration.map(PlayTime.bounded)
    let target: Int? =
      switch self {
      case .absolute(let second): second
      case .relative(let seconds): position.map { $0 + seconds }
      case .percent(let percent): duration.map { Int(Double($0) * percent / 100) }
      }
    return target.map { max(0, min($0, duration ?? .max)) }
  }
}

/// The volume to set: `30`, `+5`, `-5`.
enum VolumeTarget: Sendable, Hashable {
  case absolute(Int)
  case relative(Int)

  init?(_ text: String) {
    let sign = Sign(text)
    let digits = sign == nil ? text[...] : text.dropFirst()
    guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let value = Int(digits)
    else { return nil }
    switch sign {
    case nil: self = .absolute(value)
    case .plus: self = .relative(value)
    case .minus: self = .relative(-value)
    }
  }

  /// The volume, never below 0; a change ends at `maximum`.
  func volume(now: Int, maximum: Int?) -> Int {
    switch self {
    case .absolute(let volume): volume
    case .relative(let change):
      max(0, min(PlayTime.bounded(now) + change, max(maximum ?? .max, change < 0 ? now : 0)))
    }
  }
}

/// The sign before a number. A minus may be U+2212: see ``NegativeNumbers``.
private enum Sign {
  case plus, minus

  init?(_ text: String) {
    switch text.first {
    case "+": self = .plus
    case "-", NegativeNumbers.minus: self = .minus
    default: return nil
    }
  }
}

/// `on`, `off` or `toggle`.
enum Switch: String, Sendable, Hashable, CaseIterable {
  case on, off, toggle

  func value(now: Bool) -> Bool {
    switch self {
    case .on: true
    case .off: false
    case .toggle: !now
    }
  }
}
