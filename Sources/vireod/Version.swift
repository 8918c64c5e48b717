import CBuild

/// The version of the program; CBuild states it.
enum Version {
  static let number = CBUILD_VERSION

  /// The version for people: `0.1.0 (4e213b4a0f6c)`, with the commit if it was known at build time.
  static var text: String { String(cString: cbuild_version()) }

  /// When this was built, in milliseconds since 1970; no clock that is set shows an earlier time.
  static var built: Int64 { Int64(cbuild_time()) * 1000 }

  /// What servers are told that want to know whom to ask.
  static let contact = "vireo@vireo.invalid"
}
