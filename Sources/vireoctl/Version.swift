import CBuild

/// The version of the program; a test keeps it equal to the daemon's.
enum Version {
  static let number = "0.1.0"

  /// The version for people: `0.1.0 (4e213b4a0f6c)`, with the commit if it was known at build time.
  static var text: String {
    let commit = String(cString: cbuild_commit())
    return commit.isEmpty ? number : "\(number) (\(commit))"
  }
}
