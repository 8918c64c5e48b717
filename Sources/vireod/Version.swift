import CBuild

/// The version of the program; CBuild states it.
enum Version {
  static let number = CBUILD_VERSION

  /// The version for people: `0.1.0 (4e213b4a0f6c)`, with the commit if it was known at build time.
  static var text: String { String(cString: cbuild_version()) }
}
