import Glibc
import Player

/// The small text file that version 1 kept its state in. Read once; its contents move into the database.
struct LegacyStateFile: Sendable {
  /// No file that was ever written comes near this.
  private static let maximumBytes = 64 * 1024
  let path: String

  struct Contents: Equatable {
    var host = HostState()
    var settings: PlayerSettings?
  }

  enum Found: Equatable {
    case absent
    case contents(Contents)
    case damaged
  }

  init(directory: StoreDirectory) { path = "\(directory.path)/state.toml" }

  func read() -> Found {
    guard let file = fopen(path, "re") else {
      return errno == ENOENT || errno == ENOTDIR ? .absent : .damaged
    }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: Self.maximumBytes)
    let count = fread(&bytes, 1, bytes.count, file)
    guard ferror(file) == 0, count < bytes.count else { return .damaged }
    return Self.parse(String(decoding: bytes[..<count], as: UTF8.self)).map { .contents($0) } ?? .damaged
  }

  func remove() { unlink(path) }

  /// False when it is still there.
  func setAside(suffix: String) -> Bool { rename(path, "\(path).\(suffix)") == 0 }

  /// Takes what version 1 has written, and nothing else that TOML allows.
  static func parse(_ text: String) -> Contents? {
    guard text.hasSuffix("# end\n") else { return nil }
    var values: [Substring: Substring] = [:]
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let parts = line.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { return nil }
      values[parts[0].trimmed] = parts[1].trimmed
    }
    guard values["version"] == "1", let bootID = values["boot-id"].flatMap({ UInt32($0) }) else { return nil }
    var contents = Contents(host: HostState(bootID: bootID))
    if let id = values["installation-id"]?.dropFirst().dropLast() {
      guard id.count == 32, id.allSatisfy(\.isHexDigit) else { return nil }
      contents.host.installationID = String(id)
    }
    guard let master = values["master"] else { return contents }
    guard let left = values["left"], let right = values["right"], let master = channel(master),
      let left = channel(left), let right = channel(right)
    else { return nil }
    contents.settings = PlayerSettings(master: master, left: left, right: right)
    return contents
  }

  /// `{ level = -2560, muted = true }`; without level: silence.
  private static func channel(_ text: Substring) -> PlayerSnapshot.Channel? {
    guard text.hasPrefix("{"), text.hasSuffix("}") else { return nil }
    var channel = PlayerSnapshot.Channel(decibels: nil, isMuted: false)
    var saysMuted = false
    for entry in text.dropFirst().dropLast().split(separator: ",") {
      let parts = entry.split(separator: "=").map(\.trimmed)
      guard parts.count == 2 else { return nil }
      switch (parts[0], parts[1]) {
      case ("level", let level):
        guard let level = Int(level), (-65536...0).contains(level) else { return nil }
        channel.decibels = level
      case ("muted", "true"), ("muted", "false"):
        channel.isMuted = parts[1] == "true"
        saysMuted = true
      default: return nil
      }
    }
    return saysMuted ? channel : nil
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    let start = drop { $0 == " " }
    return start.lastIndex { $0 != " " }.map { start[...$0] } ?? start
  }
}
