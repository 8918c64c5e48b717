import Player

/// What `POST /play` needs of the control point.
public protocol MediaPlaces: Sendable {
  /// The tracks of an object on a media server that was found: the object itself, or all below it.
  ///
  /// - Parameter most: how many are wanted at most.
  /// - Returns: the tracks with the server's metadata, and how many were left out that can't be played.
  func tracks(server: String, object: String, most: Int) async -> Outcome<(tracks: [Media], left: Int)>

  /// Plays something on another renderer that was found.
  ///
  /// - Parameter renderer: its UDN.
  func play(
    _ items: [API.PlayItem], how: API.Play.How, on renderer: String
  ) async -> Outcome<API.PlayResult>
}
