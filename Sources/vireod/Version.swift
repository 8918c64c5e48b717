import CBuild

/// What this is.
enum Version {
  /// The one place that says it; the Makefile and the package read it here.
  static let number = "0.1.0"

  /// `0.1.0 (4e213b4a0f6c)`: with the commit, where the build knew it.
  static var text: String {
    let commit = String(cString: cbuild_commit())
    return commit.isEmpty ? number : "\(number) (\(commit))"
  }
}
