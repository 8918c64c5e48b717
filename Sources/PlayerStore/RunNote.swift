import Glibc

/// The numbers that this run has given out to control points.
///
/// A later start must know them even when this run is killed before its first save. They are in a small file beside the
/// database. Writing it doesn't wait for the disk: the contents survive a kill at once, and a power failure as soon as
/// the store's thread has synced them.
struct RunNote: Sendable, Equatable {
  private static let fileName = "state.run"
  private static let mostBytes = 64

  /// BOOTID.UPNP.ORG; 0 for none.
  var bootID: UInt32 = 0
  /// Track IDs from this one on may have been given out without being saved; 0 when all are saved.
  var firstID: UInt32 = 0

  /// Reads the note in `directory`; an absent or invalid one reads as empty.
  static func read(_ directory: StoreDirectory) -> RunNote {
    guard let text = contents(of: path(directory)) else { return RunNote() }
    let numbers = text.split(whereSeparator: { $0 == " " || $0 == "\n" }).map { UInt32($0) }
    guard numbers.count == 2, let bootID = numbers[0], let firstID = numbers[1] else { return RunNote() }
    return RunNote(bootID: bootID, firstID: firstID)
  }

  /// Writes the note, always at the same length, so that nothing of an older one remains behind it.
  func write(to directory: StoreDirectory) {
    let text = [bootID, firstID].map { number in
      let digits = String(number)
      return String(repeating: "0", count: 10 - digits.utf8.count) + digits
    }
    let bytes = Array((text.joined(separator: " ") + "\n").utf8)
    Self.open(Self.path(directory), O_WRONLY | O_CREAT) { file in
      _ = bytes.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
    }
  }

  /// Blocks until the note is on the disk.
  static func sync(_ directory: StoreDirectory) {
    open(path(directory), O_WRONLY) { _ = fsync($0) }
  }

  private static func path(_ directory: StoreDirectory) -> String { "\(directory.path)/\(fileName)" }

  private static func contents(of path: String) -> String? {
    var text: String?
    open(path, O_RDONLY) { file in
      var bytes = [UInt8](repeating: 0, count: mostBytes)
      let count = Glibc.read(file, &bytes, bytes.count)
      if count > 0 { text = String(decoding: bytes.prefix(count), as: UTF8.self) }
    }
    return text
  }

  /// Opens the note and calls `body`. Skips anything but a regular file, since it might block forever.
  private static func open(_ path: String, _ flags: Int32, _ body: (Int32) -> Void) {
    let file = Glibc.open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return }
    defer { close(file) }
    var status = stat()
    if fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG { body(file) }
  }
}
