import Player

/// The tracks of an object on a media server.
public struct FoundTracks: Sendable {
  /// With the server's metadata.
  public var tracks: [Media]
  /// How many were left out that can't be played.
  public var left: Int
  /// True when there is more, which wasn't listed.
  public var isPartial: Bool

  public init(tracks: [Media], left: Int = 0, isPartial: Bool = false) {
    self.tracks = tracks
    self.left = left
    self.isPartial = isPartial
  }
}

/// What `POST /play` needs of the control point.
public protocol MediaPlaces: Sendable {
  /// The tracks of an object on a media server that was found: the object itself, or all below it.
  ///
  /// - Parameters:
  ///   - most: how many are wanted at most.
  ///   - time: how long the server may take to list them.
  func tracks(server: String, object: String, most: Int, within time: Duration) async -> Outcome<FoundTracks>

  /// Plays something on another renderer that was found.
  ///
  /// - Parameter renderer: its UDN.
  func play(
    _ items: [API.PlayItem], how: API.Play.How, on renderer: String
  ) async -> Outcome<API.PlayResult>
}
