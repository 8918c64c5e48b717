import Glibc
import NIOCore
import Threads
import Uploads

/// The files of songs that are kept: one directory, with two files for each song.
///
/// `KEY` has the song, `KEY.note` what is known of it, and `KEY.part` a song that is still coming. Other files in the directory
/// are left alone. The disk is touched on two threads of its own, so that songs are read while others are written. Answers are
/// called on those.
public final class SongFiles: Sendable {
  public enum Failure: Error, Sendable, Hashable {
    /// The disk is full, or the quota is used up.
    case noSpace
    /// Nothing may be written there.
    case notWritable(CInt)
    /// There is no such file or directory any more.
    case missing
    /// Another daemon keeps its songs there.
    case inUse
    case other(CInt)
  }

  /// The bytes that are read at once.
  public static let readBytes = 64 * 1024

  public let directory: String
  private let writer = JobThread(name: "vireo-uploads")
  private let reader = JobThread(name: "vireo-songs")
  /// Files that are being written, by their songs' keys; used on the writer's thread alone.
  private let open = SharedState<[String: CInt]>([:])
  /// The directory, locked for as long as the program runs; nil before there is one.
  private let lock = SharedState<CInt?>(nil)

  /// - Parameter directory: an absolute path. It is made when it is first needed.
  public init(directory: String) { self.directory = directory }

  private func path(_ key: String, _ end: String = "") -> String { "\(directory)/\(key)\(end)" }

  // MARK: - At the start

  /// Finds the songs of earlier runs, and removes what is left of those that never came whole.
  public func load(_ found: @escaping @Sendable ([UploadedSong]) -> Void) {
    writer.perform { [self] in found(scan()) }
  }

