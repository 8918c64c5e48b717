import Glibc

/// The file that ``SavedState`` lives in.
///
/// Written so that at any moment, also when power fails, the old or the new file is there whole: a temporary file,
/// fsync, rename, fsync of the directory.
struct StateFile: Sendable {
  static let name = "state.toml"
  let directory: String

  var path: String { "\(directory)/\(Self.name)" }
  private var temporaryPath: String { "\(directory)/.\(Self.name).new" }

  /// What was found at start.
  enum Loaded: Sendable, Equatable {
    case state(SavedState)
    /// The first start, or somebody deleted it.
    case absent
    /// It can't be used and was moved out of the way to `keptAs` (nil when even that failed).
    case setAside(reason: String, keptAs: String?)
    /// There may be one, but it can't be read.
    case unreadable(FileFailure)
  }

  /// - Parameter date: Goes into the name of a file that is set aside, `20261121T170251`.
  func load(date: @autoclosure () -> String) -> Loaded {
    switch FileBytes.read(path, limit: StateCodec.maximumBytes) {
    case .failure(let failure) where failure.code == ENOENT: return .absent
    case .failure(let failure) where failure.code == EFBIG || failure.code == EINVAL:
      return setAside("it is \(failure.reason)", suffix: "damaged-\(date())")
    case .failure(let failure): return .unreadable(failure)
    case .success(let bytes):
      do throws(StateCodec.Problem) {
        return .state(try StateCodec.decode(bytes))
      } catch {
        switch error {
        case .damaged(let why): return setAside("it is damaged (\(why))", suffix: "damaged-\(date())")
        case .newer(let version):
          return setAside("a later Vireo wrote it (version \(version))", suffix: "version-\(version)")
        }
      }
    }
  }

  private func setAside(_ reason: String, suffix: String) -> Loaded {
    let target = "\(path).\(suffix)"
    return .setAside(reason: reason, keptAs: rename(path, target) == 0 ? target : nil)
  }

  /// Blocks until the disk has it.
  func write(_ state: SavedState) throws(FileFailure) {
    try makeDirectory()
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW
    let descriptor = open(temporaryPath, flags, 0o600)
    guard descriptor >= 0 else { throw .last }
    do throws(FileFailure) {
      try Self.writeAll(StateCodec.encode(state), to: descriptor)
      guard fsync(descriptor) == 0 else { throw .last }
    } catch {
      close(descriptor)
      unlink(temporaryPath)
      throw error
    }
    close(descriptor)
    guard rename(temporaryPath, path) == 0 else {
      let failure = FileFailure.last
      unlink(temporaryPath)
      throw failure
    }
    let folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if folder >= 0 {
      fsync(folder)
      close(folder)
    }
  }

  private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(FileFailure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .last }
      rest = rest.dropFirst(count)
    }
  }

  /// Makes the directory, and those above it that are missing.
  private func makeDirectory() throws(FileFailure) {
    if mkdir(directory, 0o700) == 0 || errno == EEXIST { return }
    var path = ""
    for part in directory.split(separator: "/") {
      path += "/\(part)"
      if mkdir(path, 0o700) != 0, errno != EEXIST, access(path, F_OK) != 0 { throw .last }
    }
  }
}

/// Which directory the state is kept in.
enum StateDirectory {
  /// `--state-dir`, else what systemd gives (`StateDirectory=`), else the XDG base directory; nil without a home.
  static func choose(option: String?, environment: (String) -> String?) -> String? {
    if let option { return absolute(option, from: environment("PWD")) }
    // systemd.exec(5): several directories are divided by colons.
    if let given = environment("STATE_DIRECTORY")?.split(separator: ":").first { return String(given) }
    if let xdg = environment("XDG_STATE_HOME"), xdg.hasPrefix("/") { return xdg + "/vireo" }
    if let home = environment("HOME"), home.hasPrefix("/") { return home + "/.local/state/vireo" }
    return nil
  }

  private static func absolute(_ path: String, from directory: String?) -> String {
    if path.hasPrefix("/") { return path }
    return "\(directory ?? ".")/\(path)"
  }
}
