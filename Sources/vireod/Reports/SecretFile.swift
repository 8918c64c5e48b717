import Glibc

/// A file with a token or another secret, which stands alone in its first line.
///
/// It is named by its path, or as a credential that systemd has handed to the service (systemd.exec(5), "Credentials").
enum SecretFile {
  private static let longest = 4096

  /// The path of what a setting names; nil for a credential while there is no directory of them.
  static func path(_ name: String, environment: (String) -> String? = Launch.environment) -> String? {
    if name.hasPrefix("/") { return name }
    return environment("CREDENTIALS_DIRECTORY").map { "\($0)/\(name)" }
  }

  /// Reads the secret.
  static func read(
    _ name: String, environment: (String) -> String? = Launch.environment
  ) -> Result<String, FileFailure> {
    guard let path = path(name, environment: environment) else {
      return .failure(FileFailure(code: ENOENT, reason: "systemd has handed over no credentials"))
    }
    return FileBytes.read(path, limit: longest).flatMap { bytes in
      let line = bytes.prefix { $0 != 0x0a && $0 != 0x0d }
      let text = line.drop { $0 == 0x20 }
      let word = text.prefix { $0 != 0x20 }
      guard !word.isEmpty, text.dropFirst(word.count).allSatisfy({ $0 == 0x20 }),
        word.allSatisfy({ (0x21...0x7e).contains($0) })
      else {
        return .failure(FileFailure(code: EINVAL, reason: "its first line isn't one word"))
      }
      return .success(String(decoding: word, as: UTF8.self))
    }
  }

  /// Whether anybody on this machine can read it.
  static func isOpenToAll(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IROTH != 0
  }
}
