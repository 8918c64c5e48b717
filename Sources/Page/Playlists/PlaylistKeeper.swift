import Kept

/// Keeps playlists, so that they outlive this program.
public protocol PlaylistKeeper: Sendable {
  /// All of them as they were at the start, without their tracks.
  func heads() -> [KeptHead]

  /// Carries out an edit; it is kept when this returns.
  func perform(_ edit: KeptEdit) async -> Result<KeptOutcome, KeptFailure>

  /// `count` tracks from the place `start` on; fewer when they have more than `bytes`, but one at least.
  func tracks(of id: UInt32, from start: Int, count: Int, bytes: Int) async -> Result<KeptPart, KeptFailure>

  /// A long list was in memory and no longer is, or soon won't be.
  func trim()
}

/// Knows which media servers tracks are from, and where those servers are now.
public protocol TrackFinder: Sendable {
  /// The UDNs of the servers that these addresses lead to; nil where nobody knows.
  func servers(of addresses: [String]) async -> [String?]

  /// The tracks that have another address now, as ``TrackFinding`` finds them.
  func found(_ entries: [KeptEntry]) async -> [KeptEntry]
}
