import CBuild

/// The version of the program.
enum Version {
  /// The only statement of the version; the Makefile and the package read it here.
  static let number = "0.1.0"

  /// The version for people: `0.1.0 (4e213b4a0f6c)`, with the commit if it was known at build time.
  static var text: String {
    let commit = String(cString: cbuild_commit())
    return commit.isEmpty ? number : "\(number) (\(commit))"
  }
}
