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
}
