import Glibc

/// Tells one file from all others, whatever their names.
struct FileIdentity: Sendable, Equatable {
  let device: dev_t
  let inode: ino_t
}

/// The directory of the database and of the unusable ones that were set aside.
struct StoreDirectory: Sendable {
  static let fileName = "state.db"
  let path: String

  var file: String { "\(path)/\(Self.fileName)" }

  /// False when the database is absent or an empty file.
  var hasFile: Bool {
    var status = stat()
    guard stat(file, &status) == 0 else { return errno != ENOENT && errno != ENOTDIR }
    return status.st_size > 0 || status.st_mode & S_IFMT != S_IFREG
  }

  /// The file that has the database's path now; nil when there is none.
  var identity: FileIdentity? {
    var status = stat()
    return stat(file, &status) == 0 ? FileIdentity(device: status.st_dev, inode: status.st_ino) : nil
  }

  /// Describes what occupies the path of the directory or of the database; nil when nothing is in the way.
  var obstacle: String? {
    if let wrong = Self.kind(of: path, otherThan: S_IFDIR) { return "\(path) \(wrong), not a directory" }
    return Self.kind(of: file, otherThan: S_IFREG).map { "\(file) \($0), not a file" }
  }

  /// Describes what `path` is; nil when it is `wanted`, absent or unreadable.
  private static func kind(of path: String, otherThan wanted: mode_t) -> String? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    if status.st_mode & S_IFMT == S_IFLNK, stat(path, &status) != 0 {
      return errno == ENOENT || errno == ELOOP ? "is a link that leads nowhere" : nil
    }
    return switch status.st_mode & S_IFMT {
    case wanted: nil
    case S_IFDIR: "is a directory"
    case S_IFREG: "is a file"
    case S_IFIFO: "is a named pipe (FIFO)"
    case S_IFSOCK: "is a socket"
    default: "is a device"
    }
  }

  /// Creates the directory with its missing parents, and an empty database file with mode 0600, which SQLite also gives
  /// to its other files.
  ///
  /// Errors are ignored: SQLite runs into them as well, and reports them.
  func prepare() {
    makeDirectory()
    let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 { close(descriptor) }
  }

  func makeDirectory() {
    if access(path, F_OK) != 0 {
      var partial = ""
      for part in path.split(separator: "/") {
        partial += (partial.isEmpty && !path.hasPrefix("/") ? "" : "/") + part
        if mkdir(partial, 0o700) != 0, errno != EEXIST { break }
      }
    }
  }

  /// Renames the database and its write-ahead log or journal. Returns the new name, or nil when that fails.
  func setAside(suffix: String) -> String? {
    var target = "\(file).\(suffix)"
    var number = 1
    while access(target, F_OK) == 0, number < 100 {
      number += 1
      target = "\(file).\(suffix)-\(number)"
    }
    // The log goes first. A log without its database is ignored, but a log left behind would be applied to the new
    // database.
    for end in ["-wal", "-journal"] where rename(file + end, target + end) != 0 && errno != ENOENT {
      return nil
    }
    return rename(file, target) == 0 ? target : nil
  }

  /// The current time in UTC for use in a file name: `20261121T170251`.
  static func timestamp() -> String {
    var now = time(nil)
    var parts = tm()
    guard gmtime_r(&now, &parts) != nil else { return "\(now)" }
    var text = [CChar](repeating: 0, count: 32)
    let count = strftime(&text, text.count, "%Y%m%dT%H%M%S", &parts)
    // Decoded as bytes, since CChar is signed only on some processors.
    return text.withUnsafeBytes { String(decoding: $0.prefix(count), as: UTF8.self) }
  }
}
