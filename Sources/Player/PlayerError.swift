/// Why a command was refused. The state is unchanged when one of these is thrown.
///
/// The cases follow the error table of UPnP AVTransport:1; the services assign the error codes.
public enum PlayerError: Error, Sendable, Hashable, CaseIterable {
  /// Not possible in the current state (701).
  case transitionNotAvailable
  /// The media is empty (702).
  case noContents
  /// The format can't be played (704).
  case formatNotSupported
  /// Unknown seek unit (710).
  case seekModeNotSupported
  /// Outside the track or container, or the stream isn't seekable (711).
  case illegalSeekTarget
  /// Unknown play mode (712).
  case playModeNotSupported
  /// According to its metadata, the media isn't audio (714).
  case illegalMIMEType
  /// A URI that the policy doesn't allow: scheme, directory, length or characters (716).
  case resourceNotFound
  /// A volume out of range (601 of the device architecture).
  case valueOutOfRange

  // MARK: OpenHome

  /// No such track in the playlist (Playlist 800).
  case idNotFound
  /// The playlist has reached its limit of tracks or bytes (Playlist 801).
  case playlistFull
  /// No track at this index in the playlist (Playlist 802).
  case indexNotFound
  /// The stream isn't seekable, or not to this position (Playlist, Radio, Transport 803).
  case seekFailed
  /// No such preset (Radio 803).
  case invalidChannel
  /// The seek was for a stream that isn't the current one (Transport 804).
  case streamNotCurrent
  /// There is no such slot for a pin (Pins 801).
  case pinIndexOutOfRange
  /// No pin has this id (Pins 802).
  case pinNotFound
  /// No such source, or it is disabled (Product 801).
  case sourceNotFound
  /// The active source doesn't support this (Transport 801).
  case notSupported
  /// A volume above the maximum, when the volume is already there or the value is far too high (Volume 811).
  case volumeOutOfRange
  /// A balance out of range (Volume 812).
  case balanceOutOfRange
  /// This channel has no trim and no offset (Volume 816).
  case unknownChannel
  /// An offset out of range (Volume 817).
  case offsetOutOfRange
  /// A trim out of range (Volume 819).
  case trimOutOfRange
}