  private func scan() -> [UploadedSong] {
    guard !isInUse(), let listing = opendir(directory) else { return [] }
    defer { closedir(listing) }
    var ends: [String: Set<String>] = [:]
    while let entry = readdir(listing) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      let key = String(name.prefix { $0 != "." })
      let end = String(name.dropFirst(key.count))
      guard UploadedSong.isKey(key), ["", ".note", ".part"].contains(end) else { continue }
      ends[key, default: []].insert(end)
    }
    var songs: [UploadedSong] = []
    for (key, ends) in ends {
      if ends.contains(".part") { unlink(path(key, ".part")) }
      // The song is renamed last, so one without a note is none.
      if ends.isSuperset(of: ["", ".note"]), let song = song(key) {
        songs.append(song)
      } else {
        for end in ["", ".note"] where ends.contains(end) { unlink(path(key, end)) }
      }
    }
    return songs
  }

  private func song(_ key: String) -> UploadedSong? {
    var status = stat()
    guard lstat(path(key), &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      var song = SongNote.read(Self.bytes(of: path(key, ".note")), key: key),
      song.bytes == Int(status.st_size)
    else { return nil }
    song.used = max(song.added, status.st_mtim.tv_sec)
    return song
  }

  private static func bytes(of path: String) -> [UInt8] {
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return [] }
    defer { Glibc.close(file) }
    var bytes = [UInt8](repeating: 0, count: SongNote.longest + 1)
    let count = bytes.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress, $0.count) }
    return Array(bytes.prefix(max(0, count)))
  }

  // MARK: - Writing

  /// Finds out how many bytes are free for us. Makes the directory.
  public func measure(_ answer: @escaping @Sendable (Result<Int, Failure>) -> Void) {
    writer.perform { [self] in
      if let failure = makeDirectory() { return answer(.failure(failure)) }
      guard !isInUse() else { return answer(.failure(.inUse)) }
      var status = statvfs()
      guard statvfs(directory, &status) == 0 else { return answer(.failure(Self.failure())) }
      let (free, isHuge) = Int(clamping: status.f_bavail).multipliedReportingOverflow(
        by: Int(status.f_frsize))
      answer(.success(isHuge ? .max : free))
    }
  }

  /// Makes the directory if there is none; returns why it can't.
  private func makeDirectory() -> Failure? {
    guard access(directory, F_OK) != 0 else { return nil }
    var partial = ""
    for part in directory.split(separator: "/") {
      partial += "/" + part
      if mkdir(partial, 0o700) != 0, errno != EEXIST { return Self.failure() }
    }
    return nil
  }

  /// Whether another daemon has the directory: each would delete what the other needs. If not, it is ours from now on.
  private func isInUse() -> Bool {
    guard lock.withLock({ $0 }) == nil else { return false }
    let file = Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { return false }
    // Some file systems have no locks.
    guard flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
      Glibc.close(file)
      return true
    }
    lock.withLock { $0 = file }
    return false
  }

  /// Begins the file of a song.
  public func begin(_ key: String, _ done: @escaping @Sendable (Failure?) -> Void) {
    writer.perform { [self] in
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
      let file = Glibc.open(path(key, ".part"), flags, 0o600)
      guard file >= 0 else { return done(Self.failure()) }
      open.withLock { $0[key] = file }
      done(nil)
    }
  }

  /// Writes a piece behind those before it.
  public func write(_ piece: ByteBuffer, of key: String, _ done: @escaping @Sendable (Failure?) -> Void) {
    writer.perform { [self] in
      guard let file = open.withLock({ $0[key] }) else { return done(.missing) }
      done(piece.withUnsafeReadableBytes { Self.write($0, to: file) })
    }
  }

  private static func write(_ bytes: UnsafeRawBufferPointer, to file: CInt) -> Failure? {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Glibc.write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return failure() }
      rest = rest.dropFirst(count)
    }
    return nil
  }

  /// All of a song is there: from now on it is kept.
  public func finish(_ song: UploadedSong, _ done: @escaping @Sendable (Failure?) -> Void) {
    writer.perform { [self] in
      let failure = close(song)
      if failure != nil { remove([song.key]) }
      done(failure)
    }
  }

  private func close(_ song: UploadedSong) -> Failure? {
    guard let file = open.withLock({ $0.removeValue(forKey: song.key) }) else { return .missing }
    // A full disk may be told only here, as on NFS.
    guard Glibc.close(file) == 0 else { return Self.failure() }
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    let note = Glibc.open(path(song.key, ".note"), flags, 0o600)
    guard note >= 0 else { return Self.failure() }
    let failure = SongNote.write(song).withUnsafeBytes { Self.write($0, to: note) }
    guard Glibc.close(note) == 0, failure == nil else { return failure ?? Self.failure() }
    return rename(path(song.key, ".part"), path(song.key)) == 0 ? nil : Self.failure()
  }

  /// Forgets a song that won't come whole.
  public func discard(_ key: String) {
    writer.perform { [self] in
      if let file = open.withLock({ $0.removeValue(forKey: key) }) { _ = Glibc.close(file) }
      remove([key])
    }
  }

  /// Deletes songs. Whoever reads one may read on.
  public func delete(_ keys: [String]) {
    guard !keys.isEmpty else { return }
    writer.perform { [self] in remove(keys) }
  }

  private func remove(_ keys: [String]) {
    for key in keys {
      for end in ["", ".part", ".note"] { unlink(path(key, end)) }
    }
  }

  /// Remembers that a song was used now.
  public func touch(_ key: String) {
    writer.perform { [self] in utimensat(AT_FDCWD, path(key), nil, 0) }
  }

  private static func failure() -> Failure {
    switch errno {
    case ENOSPC, EDQUOT: .noSpace
    case EROFS, EACCES, EPERM: .notWritable(errno)
    case ENOENT, ENOTDIR: .missing
    default: .other(errno)
    }
  }

  // MARK: - Reading

  /// A song that is being read; ``close(_:)`` ends that.
  public struct Reading: Sendable {
    fileprivate let descriptor: CInt
  }

  /// Opens a song.
  public func read(_ key: String, _ opened: @escaping @Sendable (Result<Reading, Failure>) -> Void) {
    reader.perform { [self] in
      let file = Glibc.open(path(key), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      opened(file < 0 ? .failure(Self.failure()) : .success(Reading(descriptor: file)))
    }
  }

  /// Reads the bytes of `range`, at most ``readBytes`` of them; nil if that isn't possible.
  public func read(
    _ range: Range<Int>, of reading: Reading, _ done: @escaping @Sendable (ByteBuffer?) -> Void
  ) {
    reader.perform {
      var buffer = ByteBuffer()
      let wanted = min(range.count, Self.readBytes)
      buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: wanted) { bytes in
        max(
          0, pread(reading.descriptor, bytes.baseAddress, min(bytes.count, wanted), off_t(range.lowerBound)))
      }
      done(buffer.readableBytes > 0 ? buffer : nil)
    }
  }

  /// Ends a reading, behind what was asked of it before.
  public func close(_ reading: Reading) {
    reader.perform { _ = Glibc.close(reading.descriptor) }
  }
}
