import Glibc

/// Files with a secret, which stands alone in the first line.
enum SessionFile {
  private static let longest = 4096

  /// - Throws: ``Failure`` if there is no such file, or no secret in it.
  static func read(_ path: String) throws -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw Failure(.noInput, "\(path): \(String(cString: strerror(errno)))") }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: longest)
    let count = Glibc.read(file, &bytes, bytes.count)
    let line = bytes.prefix(max(count, 0)).prefix { $0 != 0x0a && $0 != 0x0d }
    guard !line.isEmpty, line.allSatisfy({ (0x21...0x7e).contains($0) }) else {
      throw Failure(.noInput, "\(path): its first line isn't one word")
    }
    return String(decoding: line, as: UTF8.self)
  }

  /// Writes a secret in the place of what was there; only the file's owner can read it.
  ///
  /// - Throws: ``Failure`` if that isn't possible.
  static func write(_ secret: String, to path: String) throws {
    let new = "\(path).new"
    let bytes = Array("\(secret)\n".utf8)
    unlink(new)
    let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure(path) }
    let isWritten =
      bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) } == bytes.count && fsync(file) == 0
    close(file)
    guard isWritten, rename(new, path) == 0 else {
      let failure = failure(path)
      unlink(new)
      throw failure
    }
  }

  private static func failure(_ path: String) -> Failure {
    Failure(.software, "\(path) can't be written: \(String(cString: strerror(errno)))")
  }
}
