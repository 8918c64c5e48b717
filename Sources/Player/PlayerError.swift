/// Why a command was refused. Nothing has changed when one of these is thrown.
///
/// The vocabulary follows the error table of UPnP AVTransport:1; which number each becomes on the wire is the
/// services' business.
public enum PlayerError: Error, Sendable, Hashable, CaseIterable {
  /// Not possible in the present state (701).
  case transitionNotAvailable
  /// There is nothing in what was given (702).
  case noContents
  /// The format can't be played (704).
  case formatNotSupported
  /// No such unit of seeking (710).
  case seekModeNotSupported
  /// Outside the track or the container, or the stream can't be sought in (711).
  case illegalSeekTarget
  /// No such play mode (712).
  case playModeNotSupported
  /// What the control point says it is isn't audio (714).
  case illegalMIMEType
  /// A URI that this player doesn't follow: scheme, directory, length, characters (716).
  case resourceNotFound
  /// A volume outside its range (601 of the device architecture).
  case valueOutOfRange

  // MARK: OpenHome

  /// No such track in the playlist (Playlist 800).
  case idNotFound
  /// As many tracks, or as much text, as the playlist takes (Playlist 801).
  case playlistFull
  /// No track at this place in the playlist (Playlist 802).
  case indexNotFound
  /// The stream can't be sought in, or not there (Playlist, Radio, Transport 803).
  case seekFailed
  /// No such preset (Radio 803).
  case invalidChannel
  /// The seek was meant for another stream than the current one (Transport 804).
  case streamNotCurrent
  /// No such source, or one that is switched off (Product 801).
  case sourceNotFound
  /// Not something that the active source can do (Transport 801).
  case notSupported
  /// A volume beyond the maximum, which it has already (Volume 811).
  case volumeOutOfRange
  /// Volume 812.
  case balanceOutOfRange
  /// No trim or offset of this channel (Volume 816).
  case unknownChannel
  /// Volume 817.
  case offsetOutOfRange
  /// Volume 819.
  case trimOutOfRange
}
