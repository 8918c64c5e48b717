import Glibc

/// The place of the database, and of what can't be used any more.
struct StoreDirectory: Sendable {
  static let fileName = "state.db"
  let path: String

  var file: String { "\(path)/\(Self.fileName)" }

  /// False when there is nothing to be read.
  var hasFile: Bool {
    var status = stat()
    guard stat(file, &status) == 0 else { return errno != ENOENT && errno != ENOTDIR }
    return status.st_size > 0 || status.st_mode & S_IFMT != S_IFREG
  }

  /// Makes the directory, those above it that are missing, and an empty file that nobody else may read: SQLite gives
  /// its other files the same mode. What goes wrong here SQLite runs into as well, and reports.
  func prepare() {
    if access(path, F_OK) != 0 {
      var partial = ""
      for part in path.split(separator: "/") {
        partial += (partial.isEmpty && !path.hasPrefix("/") ? "" : "/") + part
        if mkdir(partial, 0o700) != 0, errno != EEXIST { break }
      }
    }
    let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 { close(descriptor) }
  }

  /// Moves the database out of the way, with the log that belongs to it, and returns its new name; nil when that
  /// can't be done.
  func setAside(suffix: String) -> String? {
    var target = "\(file).\(suffix)"
    var number = 1
    while access(target, F_OK) == 0, number < 100 {
      number += 1
      target = "\(file).\(suffix)-\(number)"
    }
    // The log first: without its database it is ignored, the other way round it would be taken for the new one's.
    for end in ["-wal", "-journal"] where rename(file + end, target + end) != 0 && errno != ENOENT {
      return nil
    }
    return rename(file, target) == 0 ? target : nil
  }

  /// Now, as it goes into a file name: `20261121T170251`, UTC.
  static func timestamp() -> String {
    var now = time(nil)
    var parts = tm()
    guard gmtime_r(&now, &parts) != nil else { return "\(now)" }
    var text = [CChar](repeating: 0, count: 32)
    let count = strftime(&text, text.count, "%Y%m%dT%H%M%S", &parts)
    // As bytes, since CChar is signed on some processors only.
    return text.withUnsafeBytes { String(decoding: $0.prefix(count), as: UTF8.self) }
  }
}
