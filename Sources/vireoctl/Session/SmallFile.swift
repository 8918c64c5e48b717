import Glibc

/// The environment of the process.
enum Environment {
  static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

/// A small file of the user's: read whole, and replaced whole.
struct SmallFile {
  enum Place {
    case cache, configuration
  }

  /// The longest that is read or written, in bytes.
  static let limit = 1024 * 1024

  /// Those that are made if need be, the file's last. A home that isn't there isn't made: a service's may be `/nonexistent`.
  private let folders: [String]
  private let name: String
  private var folder: String? { folders.last }

  init(_ place: Place, _ name: String) {
    let (variable, below) =
      switch place {
      case .cache: ("XDG_CACHE_HOME", ".cache")
      case .configuration: ("XDG_CONFIG_HOME", ".config")
      }
    if let base = Environment.value(variable), base.hasPrefix("/") {
      folders = [base, "\(base)/vireoctl"]
    } else {
      folders = Environment.value("HOME").map { ["\($0)/\(below)", "\($0)/\(below)/vireoctl"] } ?? []
    }
    self.name = name
  }

  /// Nil if there is none, or if it is too long or isn't text.
  func read() -> String? {
    guard let folder else { return nil }
    let descriptor = open("\(folder)/\(name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16 * 1024)
    while bytes.count < Self.limit {
      let count = piece.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    return bytes.count < Self.limit ? String(validating: bytes, as: UTF8.self) : nil
  }

  func remove() {
    if let folder { unlink("\(folder)/\(name)") }
  }

  /// False if it can't be written.
  @discardableResult
  func write(_ text: String) -> Bool {
    guard let folder, text.utf8.count < Self.limit else { return false }
    for folder in folders { mkdir(folder, 0o700) }
    let new = "\(folder)/.\(name).\(getpid())"
    let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return false }
    let bytes = Array(text.utf8)
    let isWritten = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) } == bytes.count
    close(descriptor)
    guard isWritten, rename(new, "\(folder)/\(name)") == 0 else {
      unlink(new)
      return false
    }
    return true
  }
}
