import Glibc

/// Loads the configuration from a file and from the command-line options that override it.
struct SettingsLoader: Sendable {
  static let defaultPath = "/etc/vireo/vireo.toml"
  private static let maximumBytes = 1024 * 1024

  /// The path given by `--config`; nil when it wasn't given.
  var path: String?
  /// `--name`
  var name: String?
  /// `--log-level`
  var logLevel: LogLevel?

  /// The effective settings and the origin of each of them.
  struct Loaded: Sendable, Equatable {
    var settings = Settings()
    /// The file that was read; nil when there was none.
    var file: String?
    /// The origin by ``SettingKey/path``: `line 7`, `--name`. Keys that are missing here have their default.
    var origins: [String: String] = [:]
    /// The line of every key that the file set, by ``SettingKey/path``.
    var lines: [String: Int] = [:]
  }

  /// Reads the configuration. The default file may be absent, a file named by `--config` may not.
  func load() throws(SettingsProblems) -> Loaded {
    var loaded = Loaded()
    let file = path ?? Self.defaultPath
    switch FileBytes.read(file, limit: Self.maximumBytes) {
    case .success(let bytes):
      let result = try SettingsReader.read(bytes, file: file)
      loaded.settings = result.settings
      loaded.file = file
      loaded.lines = result.lines
      loaded.origins = result.lines.mapValues { "line \($0)" }
    case .failure(let failure):
      if failure.code != ENOENT || path != nil {
        throw SettingsProblems(list: [
          SettingsProblem(file: file, message: "can't be read: \(failure.reason)")
        ])
      }
    }
    if let name {
      if let wrong = SettingsChecks.friendlyName(name) {
        throw SettingsProblems(list: [SettingsProblem(file: "--name", message: wrong)])
      }
      loaded.settings.device.name = name
      loaded.origins["device.name"] = "--name"
    }
    if let logLevel {
      loaded.settings.log = Settings.Log(level: logLevel)
      for key in SettingsSchema.keys where key.section == "log" {
        loaded.origins[key.path] = key.name == "level" ? "--log-level" : nil
      }
    }
    return loaded
  }
}

/// Why a file couldn't be read or written.
struct FileFailure: Error, Sendable, Equatable {
  /// `errno`; 0 for other reasons.
  var code: Int32
  var reason: String

  /// The failure that `errno` describes now.
  static var last: FileFailure { FileFailure(code: errno, reason: String(cString: strerror(errno))) }
}

/// Reads whole files up to a limit.
enum FileBytes {
  static func read(_ path: String, limit: Int) -> Result<[UInt8], FileFailure> {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return .failure(.last) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return .failure(.last) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      return .failure(FileFailure(code: EINVAL, reason: "not a regular file"))
    }
    guard status.st_size <= limit else {
      return .failure(FileFailure(code: EFBIG, reason: "longer than \(limit) bytes"))
    }
    // Ask for one more byte than expected, to detect a file that grows instead of truncating it.
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size) + 1)
    var length = 0
    while length < bytes.count {
      let count = bytes.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress?.advanced(by: length), $0.count - length)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return .failure(.last) }
      if count == 0 { break }
      length += count
    }
    guard length <= status.st_size else {
      return .failure(FileFailure(code: EAGAIN, reason: "it changed while it was read"))
    }
    return .success(Array(bytes.prefix(length)))
  }
}
