import Player

/// Gives pictures of other hosts, and those inside files, an address on this server.
public protocol PictureAddresses: Sendable {
  /// The address of a picture on this server: `/art/KEY`; nil when it can't be served.
  ///
  /// Remembers the picture for as long as it may be asked for. Called on the event loop.
  ///
  /// - Parameter address: where the picture is, as metadata says.
  func address(of address: String) -> String?

  /// As ``address(of:)-(String)``, of the picture inside the file that plays, for as long as that is the current track.
  func address(of picture: EmbeddedPicture) -> String?

  /// Remembers pictures for as long as they are shown, however many others are named.
  ///
  /// - Parameters:
  ///   - shown: their addresses on this server. Those that `owner` kept before may be forgotten.
  ///   - owner: who shows them.
  func keep(_ shown: [String], for owner: PageSections.Name)

  /// Where a picture is that has this address on this server; nil for another address, and for one that is forgotten.
  func origin(of address: String) -> String?
}

extension PictureAddresses {
  public func origin(of address: String) -> String? { nil }
}
