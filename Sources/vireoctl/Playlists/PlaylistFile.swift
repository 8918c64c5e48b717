import Glibc
import Kept

/// Playlist files of this machine; `-` is what comes from, or goes to, other programs.
enum PlaylistFile {
  /// The longest that is read, in bytes.
  static let longest = 32 << 20

  /// The text of a file, in UTF-8 or, as old ones are, in Latin-1.
  static func read(_ path: String) throws -> String {
    // A pipe that nobody writes to would be waited for.
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Failure(.noInput, "\(path): \(String(cString: strerror(errno)))") }
    defer { if path != "-" { close(descriptor) } }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = piece.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      guard count >= 0 else {
        if errno == EINTR { continue }
        throw Failure(.noInput, "\(path): \(String(cString: strerror(errno)))")
      }
      guard count > 0 else { break }
      bytes += piece[..<count]
      guard bytes.count <= longest else { throw Failure(.noInput, "\(path) is too long for a playlist") }
    }
    guard !bytes.isEmpty, !bytes.contains(0) else { throw Failure(.noInput, "\(path) is no playlist file") }
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { bytes.removeFirst(3) }
    return String(validating: bytes, as: UTF8.self)
      ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  /// Writes a file, and replaces none unless that is wanted.
  static func write(_ text: String, to path: String, replacing: Bool) throws {
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (replacing ? O_TRUNC : O_EXCL)
    let descriptor = open(path, flags, 0o644)
    guard descriptor >= 0 else {
      let hints = errno == EEXIST ? ["--force replaces it"] : []
      throw Failure(.noInput, "\(path): \(String(cString: strerror(errno)))", hints: hints)
    }
    defer { close(descriptor) }
    try Output.write(text, to: descriptor)
  }

  /// What a list is called that comes from this file.
  static func name(of path: String) -> String? {
    guard path != "-", let last = path.split(separator: "/").last else { return nil }
    let name = last.lastIndex(of: ".").map { last[..<$0] } ?? last
    return name.isEmpty ? nil : String(name)
  }

  /// The format that an ending names; nil for any other.
  static func format(of path: String) -> PlaylistText.Format? {
    let ending = path.split(separator: ".").last?.lowercased() ?? ""
    return ending == "m3u" ? .m3u8 : PlaylistText.Format(rawValue: ending)
  }
}
